import { describe, expect, it } from '@jest/globals';
import { changedCredentials, viewIn } from '../../lib/management/keys/key-change.js';
import { keyViewOf } from '../../lib/management/keys/key-view.js';
import type { PublicKeyRow } from '../../lib/store/tables.js';
import { managed, refusalOf } from '../support/managed.js';
import { keyRow, secretRow } from '../support/stored-rows.js';
import { engines } from '../support/test-stores.js';

const NOW = 1_800_000_000_000;

function publicKeyRow(key: string, kid: string): PublicKeyRow {
  const jwk = JSON.stringify({ kty: 'OKP', crv: 'Ed25519' });
  return { key_id: key, kid, jwk, digest: kid, created_at: 0, last_used_at: null, last_used_from: null };
}

describe('the changed credentials of a key', () => {
  const key = keyRow({ kind: 'access' });
  const view = (kids: readonly string[], ended_at: number | null = null) =>
    keyViewOf(
      {
        key,
        secrets: [secretRow(key.id, 'secret', { ended_at })],
        publicKeys: kids.map((kid) => publicKeyRow(key.id, kid)),
      },
      NOW,
    );

  it('are the public keys if they differ', () => {
    expect(changedCredentials(view(['one']), view(['one', 'two']))).toStrictEqual({
      before: { publicKeys: ['one'] },
      after: { publicKeys: ['two', 'one'] },
    });
  });

  it('are the secrets if the public keys are the same', () => {
    const { hint } = secretRow(key.id, 'secret');
    expect(changedCredentials(view(['one']), view(['one'], NOW))).toStrictEqual({
      before: { secrets: [{ hint, state: 'current', acceptedUntil: null }] },
      after: { secrets: [{ hint, state: 'ended', acceptedUntil: new Date(NOW) }] },
    });
  });
});

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  it('the view of a key that is not stored is an error', async () => {
    const viewing = at.store.repository.transact((tx) => viewIn(tx, 'key_none', NOW));
    await expect(viewing).rejects.toThrow('the key is no longer in the store');
  });

  it('an edit of an outdated version tells the member what to do', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'One' });
    const doing = at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Two' });
    expect(await refusalOf(doing)).toMatchObject({
      code: 'version_conflict',
      message: 'the key has changed since you read it; read it again and retry',
    });
  });
});
