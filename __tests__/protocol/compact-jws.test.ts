import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readCompactJws } from '../../lib/protocol/compact-jws.js';
import { law } from '../support/law.js';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const STRANGERS = ['=', '+', '/', '.', ' ', '\n', '\t', '\u0000', '%', '~', 'é', '\u0141', '\uff21'];

const encode = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');
const token = (header = '{"alg":"ES256"}', payload = '{"sub":"a"}', signature = 'c2lnbmF0dXJl') =>
  `${encode(header)}.${encode(payload)}.${signature}`;

describe('readCompactJws', () => {
  it('reads header and payload, and keeps the text', () => {
    const compact = token('{"alg":"ES256","kid":"1"}', '{"sub":"a","scope":""}');
    expect(readCompactJws(compact)).toEqual({
      compact,
      header: { alg: 'ES256', kid: '1' },
      payload: { sub: 'a', scope: '' },
      signature: Buffer.from('signature'),
    });
  });

  it('reads the example of RFC 7515 Appendix A.1, line ends in its JSON and all', () => {
    const header = '{"typ":"JWT",\r\n "alg":"HS256"}';
    const payload = '{"iss":"joe",\r\n "exp":1300819380,\r\n "http://example.com/is_root":true}';
    const compact =
      'eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9' +
      '.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ' +
      '.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
    expect(token(header, payload, 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(compact);
    const read = readCompactJws(compact);
    expect([read?.header, read?.payload]).toEqual([JSON.parse(header), JSON.parse(payload)]);
    expect([read?.compact, read?.signature.length]).toEqual([compact, 32]);
  });

  it.each([
    ['nothing', ''],
    ['one segment', encode('{}')],
    ['two segments', `${encode('{}')}.${encode('{}')}`],
    ['four segments', `${token()}.AA`],
    ['five segments', `${token()}.AA.AA`],
    ['a dot before', `.${token()}`],
    ['a dot behind', `${token()}.`],
    ['two dots', '..'],
    ['8,000 dots', '.'.repeat(8_000)],
    ['an empty header', `.${encode('{}')}.AA`],
    ['an empty payload', `${encode('{}')}..AA`],
    ['an empty signature', `${encode('{}')}.${encode('{}')}.`],
    ['JSON serialisation', '{"payload":"e30","protected":"e30","signature":"AA"}'],
  ])('refuses %s', (_name, text) => {
    expect(readCompactJws(text)).toBeUndefined();
  });

  it.each(['not JSON', '', 'null', '[]', '"x"', '1', '\ufeff{}', '{"a":1,"a":2}', '{"a":1,"\\u0061":2}'])(
    'refuses %j as a header and as a payload',
    (json) => {
      expect(readCompactJws(token(json))).toBeUndefined();
      expect(readCompactJws(token('{"alg":"ES256"}', json))).toBeUndefined();
    },
  );

  it('refuses a header and a payload that are not UTF-8', () => {
    const bytes = encode(Buffer.from('{"a":"é"}', 'latin1'));
    expect(readCompactJws(`${bytes}.${encode('{}')}.AA`)).toBeUndefined();
    expect(readCompactJws(`${encode('{}')}.${bytes}.AA`)).toBeUndefined();
  });

  // The last character of a segment of 4n+2 characters carries 4 unused bits, that of 4n+3 characters 2 (RFC 4648 §3.5).
  it.each([
    ['a signature of 1 character', '', ''],
    ['a signature of 2 characters', 'A', 'AQgw'],
    ['a signature of 3 characters', 'AA', 'AEIMQUYcgkosw048'],
    ['a signature of 4 characters', 'AAA', BASE64URL],
    ['a signature of 5 characters', 'AAAA', ''],
    ['a signature of 6 characters', 'AAAAA', 'AQgw'],
    ['a signature of 7 characters', 'AAAAAA', 'AEIMQUYcgkosw048'],
    ['a signature of 8 characters', 'AAAAAAA', BASE64URL],
  ])('accepts only last characters whose unused bits are zero: %s', (_name, start, last) => {
    const accepted = [...BASE64URL].filter(
      (character) => readCompactJws(token('{}', '{}', start + character)) !== undefined,
    );
    expect(accepted.join('')).toBe([...BASE64URL].filter((character) => last.includes(character)).join(''));
  });

  it.each([
    ['header', (segment: string) => `${segment}.${encode('{}')}.AA`],
    ['payload', (segment: string) => `${encode('{}')}.${segment}.AA`],
  ])('accepts only one encoding of each %s', (_name, within) => {
    for (const json of ['{}', '{} ', '{}  ']) {
      const segment = encode(json);
      const spellings = [...BASE64URL].map((character) => segment.slice(0, -1) + character);
      const same = spellings.filter((spelling) => Buffer.from(spelling, 'base64url').toString() === json);
      expect(same.filter((spelling) => readCompactJws(within(spelling)) !== undefined)).toEqual([segment]);
      for (const padded of [`${segment}=`, `${segment}==`, ` ${segment}`, `${segment}\n`]) {
        expect(readCompactJws(within(padded))).toBeUndefined();
      }
    }
  });

  law('takes for a signature exactly what base64url writes', () => {
    const text = fc.string({ unit: fc.constantFrom(...BASE64URL, '=', '+', '/', ' '), maxLength: 9 });
    const written = fc.uint8Array({ maxLength: 9 }).map(encode);
    return fc.property(fc.oneof(text, written), (signature) => {
      const canonical = signature !== '' && encode(Buffer.from(signature, 'base64url')) === signature;
      expect(readCompactJws(token('{}', '{}', signature)) !== undefined).toBe(canonical);
    });
  });

  it.each([
    ['3n, 3n+1 and 3n+2 bytes', token('{"a":10}', '{"b":1}', encode(Buffer.alloc(8, 0xa5)))],
    ['3n+1, 3n+2 and 3n bytes', token('{"a":1}', '{"b":10}', encode(Buffer.alloc(9, 0x5a)))],
    ['3n+2, 3n and 3n+1 bytes', token('{"a":100}', '{"b":100}', encode(Buffer.alloc(10, 0xff)))],
  ])('any character changed, removed or inserted: refused, or other bytes (%s)', (_name, compact) => {
    expect(readCompactJws(compact)).toBeDefined();
    const original = bytesOf(compact);
    const twins: string[] = [];
    for (const text of neighboursOf(compact)) {
      const read = readCompactJws(text);
      if (read !== undefined && bytesOf(read.compact) === original) twins.push(text);
    }
    expect(twins).toEqual([]);
  });
});

/** The bytes of the three segments, by Node's lenient decoder. */
function bytesOf(compact: string): string {
  return compact
    .split('.')
    .map((segment) => Buffer.from(segment, 'base64url').toString('hex'))
    .join('.');
}

function* neighboursOf(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at += 1) {
    const before = text.slice(0, at);
    if (at < text.length) yield before + text.slice(at + 1);
    for (const character of [...BASE64URL, ...STRANGERS]) {
      yield before + character + text.slice(at);
      if (at < text.length && text[at] !== character) yield before + character + text.slice(at + 1);
    }
  }
}
