import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { PublicKeyInput } from 'keyward/management';
import { digestOf } from '../../lib/credentials/digest.js';
import { managed, OPERATOR } from '../support/managed.js';
import { onDatabase } from '../support/store-database.js';
import { sharedEngines } from '../support/test-stores.js';

describe.each(sharedEngines)('further effects of management in the store, on %s', (engine) => {
  const at = managed(engine);

  const changesOf = async () =>
    (await onDatabase(at.url, 'select member, subject from changes order by position')).map(
      ({ member, subject }) => [member, subject] as const,
    );

  it('a new key is announced to other processes, which may have cached that it is unknown', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    expect((await changesOf()).at(-1)).toEqual(['key', key.id]);
    const accessKey = await holder.accessKey();
    expect((await changesOf()).at(-1)).toEqual(['accessKey', accessKey.key.id]);
  });

  it('keys that are imported are announced too', async () => {
    const holder = await at.account();
    const before = (await changesOf()).length;
    const given = { digest: digestOf(`sk_${randomBytes(16).toString('hex')}`), kind: 'secret' as const };
    await at.management.keys.import(OPERATOR, holder.id, [{ ...given, apis: ['payments'] }]);
    expect((await changesOf()).length).toBeGreaterThan(before);
  });

  it('each change of an account is announced, and a change of nothing is not', async () => {
    const { id } = await at.account();
    expect((await changesOf()).at(-1)).toEqual(['account', id]);
    for (const change of [
      () => at.management.accounts.put(OPERATOR, id, { apis: ['reports'] }),
      () => at.management.accounts.setDisabled(OPERATOR, id, true),
      () => at.management.accounts.setDisabled(OPERATOR, id, false),
    ]) {
      const before = (await changesOf()).length;
      await change();
      expect((await changesOf()).slice(before)).toEqual([['account', id]]);
      await change();
      expect((await changesOf()).length).toBe(before + 1);
    }
  });

  it('each change of a key is announced', async () => {
    const holder = await at.account();
    const { keys, accessKeys } = at.management;
    const { key } = await holder.key();
    const { key: access } = await holder.accessKey();
    const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as PublicKeyInput;
    let kid = '';
    for (const [subject, change] of [
      [['key', key.id], () => keys.edit(holder.owner, key.id, { version: 1, name: 'Till' })],
      [['key', key.id], () => keys.rotate(holder.owner, key.id, 60)],
      [['key', key.id], () => keys.endGrace(holder.owner, key.id)],
      [['key', key.id], () => keys.revoke(holder.owner, key.id)],
      [['accessKey', access.id], () => accessKeys.addSecret(holder.owner, access.id)],
      [['accessKey', access.id], () => accessKeys.deleteSecret(holder.owner, access.id, String(access.secrets[0]?.id))],
      [
        ['accessKey', access.id],
        async () => {
          kid = String((await accessKeys.addPublicKey(holder.owner, access.id, jwk)).publicKeys[0]?.kid);
        },
      ],
      [['accessKey', access.id], () => accessKeys.removePublicKey(holder.owner, access.id, kid)],
    ] as const) {
      const before = (await changesOf()).length;
      await change();
      expect((await changesOf()).slice(before)).toEqual([subject]);
    }
  });

  it('lists the secrets of a key newest first, even if they were created in the same millisecond', async () => {
    const holder = await at.account();
    for (let i = 0; i < 12; i += 1) {
      const { key } = await holder.key();
      const { key: rotated } = await at.management.keys.rotate(holder.owner, key.id, 3_600);
      expect(rotated.secrets.map(({ state }) => state)).toEqual(['current', 'grace_period']);
    }
  });
});
