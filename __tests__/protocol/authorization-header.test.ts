import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  ABSENT,
  isB64token,
  isSchemelessKey,
  MALFORMED,
  MAX_CREDENTIAL_LENGTH,
  readBearer,
  readDpop,
  repeatsAuthorization,
} from '../../lib/protocol/authorization-header.js';
import { law } from '../support/law.js';

const LONGEST = 'a'.repeat(12_288);
// RFC 9110 §5.6.2
const TOKEN_PUNCTUATION = "!#$%&'*+-.^_`|~";

describe('readBearer', () => {
  it.each([
    ['no field', undefined],
    ['an empty field', ''],
    ['Basic', 'Basic dXNlcjpwYXNz'],
    ['Digest', 'Digest username="a"'],
    ['a scheme that Bearer ends', 'xBearer t'],
    ['a space before the scheme', ' Bearer t'],
    ['the start of the scheme', 'Beare t'],
    ['a scheme that goes on with a letter', 'Bearerx t'],
    ['a scheme that goes on with a capital', 'BearerT'],
    ['a scheme that goes on with a digit', 'Bearer2 t'],
  ])('finds no credential in %s', (_name, authorization) => {
    expect(readBearer(authorization, false)).toBe(ABSENT);
    expect(readBearer(authorization, true)).toBe(ABSENT);
  });

  it.each([...TOKEN_PUNCTUATION])('treats Bearer%s as another scheme', (character) => {
    expect(readBearer(`Bearer${character} t`, false)).toBe(ABSENT);
  });

  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('accepts the scheme as %s', (scheme) => {
    expect(readBearer(`${scheme} t`, false)).toBe('t');
  });

  it.each([1, 2, 5])('accepts %i space(s) after the scheme', (count) => {
    expect(readBearer(`Bearer${' '.repeat(count)}t`, false)).toBe('t');
  });

  it.each([
    ['the scheme alone', 'Bearer'],
    ['the scheme and one space', 'Bearer '],
    ['the scheme and two spaces', 'Bearer  '],
    ['a tab for the space', 'Bearer\tt'],
    ['a comma for the space', 'Bearer,t'],
    ['an equals sign for the space', 'Bearer=t'],
    ['a quote for the space', 'Bearer"t"'],
    ['no-break space for the space', 'Bearer\u00a0t'],
  ])('returns MALFORMED for %s', (_name, authorization) => {
    expect(readBearer(authorization, false)).toBe(MALFORMED);
    expect(readBearer(authorization, true)).toBe(MALFORMED);
  });

  it.each([
    ['an array', ['Bearer t']],
    ['an object', {}],
    ['a number', 1],
    ['null', null],
    ['a String object', Object('Bearer t')],
  ])('returns MALFORMED for %s set by earlier code', (_name, authorization) => {
    expect(readBearer(authorization, false)).toBe(MALFORMED);
  });

  it.each(['a b', '\tt', 't, Bearer u', 't ', '"t"', 'é'])(
    'leaves the characters of the credential to isB64token: %j',
    (text) => {
      expect(readBearer(`Bearer ${text}`, false)).toBe(text);
    },
  );

  it('accepts a credential of 12,288 characters, not counting spaces before it', () => {
    expect(MAX_CREDENTIAL_LENGTH).toBe(12_288);
    expect(readBearer(`Bearer   ${LONGEST}`, false)).toBe(LONGEST);
  });

  it('returns MALFORMED for a credential of 12,289 characters', () => {
    expect(readBearer(`Bearer ${LONGEST}a`, false)).toBe(MALFORMED);
  });

  it.each(['sk_x', 'pk_x', 'sk_', 'pk_sbox_x'])(
    'accepts the key %s without a scheme only with allowSchemeless',
    (key) => {
      expect(readBearer(key, true)).toBe(key);
      expect(readBearer(key, false)).toBe(ABSENT);
    },
  );

  it.each(['SK_x', 'tk_x', 'sk-x', 'sx_k', ' sk_x', 'xsk_x', 'eyJh.eyJh.c2ln', 'unknown'])(
    'refuses %j without a scheme even with allowSchemeless',
    (text) => {
      expect(readBearer(text, true)).toBe(ABSENT);
    },
  );

  it('limits a key without a scheme to 12,288 characters too', () => {
    const longest = `sk_${'a'.repeat(12_285)}`;
    expect(readBearer(longest, true)).toBe(longest);
    expect(readBearer(`${longest}a`, true)).toBe(MALFORMED);
  });

  law('reads back whatever stands after the scheme and its spaces', () => {
    const credential = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !text.startsWith(' '));
    const scheme = fc.mixedCase(fc.constant('bearer'));
    return fc.property(
      scheme,
      fc.integer({ min: 1, max: 9 }),
      credential,
      fc.boolean(),
      (name, spaces, text, allowSchemeless) => {
        expect(readBearer(name + ' '.repeat(spaces) + text, allowSchemeless)).toBe(text);
      },
    );
  });
});

describe('readDpop', () => {
  it.each(['DPoP', 'dpop', 'DPOP'])('accepts the scheme as %s', (scheme) => {
    expect([readDpop(`${scheme} t`), readDpop(`${scheme}   t`)]).toEqual(['t', 't']);
  });

  it.each<[string, unknown]>([
    ['no field', undefined],
    ['a list', ['DPoP t']],
    ['an empty field', ''],
    ['Bearer', 'Bearer t'],
    ['a scheme that DPoP ends', 'xDPoP t'],
    ['a space before the scheme', ' DPoP t'],
    ['a scheme that goes on with a letter', 'DPoPx t'],
    ['a scheme that goes on with a digit', 'DPoP2 t'],
    ...[...TOKEN_PUNCTUATION].map((character): [string, unknown] => [
      `a scheme that goes on with ${character}`,
      `DPoP${character} t`,
    ]),
  ])('finds no credential in %s', (_name, authorization) => {
    expect(readDpop(authorization)).toBe(ABSENT);
  });

  it.each([
    ['the scheme alone', 'DPoP'],
    ['the scheme and two spaces', 'DPoP  '],
    ['a tab for the space', 'DPoP\tt'],
    ['a credential that is too long', `DPoP ${LONGEST}a`],
  ])('is malformed: %s', (_name, authorization) => {
    expect(readDpop(authorization)).toBe(MALFORMED);
  });

  it('accepts the longest credential', () => {
    expect(readDpop(`DPoP ${LONGEST}`)).toBe(LONGEST);
  });
});

describe('isSchemelessKey', () => {
  it.each(['sk_a', 'pk_a', 'sk_', 'pk_sbox_a'])('finds a key in %s', (authorization) => {
    expect(isSchemelessKey(authorization)).toBe(true);
  });

  it.each([[undefined], [null], [['sk_a']], [''], ['sk'], ['xk_a'], [' sk_a'], ['a sk_a'], ['SK_a'], ['Bearer sk_a']])(
    'finds none in %j',
    (authorization) => {
      expect(isSchemelessKey(authorization)).toBe(false);
    },
  );
});

describe('isB64token', () => {
  it.each(['a', 'Z', '0', '9', '-', '.', '_', '~', '+', '/', 'a=', 'a==', 'a=====', 'sk_abc', 'eyJh.eyJh.c2ln'])(
    'accepts %s',
    (text) => {
      expect(isB64token(text)).toBe(true);
    },
  );

  it.each(['', '=', '==', 'a=b', '=a', 'a b', ' a', 'a ', 'a\n', 'a\t', '"a"', "'a'", '<a>', 'a,', 'a,b', 'a\u00a0'])(
    'refuses %j',
    (text) => {
      expect(isB64token(text)).toBe(false);
    },
  );

  it('accepts exactly the characters of RFC 6750 §2.1', () => {
    const accepted = characters(0, 0x2ff).filter((character) => isB64token(character));
    expect(accepted.join('')).toBe('+-./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~');
  });

  it('accepts those characters in every place', () => {
    const accepted = characters(0, 0x2ff).filter((character) => isB64token(`a${character}a`));
    expect(accepted).toHaveLength(68);
  });
});

describe('repeatsAuthorization', () => {
  it.each([
    ['a request without raw headers', undefined],
    ['no headers', []],
    ['one line', ['Host', 'a', 'Authorization', 'Bearer t']],
    ['one line in lower case', ['authorization', 'Bearer t', 'host', 'a']],
    ['one line, and a value that is the name', ['X-Name', 'authorization', 'Authorization', 'Bearer t']],
    ['two values that are the name', ['X-Name', 'Authorization', 'X-Other', 'Authorization']],
    ['one line, and names of the same length', ['Authorization', 'a', 'Authorizations', 'b', 'authorizatiom', 'c']],
    ['one line, and one of a proxy', ['Proxy-Authorization', 'Bearer t', 'Authorization', 'Bearer t']],
  ])('finds no repetition in %s', (_name, rawHeaders) => {
    expect(repeatsAuthorization({ rawHeaders })).toBe(false);
  });

  it.each([
    ['the same value', ['Authorization', 'Bearer t', 'Authorization', 'Bearer t']],
    ['mixed case', ['authorization', 'Bearer t', 'AUTHORIZATION', 'Bearer u']],
    ['others between', ['Host', 'a', 'Authorization', 'Bearer t', 'Accept', '*/*', 'aUTHORIZATION', 'Basic x']],
    ['empty values', ['Authorization', '', 'Authorization', '']],
    ['three lines', ['Authorization', 'a', 'Authorization', 'b', 'Authorization', 'c']],
  ])('finds two lines: %s', (_name, rawHeaders) => {
    expect(repeatsAuthorization({ rawHeaders })).toBe(true);
  });

  it('counts 1,000 lines as two, because Node drops the lines after these', () => {
    const withLines = (lines: number, server?: { maxHeadersCount: number | null }) =>
      repeatsAuthorization({ rawHeaders: Array(2 * lines).fill('a'), ...(server && { socket: { server } }) });
    expect([withLines(999), withLines(1_000)]).toEqual([false, true]);
    for (const server of [undefined, { maxHeadersCount: null }, { maxHeadersCount: 1_000 }])
      expect([withLines(999, server), withLines(1_000, server)]).toEqual([false, true]);
    expect([withLines(99, { maxHeadersCount: 100 }), withLines(100, { maxHeadersCount: 100 })]).toEqual([false, true]);
    expect(withLines(3_000, { maxHeadersCount: 0 })).toBe(false);
  });
});

function characters(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => String.fromCharCode(first + index));
}
