import { describe, expect, it } from '@jest/globals';
import { readGrace } from '../../lib/management/keys/secrets.js';
import { managed, refusalOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

describe('a grace period', () => {
  it('that is too long is refused with the limit', () => {
    expect(() => readGrace(2_592_001)).toThrow('grace: expected a number of seconds from 0 to 2592000');
  });
});

describe.each(engines)('on %s, the secrets of a key', (engine) => {
  const at = managed(engine);

  it('end at the time of their own rotation, without a grace period', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const times = [];
    for (let count = 0; count < 3; count += 1) {
      at.clock.advance(1_000);
      times.push(at.clock.now());
      await at.management.keys.rotate(holder.owner, key.id);
    }
    const rows = await at.store.repository.transact((tx) => tx.secrets(key.id));
    expect(rows.map(({ retires_at }) => retires_at)).toEqual([null, null, null, null]);
    expect(rows.map(({ ended_at }) => ended_at)).toEqual([...times, null]);
  });

  it('are made at different times in their order, even if the clock was set back', async () => {
    const holder = await at.account();
    const made = at.clock.now();
    const { key } = await holder.key();
    at.clock.advance(-60_000);
    await at.management.keys.rotate(holder.owner, key.id);
    at.clock.advance(120_000);
    await at.management.keys.rotate(holder.owner, key.id);
    const rows = await at.store.repository.transact((tx) => tx.secrets(key.id));
    expect(rows.map(({ created_at }) => created_at - made)).toEqual([0, 1, 60_000]);
  });

  it('are rotated only if one of the two was deleted', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    await at.management.accessKeys.addSecret(holder.owner, key.id);
    const refused = await refusalOf(at.management.accessKeys.rotate(holder.owner, key.id));
    expect(refused.message).toBe(
      'secrets: the access key has two client secrets; delete one before you rotate the key',
    );
  });

  it('cannot all be deleted', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const last = at.management.accessKeys.deleteSecret(holder.owner, key.id, String(key.secrets[0]?.id));
    expect((await refusalOf(last)).message).toBe(
      'secret: the access key has no other credential, or only an old secret in its grace period; add a client secret or public key first, or revoke the access key',
    );
  });

  it('have no ids with NUL', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const refused = await refusalOf(at.management.accessKeys.deleteSecret(holder.owner, key.id, 'a\0'));
    expect(refused).toMatchObject({
      ...{ status: 400, field: 'secret', message: 'secret: expected a string without NUL characters' },
    });
  });
});
