import { describe, expect, it } from '@jest/globals';
import { createKeyText } from 'keyward';
import { shortenSecretsInPath } from '../../lib/credentials/whole-secret.js';

const CLIENT_SECRET = `A1_-${'b'.repeat(78)}wxyz`;
const SECRETS: readonly (readonly [secret: string, hint: string])[] = [
  ...(['secret', 'public'] as const).flatMap((kind) =>
    (['live', 'sandbox'] as const).flatMap((environment) =>
      [undefined, 'acme'].map((prefix) => {
        const key = createKeyText({ kind, environment, prefix });
        return [key, `${key.slice(0, key.lastIndexOf('_') + 1)}\u2026${key.slice(-4)}`] as const;
      }),
    ),
  ),
  ['sk_live_51Habc0123456789ABCDEFGH', 'sk_live_\u2026EFGH'],
  [CLIENT_SECRET, '\u2026wxyz'],
];

describe('a path', () => {
  it.each(SECRETS)('with the secret %s has only its hint', (secret, hint) => {
    for (const [path, shortened] of [
      [secret, hint],
      [`/keys/${secret}`, `/keys/${hint}`],
      [`/keys/${secret}/edit`, `/keys/${hint}/edit`],
      [`/${secret}/${secret}/${CLIENT_SECRET}`, `/${hint}/${hint}/\u2026wxyz`],
      [`/a%20b/${secret}`, `/a%20b/${hint}`],
      [`/${secret}%2D`, `/${hint}%2D`],
    ] as const)
      expect([path, shortenSecretsInPath(path)]).toEqual([path, shortened]);
    // A prefix such as `acme_` separates a key from an escape before it, so that nothing must be decoded.
    for (const path of [
      `/a%20${secret}`,
      `/a%2F${secret}%2fb`,
      `/%252525252F${secret}`,
      `/%25${secret}`,
      `/%3D${secret}%zz`,
    ]) {
      const shortened = shortenSecretsInPath(path);
      expect([path, shortened]).toEqual([path, expect.stringContaining(hint)]);
      expect(shortened).not.toContain(secret.slice(-12));
    }
  });

  it('with an escape that hides a secret is decoded, as far as it has ASCII characters', () => {
    expect(shortenSecretsInPath(`/a%20b%2F${CLIENT_SECRET}%2fc%c3%a4%`)).toBe('/a b/\u2026wxyz/c%c3%a4%');
  });

  it('with an encoded letter in a secret has only its hint', () => {
    const secret = createKeyText({ kind: 'secret', environment: 'live' });
    const encoded = [...secret].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
    const hint = `sk_\u2026${secret.slice(-4)}`;
    for (const path of [encoded, encoded.replaceAll('%', '%25'), secret.replace('k', '%6B')])
      expect(shortenSecretsInPath(`/${path}`)).toBe(`/${hint}`);
  });

  it.each([
    ...['', '/', '/connect/token', `/keys/key_${'a'.repeat(26)}/edit`, `/access-keys/ack_${'a'.repeat(26)}`],
    ...['/a%2Fb%20c%', '/%zz', '/%E4', `/${'x'.repeat(85)}`, '/task_reconciliationofsettlements', '/sk_\u2026abcd'],
  ])('%j without a secret stays as it is', (path) => expect(shortenSecretsInPath(path)).toBe(path));

  it('of 16 KiB is searched within seconds', () => {
    for (const part of ['sk_', '_sk_a', 'x', '-', '%', '%25', '/sk_live_', `${'x'.repeat(86)}_`])
      expect(shortenSecretsInPath(part.repeat(16_384 / part.length))).not.toBe('');
  }, 20_000);
});
