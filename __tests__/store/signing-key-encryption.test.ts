import { describe, expect, it } from '@jest/globals';
import { base64url, CompactEncrypt } from 'jose';
import { signingKeyVault } from '../../lib/store/signing-keys/signing-key-encryption.js';

const BYTES = new Uint8Array(32).map((_, at) => at);
const TEXT = Buffer.from(BYTES).toString('base64url');
const JWK = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', d: 'd' };
const REFUSAL = expect.objectContaining({ name: 'StoreError', code: 'encryption_key' });

async function sealed(payload: string, header: object): Promise<string> {
  const given = { alg: 'dir', enc: 'A256GCM', kid: 'one', ...header };
  const encryption = new CompactEncrypt(new TextEncoder().encode(payload)).setProtectedHeader(given);
  return await encryption.encrypt(BYTES.slice(0, given.enc === 'A128GCM' ? 16 : 32));
}

describe('a vault', () => {
  it.each([
    ['bytes', BYTES],
    ['a Buffer', Buffer.from(BYTES)],
    ['text', TEXT],
    ['padded text', `${TEXT}=`],
  ])('decrypts a key that a vault with the same encryption key encrypted: %s', async (_what, key) => {
    const jwe = await signingKeyVault(key).seal('one', JWK);
    expect(await signingKeyVault(BYTES).open('one', jwe)).toEqual(JWK);
  });

  it('encrypts the same key differently each time, and reveals nothing about it', async () => {
    const vault = signingKeyVault(BYTES);
    const [first, second] = [await vault.seal('one', JWK), await vault.seal('one', JWK)];
    expect(first).not.toBe(second);
    expect(JSON.parse(new TextDecoder().decode(base64url.decode(first.split('.')[0] ?? '')))).toEqual({
      ...{ alg: 'dir', enc: 'A256GCM', kid: 'one' },
    });
  });

  it('keeps its encryption key when the caller overwrites the bytes', async () => {
    const given = Uint8Array.from(BYTES);
    const vault = signingKeyVault(given);
    given.fill(0);
    expect(await signingKeyVault(BYTES).open('one', await vault.seal('one', JWK))).toEqual(JWK);
  });

  it.each<[string, () => Promise<string>]>([
    ['for another kid', () => sealed(JSON.stringify(JWK), { kid: 'two' })],
    ['for no kid', () => sealed(JSON.stringify(JWK), { kid: undefined })],
    ['with another encryption', () => sealed(JSON.stringify(JWK), { enc: 'A128GCM' })],
    ['and is no JSON', () => sealed('{', {})],
    ['by another key', () => signingKeyVault(new Uint8Array(32)).seal('one', JWK)],
    ['and was cut', async () => (await signingKeyVault(BYTES).seal('one', JWK)).slice(0, -4)],
    [
      'and was turned',
      async () => (await signingKeyVault(BYTES).seal('one', JWK)).replace(/.$/, (c) => (c === 'A' ? 'Q' : 'A')),
    ],
    ['never', async () => 'x'],
  ])('does not decrypt a key encrypted %s, with the same error for each', async (_what, seal) => {
    const opening = signingKeyVault(BYTES).open('one', await seal());
    await expect(opening).rejects.toEqual(REFUSAL);
    await expect(opening).rejects.toThrow(
      'a stored signing key cannot be decrypted with encryptionKey; use the key that it was encrypted with',
    );
  });

  it('with several keys encrypts with the first, and decrypts with any', async () => {
    const other = new Uint8Array(32);
    const [old, both] = [signingKeyVault(BYTES), signingKeyVault([other, TEXT])];
    expect(await both.open('one', await old.seal('one', JWK))).toEqual(JWK);
    const jwe = await both.seal('one', JWK);
    expect(await signingKeyVault(other).open('one', jwe)).toEqual(JWK);
    await expect(old.open('one', jwe)).rejects.toEqual(REFUSAL);
    expect(() => signingKeyVault([])).toThrow(TypeError);
  });

  it('without a key neither encrypts nor decrypts', async () => {
    const vault = signingKeyVault(undefined);
    await expect(vault.seal('one', JWK)).rejects.toEqual(REFUSAL);
    await expect(vault.open('one', 'x')).rejects.toThrow('openStore needs the option "encryptionKey"');
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
    expect(() => signingKeyVault(key)).toThrow(
      new TypeError(
        'openStore: option "encryptionKey" must be 32 bytes, or their base64url text (43 characters), or a list of such keys',
      ),
    );
  });
});
