import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bearerChallenge } from '../../lib/protocol/challenge.js';
import { readChallengeError } from '../../lib/protocol/challenge-error.js';
import { law } from '../support/law.js';

describe('readChallengeError', () => {
  it.each([
    ['a quoted-string', 'Bearer error="invalid_token"'],
    ['a token', 'Bearer error=invalid_token'],
    ['a token before another parameter', 'Bearer error=invalid_token, realm="api"'],
    ['spaces around the equals sign', 'Bearer error = "invalid_token"'],
    ['tabs around the equals sign', 'Bearer error\t=\tinvalid_token'],
    ['a name in capitals', 'Bearer Error="invalid_token"'],
    ['a scheme in capitals', 'BEARER error="invalid_token"'],
    ['several spaces after the scheme', 'Bearer   error="invalid_token"'],
    ['escaped characters', 'Bearer error="invalid\\_to\\ken"'],
    ['no space after the comma', 'Bearer realm="api",error="invalid_token"'],
    ['empty list elements', ', Bearer ,, realm="api" ,, error="invalid_token",'],
    ['an escaped quote before it', 'Bearer realm="the \\"api\\"", error="invalid_token"'],
    ['an escaped backslash before it', 'Bearer realm="api\\\\", error="invalid_token"'],
    ['an empty string before it', 'Bearer realm="", error="invalid_token"'],
    ['text of another code before it', 'Bearer realm="error=other", error="invalid_token"'],
    ['a description of another code', 'Bearer error_description="see error=\\"other\\"", error="invalid_token"'],
    ['another challenge before it', 'Basic realm="api", Bearer error="invalid_token"'],
    ['another challenge after it', 'Bearer error="invalid_token", Basic realm="api"'],
    ['a challenge of token68 before it', 'Negotiate oRQw/error+EgoBA==, Bearer error="invalid_token"'],
    ['a challenge without parameters before it', 'Negotiate, Bearer error="invalid_token"'],
    ['a URL without quotes before it', 'Bearer error_uri=https://a.test/?error=other, error="invalid_token"'],
    ['no comma after it', 'Bearer error="invalid_token" error_description="expired"'],
  ])('reads the code: %s', (_what, field) => {
    expect(readChallengeError(field, 'Bearer')).toBe('invalid_token');
  });

  it.each([
    ['an empty field', ''],
    ['no parameter', 'Bearer'],
    ['another name that ends so', 'Bearer xerror="invalid_token", x-error="invalid_token", x.error=invalid_token'],
    ['another name that begins so', 'Bearer error_description="invalid_token", errors=invalid_token'],
    ['a parameter in a quoted-string', 'Bearer realm="error=invalid_token"'],
    ['a parameter in a description', 'Bearer error_description="the error=invalid_token, error = invalid_token"'],
    ['an escaped parameter in a quoted-string', 'Bearer realm="use error=\\"invalid_token\\" here"'],
    ['a quoted-string without its end', 'Bearer realm="a, error=invalid_token'],
    ['a quoted-string that ends with a backslash', 'Bearer realm="a, error=invalid_token\\'],
    ['a value without its end', 'Bearer error="invalid_token'],
    ['a value whose last quote is escaped', 'Bearer error="invalid_token\\"'],
    ['a quoted-string with spaces before its end', 'Bearer realm = "a" "error=invalid_token"'],
    ['an escaped quote in such a quoted-string', 'Bearer "a\\"bc, error=invalid_token"'],
    ['a token68', 'Bearer error='],
    ['a token68 before another challenge', 'Bearer error=, Basic realm="api"'],
    ['a URL without quotes', 'Bearer error_uri=https://a.test/?error=invalid_token'],
    ['the quoted rest of something else', 'Bearer a:error="invalid_token"'],
  ])('reads nothing: %s', (_what, field) => {
    expect(readChallengeError(field, 'Bearer')).toBeUndefined();
  });

  it.each([
    ['DPoP', 'Bearer error="invalid_token", DPoP algs="ES256", error="use_dpop_nonce"', 'use_dpop_nonce'],
    ['Bearer', 'DPoP error="invalid_dpop_proof", Bearer realm="api", error="invalid_token"', 'invalid_token'],
    ['Bearer', 'Bearer error="invalid_token", DPoP error="invalid_dpop_proof"', 'invalid_token'],
    ['DPoP', 'Bearer error="invalid_token", DPoP algs="ES256"', 'invalid_token'],
    ['DPoP', 'Custom error="first", Bearer error="second", DPoP algs="ES256"', 'first'],
  ] as const)('prefers the challenge of the presented scheme: %s, %s', (presented, field, code) => {
    expect(readChallengeError(field, presented)).toBe(code);
  });

  it.each([
    ['quotes', '"'],
    ['backslashes', '\\'],
    ['escaped quotes', '\\"'],
    ['spaces', ' '],
    ['tokens with spaces', 'a  '],
    ['equals signs', '='],
    ['names without values', 'a='],
    ['values without their end', 'a="'],
    ['values and spaces', 'a = b  '],
  ])('needs linear time for many %s', (_what, part) => {
    const start = performance.now();
    for (const before of ['', 'a', 'a=', 'a="', '"']) {
      expect(readChallengeError(`Bearer ${before}${part.repeat(200_000)}`, 'Bearer')).toBeUndefined();
    }
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  law('reads the code that bearerChallenge writes, whatever the realm is', () =>
    fc.property(fc.string({ unit: fc.constantFrom(...'error= ,"\\_aB') }), fc.boolean(), (realm, isDpop) => {
      const scheme = isDpop ? 'DPoP' : 'Bearer';
      const context = { realm, resourceMetadata: undefined, schemes: ['Bearer', 'DPoP'] as const };
      const field = bearerChallenge(context, 'invalid_token', ['error=other'], { scheme });
      return readChallengeError(field, scheme) === 'invalid_token';
    }),
  );
});
