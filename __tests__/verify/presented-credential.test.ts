import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { PresentedCredential, type Sender } from '../../lib/verify/presented-credential.js';
import { assemble, unsigned } from '../support/token-forge.js';

const KEY = 'sk_wlj3nsyprj5ipdr2b4nkxzepnmt';
// printf %s "$KEY" | sha256sum
const DIGEST = '29b1bf0dcd1b6949c687df8061f0ed87e25c4e7fbe06e682180a4b7fb6604258';
const TOKEN = assemble({ alg: 'ES256' }, { iss: 'https://issuer.test' }, unsigned);

describe('PresentedCredential', () => {
  it('digests the whole credential: SHA-256, lower-case hex', () => {
    expect(new PresentedCredential(KEY).digest).toBe(DIGEST);
    expect(new PresentedCredential(`${KEY}=`).digest).not.toBe(DIGEST);
  });

  it.each([
    ['', false],
    ['a', false],
    ['a.b', false],
    ['a.b.c', true],
    ['..', true],
    ['a.b.c.d', false],
    ['a.b.c.d.e', false],
    [KEY, false],
  ])('%j has the shape of a compact JWS: %s', (text, compact) => {
    expect(new PresentedCredential(text).isCompact).toBe(compact);
  });

  it('reads the parts of a JWS, once', () => {
    const credential = new PresentedCredential(TOKEN);
    expect(credential.jws).toEqual({
      compact: TOKEN,
      header: { alg: 'ES256' },
      payload: { iss: 'https://issuer.test' },
      signature: expect.any(Buffer),
    });
    expect(credential.jws).toBe(credential.jws);
    expect(credential.issuer).toBe('https://issuer.test');
  });

  it.each<[string, Sender | undefined, string | undefined]>([
    ['the address that Express tells', { ip: '203.0.113.9', socket: { remoteAddress: '10.0.0.1' } }, '203.0.113.9'],
    ['that of the socket, without Express', { socket: { remoteAddress: '10.0.0.1' } }, '10.0.0.1'],
    ['none where the socket knows none', { socket: {} }, undefined],
    ['none without a socket', {}, undefined],
    ['none without a sender', undefined, undefined],
  ])('comes from %s', (_what, sender, from) => {
    expect(new PresentedCredential(KEY, sender).from).toBe(from);
  });

  it('has no parts and no issuer where the text is no JWS', () => {
    for (const text of [KEY, 'a.b.c']) {
      const credential = new PresentedCredential(text);
      expect([credential.jws, credential.jws, credential.issuer]).toEqual([undefined, undefined, undefined]);
    }
  });

  it('reads an issuer of the claims alone, never one that they inherit', () => {
    expect(new PresentedCredential(assemble({}, {}, unsigned)).issuer).toBeUndefined();
    expect(new PresentedCredential(assemble({ iss: 'header' }, { iss: 1 }, unsigned)).issuer).toBe(1);
    expect(new PresentedCredential(assemble({}, '{"__proto__":{"iss":"x"}}', unsigned)).issuer).toBeUndefined();
  });

  it('reveals the credential to who asks for it, and prints without it', () => {
    const credential = new PresentedCredential(KEY);
    expect([credential.digest, credential.jws, credential.reveal()]).toEqual([DIGEST, undefined, KEY]);
    const printed = [
      inspect(credential, { depth: 9, showHidden: true }),
      JSON.stringify(credential),
      String(credential),
      JSON.stringify(Object.entries(credential)),
    ];
    expect(printed.join()).not.toContain(KEY.slice(3, 15));
  });
});

describe('redact', () => {
  const redact = (text: string, credential = KEY) => new PresentedCredential(credential).redact(text);
  const base64 = (before: string) => Buffer.from(before + KEY).toString('base64url');

  it.each([
    ['a text without it', 'no such column: digest', 'no such column: digest'],
    ['no text', '', ''],
    ['the credential', `bad key ${KEY}`, 'bad key [credential]'],
    ['the credential alone', KEY, '[credential]'],
    ['the credential twice', `${KEY} is not ${KEY}.`, '[credential] is not [credential].'],
    ['its beginning', `value too long: ${KEY.slice(0, 20)}…`, 'value too long: [credential]…'],
    ['its end', `…${KEY.slice(-12)}`, '…[credential]'],
    ['its middle', `[${KEY.slice(5, 18)}]`, '[[credential]]'],
    ['two pieces', `${KEY.slice(0, 14)}…${KEY.slice(-14)}`, '[credential]…[credential]'],
    ['eleven characters of it', KEY.slice(-11), KEY.slice(-11)],
    ['its digest', `no row for ${DIGEST}`, `no row for ${DIGEST.slice(0, 8)}`],
    ['its digest in capitals', `no row for ${DIGEST.toUpperCase()}`, `no row for ${DIGEST.slice(0, 8)}`],
    ['the credential in capitals', `bad key ${KEY.toUpperCase()}`, 'bad key [credential]'],
    ['a piece in mixed case', `…${KEY.slice(-14, -7).toUpperCase()}${KEY.slice(-7)}`, '…[credential]'],
    ['the credential in hex', `\\x${Buffer.from(KEY).toString('hex')}`, '\\x[credential]'],
    ['the credential in base64', `${Buffer.from(KEY).toString('base64')}`, '[credential]'],
    ['a piece among others in one run', `log/${KEY.slice(0, 14)}/and-more`, 'log/[credential]/and-more'],
    ['a piece in capitals behind slashes', `/a/b/${KEY.slice(-14).toUpperCase()}/c/d`, '/a/b/[credential]/c/d'],
    ['no more of its base64 than is its own alone', base64('Bearer '), `${base64('Bearer ').slice(0, 10)}[credential]`],
    ['likewise where a character is shared', base64('the key '), `${base64('the key ').slice(0, 11)}[credential]`],
    ['what is like it in no form', 'c2tfbm90IG9uZQ and 736b5f6e6f74', 'c2tfbm90IG9uZQ and 736b5f6e6f74'],
  ])('%s', (_what, text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  it('a credential shorter than a piece', () => {
    expect(redact('bad key short here', 'short')).toBe('bad key [credential] here');
  });

  it('a part of a long token', () => {
    expect(redact(`jwt malformed: ${TOKEN.slice(0, 60)}`, TOKEN)).toBe('jwt malformed: [credential]');
  });

  it.each(['', 'B', 'Be', 'Bearer ', 'Authorization: Bearer '])('an encoded field: %j and the credential', (before) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const field = Buffer.from(`${before}${TOKEN}\r\n`).toString(encoding);
      expect(redact(`got ${field}`, TOKEN)).toMatch(/^got [\w+/-]{0,30}\[credential\][\w=]{0,6}$/);
    }
  });

  it('both alphabets of base64', () => {
    const credential = `${'~'.repeat(9)}?>${'~'.repeat(10)}`;
    const [base64, base64url] = [
      Buffer.from(credential).toString('base64'),
      Buffer.from(credential).toString('base64url'),
    ];
    expect(base64).toMatch(/[+/]/);
    expect([base64, base64url].map((text) => redact(text, credential))).toEqual(['[credential]', '[credential]']);
  });
});
