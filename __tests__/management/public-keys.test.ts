import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import type { AccessKeyEdit, Member, PublicKeyInput } from 'keyward/management';
import { selfSigned } from '../../lib/testing/self-signed.js';
import { assertionBody } from '../support/client-assertion.js';
import { type Holder, managed, refusalOf, refusing } from '../support/managed.js';
import { type ManagedApi, serveManaged } from '../support/managed-api.js';
import { engines } from '../support/test-stores.js';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const jwkOf = (key: KeyObject) => ({ ...key.export({ format: 'jwk' }) });
const pemOf = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
const { publicKey, privateKey } = pair();
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const weak = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const other = {
  dsa: generateKeyPairSync('dsa', { modulusLength: 2_048, divisorLength: 256 }).publicKey,
  pss: generateKeyPairSync('rsa-pss', { modulusLength: 2_048 }).publicKey,
  brainpool: generateKeyPairSync('ec', { namedCurve: 'brainpoolP256r1' }).publicKey,
  p224: generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey,
};
/** Nobody needs their private keys. Making a real modulus of this length takes long. */
const slow = [
  { e: 'AQAB', n: Buffer.alloc(640, 0xab).toString('base64url'), kty: 'RSA' },
  { e: 'AQAAAAE', n: String(jwkOf(rsa.publicKey).n), kty: 'RSA' },
];

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);
  let api: ManagedApi;
  let holder: Holder;

  beforeAll(async () => {
    api = await serveManaged(at.store, at.clock);
    holder = await at.account();
  });
  afterAll(() => api.close());

  const add = (id: string, key: PublicKeyInput, by: Member = holder.owner) =>
    at.management.accessKeys.addPublicKey(by, id, key);
  const remove = (id: string, kid: string) => at.management.accessKeys.removePublicKey(holder.owner, id, kid);

  let jtis = 0;
  /** Asks for a token with an assertion. */
  async function obtain(id: string, kid: string, signer: KeyObject = privateKey) {
    const now = Math.floor(at.clock.now() / 1_000);
    jtis += 1;
    const claims = { iss: id, sub: id, aud: api.url, jti: `${jtis}`, exp: now + 60 };
    const alg = signer.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
    return await api.obtain(assertionBody(await new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(signer)));
  }

  it.each<[string, () => PublicKeyInput]>([
    ['a JWK', () => jwkOf(publicKey)],
    ['a JWK as JSON', () => JSON.stringify(jwkOf(publicKey))],
    ['a JWK Set of one', () => ({ keys: [jwkOf(publicKey)] })],
    ['PEM', () => `\n${pemOf(publicKey)}\n`],
  ])('I17 %s becomes a JWK with its thumbprint as kid, and obtains tokens', async (_form, input) => {
    const { key } = await holder.accessKey();
    const changed = await add(key.id, input());
    const [view] = changed.publicKeys;
    const jwk = { ...jwkOf(publicKey), kid: expect.stringMatching(/^[\w-]{43}$/), use: 'sig' };
    expect(view).toMatchObject({ type: 'P-256', jwk, createdAt: new Date(at.clock.now()), lastUsedAt: null });
    expect(changed.version).toBe(key.version + 1);
    expect(await obtain(key.id, view?.kid ?? '')).toMatchObject({ status: 200 });
  });

  it('I17 PKCS #1 and a certificate become JWKs', async () => {
    const { key } = await holder.accessKey();
    const pkcs1 = rsa.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    await add(key.id, pkcs1);
    const { publicKeys } = await add(key.id, selfSigned('client.example').cert);
    expect(publicKeys.map(({ type }) => type)).toContain('RSA');
    expect(publicKeys).toHaveLength(2);
  });

  it.each(['.well-known', 'a..b', '...'])('accepts the kid %s', async (kid) => {
    const { key } = await holder.accessKey();
    expect((await add(key.id, { ...jwkOf(publicKey), kid })).publicKeys[0]?.kid).toBe(kid);
  });

  it('I17 keeps the kid and the alg of a JWK', async () => {
    const { key } = await holder.accessKey();
    const { publicKeys } = await add(key.id, {
      ...jwkOf(rsa.publicKey),
      kid: '2026-11',
      alg: 'PS256',
      x5c: ['left out'],
    });
    expect(publicKeys[0]?.jwk).toEqual({ ...jwkOf(rsa.publicKey), kid: '2026-11', alg: 'PS256', use: 'sig' });
  });

  it.each<[string, () => unknown, string]>([
    ['a private JWK', () => jwkOf(privateKey), 'private'],
    ['a private JWK as JSON', () => JSON.stringify(jwkOf(privateKey)), 'private'],
    ['a private key in a JWK Set', () => ({ keys: [jwkOf(privateKey)] }), 'private'],
    ['a private PEM', () => privateKey.export({ type: 'pkcs8', format: 'pem' }), 'private'],
    [
      'a public and a private PEM',
      () => pemOf(publicKey) + privateKey.export({ type: 'sec1', format: 'pem' }),
      'private',
    ],
    ['a symmetric key', () => ({ kty: 'oct', k: 'c2VjcmV0' }), 'symmetric'],
    ['an RSA key of 5,120 bits', () => slow[0], '4096'],
    ['an RSA key with a long exponent', () => slow[1], '65537'],
    ['an RSA key of 1,024 bits', () => jwkOf(weak.publicKey), '2048'],
    ['a key for encryption', () => ({ ...jwkOf(publicKey), use: 'enc' }), 'a public signing key'],
    ['a key for another algorithm', () => ({ ...jwkOf(publicKey), alg: 'RS256' }), 'a public signing key'],
    [
      'a curve that no JWS algorithm uses here',
      () => jwkOf(generateKeyPairSync('x25519').publicKey),
      'a public signing key',
    ],
    ['a point off the curve', () => ({ ...jwkOf(publicKey), y: jwkOf(publicKey).x }), 'expected'],
    ['a JWK Set of two', () => ({ keys: [jwkOf(publicKey), jwkOf(rsa.publicKey)] }), 'one key'],
    ['a DSA key', () => pemOf(other.dsa), 'a public signing key'],
    ['an RSA-PSS key', () => pemOf(other.pss), 'a public signing key'],
    ['a brainpool key', () => pemOf(other.brainpool), 'a public signing key'],
    ['a P-224 key', () => pemOf(other.p224), 'a public signing key'],
    ['a kid that is "."', () => ({ ...jwkOf(publicKey), kid: '.' }), 'kid'],
    ['a kid that is ".."', () => ({ ...jwkOf(publicKey), kid: '..' }), 'kid'],
    ['a kid with a slash', () => ({ ...jwkOf(publicKey), kid: 'a/b' }), 'kid'],
    ['no key', () => 'hello', 'expected'],
    ['nothing', () => undefined, 'expected'],
    ['a text of 20 KiB', () => ' '.repeat(20_000) + pemOf(publicKey), 'expected'],
  ])('I17 refuses %s, and stores nothing', async (_what, input, words) => {
    const { key } = await holder.accessKey();
    const error = await refusalOf(add(key.id, input() as never));
    expect(error).toMatchObject({ status: 400, code: 'invalid', field: 'publicKey' });
    expect(error.message).toContain(words);
    expect(error.message).not.toContain(String(jwkOf(privateKey).d));
    expect(await at.management.accessKeys.view(holder.owner, key.id)).toEqual(key);
  });

  it('I17 refuses an eleventh key, and a duplicate kid', async () => {
    const { key } = await holder.accessKey();
    for (let count = 0; count < 10; count += 1) await add(key.id, { ...jwkOf(publicKey), kid: `k${count}` });
    const eleventh = await refusalOf(add(key.id, { ...jwkOf(publicKey), kid: 'k10' }));
    expect(eleventh.message).toBe('publicKey: an access key can have at most 10 public keys; remove one first');
    await remove(key.id, 'k3');
    const again = await refusalOf(add(key.id, { ...jwkOf(publicKey), kid: 'k4' }));
    expect(again.message).toBe(
      'publicKey: the access key already has a public key with this kid; use another kid, or remove that key first',
    );
    const { publicKeys } = await add(key.id, { ...jwkOf(publicKey), kid: 'k3' });
    expect(publicKeys.map(({ kid }) => kid)).toEqual(['k3', 'k9', 'k8', 'k7', 'k6', 'k5', 'k4', 'k2', 'k1', 'k0']);
  });

  it('I18 a removed key obtains no more tokens; its old tokens stay valid until they are revoked', async () => {
    const { key } = await holder.accessKey();
    const { publicKeys, version } = await add(key.id, { ...jwkOf(publicKey), kid: 'one' });
    expect([publicKeys.length, version]).toEqual([1, key.version + 1]);
    const { token } = await obtain(key.id, 'one');
    const removed = await remove(key.id, 'one');
    expect(await obtain(key.id, 'one')).toMatchObject({ status: 401, error: 'invalid_client' });
    expect([decodeJwt(token).sub, await api.status('/payments', token)]).toEqual([key.id, 200]);
    const edit: AccessKeyEdit = { version: removed.version, revokeTokens: true };
    await at.management.accessKeys.edit(holder.owner, key.id, edit);
    expect(await api.status('/payments', token)).toBe(401);
  });

  it('I18 an unknown kid is not found', async () => {
    const { key } = await holder.accessKey();
    expect(await refusalOf(remove(key.id, 'none'))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('the last secret can be deleted if there is a public key; the last credential cannot', async () => {
    const { key } = await holder.accessKey();
    await add(key.id, { ...jwkOf(publicKey), kid: 'one' });
    const secret = String(key.secrets[0]?.id);
    const left = await at.management.accessKeys.deleteSecret(holder.owner, key.id, secret);
    expect(left.secrets.map(({ state }) => state)).toEqual(['ended']);
    expect(await obtain(key.id, 'one')).toMatchObject({ status: 200 });
    expect((await refusalOf(remove(key.id, 'one'))).message).toMatch(
      /^kid: the access key has no other credential, or only an old secret in its grace period;/,
    );
  });

  it('the last credential cannot be removed while an old secret is in its grace period', async () => {
    const { key } = await holder.accessKey();
    const { accessKeys } = at.management;
    await add(key.id, { ...jwkOf(publicKey), kid: 'one' });
    const rotated = await accessKeys.rotate(holder.owner, key.id, 3_600);
    const current = rotated.key.secrets.find(({ state }) => state === 'current');
    const left = await accessKeys.deleteSecret(holder.owner, key.id, String(current?.id));
    expect(left.secrets.map(({ state }) => state)).toContain('grace_period');
    expect((await refusalOf(remove(key.id, 'one'))).message).toMatch(
      /^kid: the access key has no other credential, or only an old secret in its grace period;/,
    );
  });

  it('needs Owner, an enabled account, and an access key of that account', async () => {
    const { key } = await holder.accessKey();
    const stranger = await at.account();
    expect(await refusalOf(add(key.id, jwkOf(publicKey), holder.developer))).toMatchObject({ status: 403 });
    expect(await refusalOf(add(key.id, jwkOf(publicKey), stranger.owner))).toMatchObject({ status: 404 });
  });

  it('is audited with its kid, without the key', async () => {
    const { key } = await holder.accessKey();
    await add(key.id, { ...jwkOf(publicKey), kid: 'one' });
    await remove(key.id, 'one');
    const { items } = await at.management.audit(holder.owner, { subject: key.id, limit: 2 });
    expect(items.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
      { action: 'access_key.remove_public_key', before: { publicKeys: ['one'] }, after: { publicKeys: [] } },
      { action: 'access_key.add_public_key', before: { publicKeys: [] }, after: { publicKeys: ['one'] } },
    ]);
  });

  it('is carried out once for each idempotency key', async () => {
    const { key } = await holder.accessKey();
    const once = () =>
      at.management.accessKeys.addPublicKey(holder.owner, key.id, { ...jwkOf(publicKey), kid: 'one' }, 'again');
    expect((await once()).publicKeys).toEqual((await once()).publicKeys);
  });

  it('another one under the same idempotency key is neither added nor removed, but a conflict', async () => {
    const { key } = await holder.accessKey();
    const { accessKeys } = at.management;
    const addAs = (kid: string, once?: string) =>
      accessKeys.addPublicKey(holder.owner, key.id, { ...jwkOf(publicKey), kid }, once);
    await addAs('one', 'add');
    expect(await refusalOf(addAs('two', 'add'))).toEqual(refusing(409, 'idempotency_conflict'));
    await addAs('two');
    await accessKeys.removePublicKey(holder.owner, key.id, 'one', 'remove');
    const other = accessKeys.removePublicKey(holder.owner, key.id, 'two', 'remove');
    expect(await refusalOf(other)).toEqual(refusing(409, 'idempotency_conflict'));
    const { publicKeys } = await accessKeys.view(holder.owner, key.id);
    expect(publicKeys.map(({ kid }) => kid)).toEqual(['two']);
  });

  it.each(['dpop', 'mtls', true, null] as const)(
    'requireConfirmation %s is stored, edited and audited',
    async (requireConfirmation) => {
      const settings = { scopes: ['payments'], requireConfirmation };
      const { key } = await at.management.accessKeys.create(holder.owner, settings);
      expect(key.requireConfirmation).toBe(requireConfirmation);
      const record = await at.store.resolveAccessKey(key.id);
      expect(record?.requireConfirmation).toBe(requireConfirmation);
      const [created] = (await at.management.audit(holder.owner, { subject: key.id })).items;
      expect(created?.after).toMatchObject({ requireConfirmation });
      const cleared = await at.management.accessKeys.edit(holder.owner, key.id, {
        version: 1,
        requireConfirmation: null,
      });
      expect(cleared.requireConfirmation).toBeNull();
      const edit = { version: cleared.version, requireConfirmation: 'both' as never };
      expect(await refusalOf(at.management.accessKeys.edit(holder.owner, key.id, edit))).toMatchObject({ status: 400 });
    },
  );
});
