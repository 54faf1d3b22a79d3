import { describe, expect, it } from '@jest/globals';
import { base64url, CompactEncrypt } from 'jose';
import { createSigningKeyCipher } from '../../lib/store/signing-keys/signing-key-cipher.js';

const BYTES = new Uint8Array(32).map((_, at) => at);
const TEXT = Buffer.from(BYTES).toString('base64url');
const JWK = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' };
const REFUSAL = expect.objectContaining({ name: 'StoreError', code: 'encryption_key' });

async function sealed(payload: string, header: object): Promise<string> {
  const given = { alg: 'dir', enc: 'A256GCM', kid: 'one', ...header };
  const encryption = new CompactEncrypt(new TextEncoder().encode(payload)).setProtectedHeader(given);
  return await encryption.encrypt(BYTES.slice(0, given.enc === 'A128GCM' ? 16 : 32));
}

describe('a cipher', () => {
  it.each([
    ['bytes', BYTES],
    ['a Buffer', Buffer.from(BYTES)],
    ['text', TEXT],
    ['padded text', `${TEXT}=`],
  ])('decrypts a key that a cipher with the same encryption key encrypted: %s', async (_what, key) => {
    const jwe = await createSigningKeyCipher(key).encrypt('one', JWK);
    expect(await createSigningKeyCipher(BYTES).decrypt('one', jwe)).toEqual(JWK);
  });

  it('encrypts the same key differently each time, and reveals nothing about it', async () => {
    const cipher = createSigningKeyCipher(BYTES);
    const [first, second] = [await cipher.encrypt('one', JWK), await cipher.encrypt('one', JWK)];
    expect(first).not.toBe(second);
    expect(JSON.parse(new TextDecoder().decode(base64url.decode(first.split('.')[0] ?? '')))).toEqual({
      ...{ alg: 'dir', enc: 'A256GCM', kid: 'one' },
    });
  });

  it('keeps its encryption key when the caller overwrites the bytes', async () => {
    const given = Uint8Array.from(BYTES);
    const cipher = createSigningKeyCipher(given);
    given.fill(0);
    expect(await createSigningKeyCipher(BYTES).decrypt('one', await cipher.encrypt('one', JWK))).toEqual(JWK);
  });

  it.each<[string, () => Promise<string>]>([
    ['for another kid', () => sealed(JSON.stringify(JWK), { kid: 'two' })],
    ['for no kid', () => sealed(JSON.stringify(JWK), { kid: undefined })],
    ['with another encryption', () => sealed(JSON.stringify(JWK), { enc: 'A128GCM' })],
    ['with another encryption of the same key length', () => sealed(JSON.stringify(JWK), { enc: 'A128CBC-HS256' })],
    ['with a key that is wrapped with the encryption key', () => sealed(JSON.stringify(JWK), { alg: 'A256KW' })],
    ['and is no JSON', () => sealed('{', {})],
    ['by another key', () => createSigningKeyCipher(new Uint8Array(32)).encrypt('one', JWK)],
    ['and was cut', async () => (await createSigningKeyCipher(BYTES).encrypt('one', JWK)).slice(0, -4)],
    [
      'and was turned',
      async () =>
        (await createSigningKeyCipher(BYTES).encrypt('one', JWK)).replace(/.$/, (c) => (c === 'A' ? 'Q' : 'A')),
    ],
    ['never', async () => 'x'],
  ])('does not decrypt a key encrypted %s, with the same error for each', async (_what, encrypt) => {
    const decrypted = createSigningKeyCipher(BYTES).decrypt('one', await encrypt());
    await expect(decrypted).rejects.toEqual(REFUSAL);
    await expect(decrypted).rejects.toThrow(
      'no key in the option "encryptionKey" of openStore can decrypt the signing keys of this database; use the key that they were encrypted with',
    );
  });

  it('with several keys encrypts with the first, and decrypts with any', async () => {
    const other = new Uint8Array(32);
    const [old, both] = [createSigningKeyCipher(BYTES), createSigningKeyCipher([other, TEXT])];
    expect(await both.decrypt('one', await old.encrypt('one', JWK))).toEqual(JWK);
    const jwe = await both.encrypt('one', JWK);
    expect(await createSigningKeyCipher(other).decrypt('one', jwe)).toEqual(JWK);
    await expect(old.decrypt('one', jwe)).rejects.toEqual(REFUSAL);
    expect(() => createSigningKeyCipher([])).toThrow(TypeError);
  });

  it('without a key neither encrypts nor decrypts', async () => {
    const cipher = createSigningKeyCipher(undefined);
    const message =
      'signing keys are stored encrypted, but there is no encryption key; set the option "encryptionKey" of openStore to 32 random bytes';
    expect(() => cipher.check()).toThrow(new TypeError(message));
    await expect(cipher.encrypt('one', JWK)).rejects.toMatchObject({ code: 'encryption_key', message });
    await expect(cipher.decrypt('one', 'x')).rejects.toMatchObject({ code: 'encryption_key', message });
    expect(createSigningKeyCipher(BYTES).check()).toBeUndefined();
  });

  it.each([
    null,
    '',
    TEXT.slice(1),
    `${TEXT}A`,
    `${TEXT.slice(1)}!`,
    `${TEXT.slice(1)}+`,
    TEXT.repeat(2),
    BYTES.slice(1),
    new Uint8Array(33),
    [...BYTES],
    BYTES.buffer,
    new Uint16Array(16),
    {},
    32,
  ])('accepts only 32 bytes or their text (%#)', (key) => {
    const refused = new TypeError(
      'openStore: option "encryptionKey" must be a key of 32 bytes, as a Uint8Array or in base64url (43 characters), or a list of such keys',
    );
    expect(() => createSigningKeyCipher(key)).toThrow(refused);
    expect(() => createSigningKeyCipher([BYTES, key])).toThrow(refused);
  });
});
