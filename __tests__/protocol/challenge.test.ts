import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BEARER_ERRORS, type BearerErrorCode, isOauthError } from '../../lib/protocol/bearer-error-codes.js';
import { bearerChallenge, isQuotable, plainChallenges, scopesOf401 } from '../../lib/protocol/challenge.js';
import { formatScope } from '../../lib/protocol/scope.js';
import { law } from '../support/law.js';

const CONTEXT = { realm: 'api', resourceMetadata: undefined };
const METADATA = 'https://api.test/.well-known/oauth-protected-resource';
const CODES = Object.keys(BEARER_ERRORS) as BearerErrorCode[];

describe('isQuotable', () => {
  it('accepts exactly printable ASCII', () => {
    const all = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code));
    const printable = Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index));
    expect(all.filter(isQuotable)).toEqual(printable);
    expect(all.filter((character) => isQuotable(`a${character}a`))).toEqual(printable);
  });

  it.each(['', 'api', 'the "api" \\ of ours'])('accepts %j', (text) => {
    expect(isQuotable(text)).toBe(true);
  });

  it.each(['a\r\nb', 'a\n', '\u2028'])('refuses %j', (text) => {
    expect(isQuotable(text)).toBe(false);
  });
});

describe('plainChallenges', () => {
  it('has for each code the challenge that names no scopes, frozen', () => {
    const context = { realm: 'pay', resourceMetadata: METADATA };
    const written = plainChallenges(context);
    expect(written).toEqual(Object.fromEntries(CODES.map((code) => [code, bearerChallenge(context, code)])));
    expect(Object.isFrozen(written)).toBe(true);
  });
});

describe('bearerChallenge', () => {
  it.each(['credential_missing', 'temporarily_unavailable'] as const)(
    'has no error for %s, which is not an error of RFC 6750 §3.1',
    (code) => {
      expect(bearerChallenge(CONTEXT, code)).toBe('Bearer realm="api"');
    },
  );

  it.each(['invalid_request', 'invalid_token', 'insufficient_scope'] as const)(
    'has error and description for %s',
    (code) => {
      const { description } = BEARER_ERRORS[code];
      expect(bearerChallenge(CONTEXT, code)).toBe(
        `Bearer realm="api", error="${code}", error_description="${description}"`,
      );
    },
  );

  it('has the required scopes after the error', () => {
    expect(bearerChallenge(CONTEXT, 'insufficient_scope', ['payments', 'payments:refund'])).toBe(
      'Bearer realm="api", error="insufficient_scope", ' +
        'error_description="The credential does not give access to this resource", scope="payments payments:refund"',
    );
  });

  it('has scopes also without an error', () => {
    expect(bearerChallenge(CONTEXT, 'credential_missing', ['payments'])).toBe('Bearer realm="api", scope="payments"');
  });

  it('has the URL of the metadata last (RFC 9728 §5.1)', () => {
    const context = { realm: 'api', resourceMetadata: METADATA };
    expect(bearerChallenge(context, 'credential_missing')).toBe(`Bearer realm="api", resource_metadata="${METADATA}"`);
    expect(bearerChallenge(context, 'insufficient_scope', ['a'])).toMatch(
      new RegExp(`, scope="a", resource_metadata="${METADATA}"$`),
    );
  });

  it.each([
    ['', '""'],
    ['a"b', '"a\\"b"'],
    ['a\\b', '"a\\\\b"'],
    ['"\\"', '"\\"\\\\\\""'],
    ['a, b=c', '"a, b=c"'],
  ])('quotes the realm %j as %s (RFC 9110 §5.6.4)', (realm, quoted) => {
    expect(bearerChallenge({ realm, resourceMetadata: undefined }, 'credential_missing')).toBe(
      `Bearer realm=${quoted}`,
    );
  });

  describe('for a gate that accepts DPoP too', () => {
    const schemes = ['Bearer', 'DPoP'] as const;
    const context = { ...CONTEXT, schemes, algorithms: ['ES256', 'EdDSA'] };
    const { description } = BEARER_ERRORS.invalid_token;
    const error = `error="invalid_token", error_description="${description}"`;
    const algs = 'algs="ES256 EdDSA"';

    it('a 401 has a challenge of each scheme, and the presented one has the error', () => {
      expect(bearerChallenge(context, 'invalid_token')).toBe(`Bearer realm="api", ${error}, DPoP realm="api", ${algs}`);
      expect(bearerChallenge(context, 'invalid_token', undefined, { scheme: 'DPoP' })).toBe(
        `Bearer realm="api", DPoP realm="api", ${error}, ${algs}`,
      );
    });

    it('another status has only the challenge of the presented scheme', () => {
      const refused = bearerChallenge(context, 'insufficient_scope', ['a'], { scheme: 'DPoP' });
      expect(refused).toMatch(/^DPoP realm="api", error="insufficient_scope", .*, scope="a", algs="ES256 EdDSA"$/);
      expect(bearerChallenge(context, 'insufficient_scope', ['a'])).toMatch(/^Bearer [^D]*$/);
    });

    it('offers only the schemes that it is told, and the first has the error if the presented one is not offered', () => {
      expect(bearerChallenge(context, 'invalid_token', undefined, { schemes: ['DPoP'] })).toBe(
        `DPoP realm="api", ${error}, ${algs}`,
      );
    });

    it('names the error in the challenge of Bearer if no scheme is known', () => {
      expect(bearerChallenge({ ...CONTEXT, schemes: ['DPoP', 'Bearer'] }, 'invalid_token')).toMatch(
        /^DPoP realm="api", Bearer realm="api", error="invalid_token"/,
      );
    });

    it('names no algorithms if it knows none', () => {
      expect(bearerChallenge({ ...CONTEXT, schemes: ['DPoP'] }, 'credential_missing')).toBe('DPoP realm="api"');
    });
  });

  it('names the authentication that the user needs (RFC 9470 §3)', () => {
    const write = (authenticationContext: object) =>
      bearerChallenge(CONTEXT, 'insufficient_user_authentication', undefined, { authenticationContext });
    const { description } = BEARER_ERRORS.insufficient_user_authentication;
    const start = `Bearer realm="api", error="insufficient_user_authentication", error_description="${description}"`;
    expect(write({ acr: ['gold', 'silver'], maxAge: 0 })).toBe(`${start}, acr_values="gold silver", max_age="0"`);
    expect(write({ acr: ['gold'] })).toBe(`${start}, acr_values="gold"`);
    expect(write({})).toBe(start);
  });

  it('the scopes of a gate are named by each 401, and by no other response', () => {
    const plain = plainChallenges(CONTEXT, ['payments']);
    for (const code of CODES) {
      const isNamed = BEARER_ERRORS[code].status === 401;
      expect(scopesOf401(['payments'], code)).toEqual(isNamed ? ['payments'] : undefined);
      expect(scopesOf401([], code)).toBeUndefined();
      expect(plain[code]).toBe(bearerChallenge(CONTEXT, code, isNamed ? ['payments'] : undefined));
    }
    expect(plain.credential_missing).toBe('Bearer realm="api", scope="payments"');
  });

  law('writes printable ASCII that parses back into what it was given', () => {
    const printable = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((n) => String.fromCharCode(n)) });
    const scopes = fc.uniqueArray(fc.stringMatching(/^[\x21\x23-\x5B\x5D-\x7E]{1,9}$/), { maxLength: 4 });
    const context = fc.record({ realm: printable, resourceMetadata: fc.option(printable, { nil: undefined }) });
    return fc.property(
      context,
      fc.constantFrom(...CODES),
      fc.option(scopes, { nil: undefined }),
      ({ realm, resourceMetadata }, code, needed) => {
        const challenge = bearerChallenge({ realm, resourceMetadata }, code, needed);
        expect(challenge).toMatch(/^[\x20-\x7E]+$/);
        expect(parametersOf(challenge)).toEqual([
          ['realm', realm],
          ...(isOauthError(code)
            ? [
                ['error', code],
                ['error_description', BEARER_ERRORS[code].description],
              ]
            : []),
          ...(needed === undefined ? [] : [['scope', formatScope(needed)]]),
          ...(resourceMetadata === undefined ? [] : [['resource_metadata', resourceMetadata]]),
        ]);
      },
    );
  });
});

/** Parses a challenge by the grammar of RFC 9110 §11.6.1: auth-params of quoted-strings, to its very end. */
function parametersOf(challenge: string): readonly (readonly [string, string])[] {
  const parameters: (readonly [string, string])[] = [];
  let at = 'Bearer '.length;
  expect(challenge.slice(0, at)).toBe('Bearer ');
  const parameter = /([a-z_]+)="((?:[^"\\]|\\.)*)"(?:, (?=[a-z])|$)/y;
  while (at < challenge.length) {
    parameter.lastIndex = at;
    const [whole = '', name = '', quoted = ''] = parameter.exec(challenge) ?? [];
    if (whole === '') throw new Error(`no parameter at ${at} of ${challenge}`);
    parameters.push([name, quoted.replace(/\\(.)/g, '$1')]);
    at += whole.length;
  }
  return parameters;
}
