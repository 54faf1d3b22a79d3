import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { type Holder, hostile, managed, refusalOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

const { publicKey } = generateKeyPairSync('ed25519');
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();
const JWK = { ...publicKey.export({ format: 'jwk' }) };
const EXPECTED = 'publicKey: expected a public key as a JWK or in PEM format';

describe.each(engines)('on %s, a public key', (engine) => {
  const at = managed(engine);
  const add = (holder: Holder, { id }: KeyView, given: unknown) =>
    at.management.accessKeys.addPublicKey(holder.owner, id, hostile(given));

  it.each<[string, unknown, string]>([
    ['null', null, EXPECTED],
    ['null as JSON', 'null', EXPECTED],
    ['a damaged PEM', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', EXPECTED],
    ['a PEM after other text', `key:\n${PEM}`, EXPECTED],
    ['a PEM of 16,385 characters', PEM.padEnd(16_385), EXPECTED],
    ['a kid that is a number', { ...JWK, kid: 7 }, 'publicKey: "kid" must be omitted or have 1 to 128 characters'],
  ])('is not %s', async (_what, given, message) => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const refused = await refusalOf(add(holder, key, given));
    expect(refused).toMatchObject({ status: 400, code: 'invalid', field: 'publicKey' });
    expect(refused.message).toContain(message);
    expect(await at.management.accessKeys.view(holder.owner, key.id)).toEqual(key);
  });

  it('has at most 16,384 characters, and no alg if none was given', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const [added] = (await add(holder, key, PEM.padEnd(16_384))).publicKeys;
    expect(added?.jwk).toStrictEqual({ ...JWK, kid: added?.kid, use: 'sig' });
  });

  it('that is unknown is not found', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const refused = await refusalOf(at.management.accessKeys.removePublicKey(holder.owner, key.id, 'none'));
    expect(refused).toMatchObject({ status: 404, message: 'the public key was not found' });
  });

  it('can be removed from a key without a secret if another one is left', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    for (const kid of ['one', 'two']) await add(holder, key, { ...JWK, kid });
    const { accessKeys } = at.management;
    await accessKeys.deleteSecret(holder.owner, key.id, String(key.secrets[0]?.id));
    const { publicKeys } = await accessKeys.removePublicKey(holder.owner, key.id, 'one');
    expect(publicKeys.map(({ kid }) => kid)).toEqual(['two']);
    expect(await refusalOf(accessKeys.removePublicKey(holder.owner, key.id, 'two'))).toMatchObject({ field: 'kid' });
  });
});
