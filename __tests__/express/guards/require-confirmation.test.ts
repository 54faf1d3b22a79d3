import { describe, expect, it } from '@jest/globals';
import {
  type AccessPrincipal,
  accessTokens,
  type ConfirmationMethod,
  type Decision,
  type Principal,
  requireBearer,
  requireConfirmation,
} from 'keyward';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { provenMethods } from '../../../lib/express/guards/require-confirmation.js';
import { ALGS } from '../../support/dpop-api.js';
import { ORIGIN } from '../../support/dpop-client.js';
import { eavesdrop } from '../../support/eavesdrop.js';
import { judgement } from '../../support/guarded.js';
import { bearing, pass } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf, NOW } from '../../support/token-forge.js';

const tokenOf = (confirmation: AccessPrincipal['confirmation'], cnf: object = {}) =>
  tokenPrincipal({ confirmation, payload: { cnf } });

const [dpop, mtls] = [tokenOf('dpop', { jkt: 'x' }), tokenOf('mtls', { 'x5t#S256': 'x' })];
const both = tokenOf('dpop', { jkt: 'x', 'x5t#S256': 'x' });

describe('requireConfirmation', () => {
  it.each<[string, ConfirmationMethod[], Principal, boolean]>([
    ['a proof, where it is required', ['dpop'], dpop, true],
    ['a certificate, where a proof is required', ['dpop'], mtls, false],
    ['both, where a proof is required', ['dpop'], both, true],
    ['a proof, where a certificate is required', ['mtls'], dpop, false],
    ['a certificate, where it is required', ['mtls'], mtls, true],
    ['both, where a certificate is required', ['mtls'], both, true],
    ['a proof, where one of both is required', ['dpop', 'mtls'], dpop, true],
    ['a certificate, where one of both is required', ['dpop', 'mtls'], mtls, true],
    ['a Bearer token', ['dpop', 'mtls'], tokenPrincipal(), false],
    ['a key', ['dpop', 'mtls'], keyPrincipal(), false],
  ])('%s', (_name, methods, principal, passes) => {
    const verdict = requireConfirmation(...methods).check(principal, bearing('abc'));
    expect(verdict).toEqual(passes || { confirmation: methods, reason: 'confirmation' });
    expect(Object.isFrozen(verdict)).toBe(true);
  });

  it('believes no confirmation of a polluted Object.prototype', () => {
    Object.defineProperty(Object.prototype, 'confirmation', { value: 'mtls', configurable: true });
    try {
      expect(requireConfirmation('mtls').check(keyPrincipal(), bearing('abc'))).not.toBe(true);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'confirmation');
    }
  });

  it('refuses with 401, and says why in the event', async () => {
    const events = eavesdrop();
    const code = await judgement(requireConfirmation('dpop'), mtls);
    events.stop();
    expect(code).toBe('invalid_token');
    expect(events.heard<Decision>('keyward:decision').at(-1)).toMatchObject({
      ...{ by: 'requireConfirmation(dpop)', code: 'invalid_token', reason: 'confirmation' },
    });
  });

  it.each<[ConfirmationMethod[], readonly ('Bearer' | 'DPoP')[]]>([
    [['dpop'], ['DPoP']],
    [['mtls'], ['Bearer']],
    [
      ['dpop', 'mtls'],
      ['Bearer', 'DPoP'],
    ],
    [
      ['mtls', 'dpop'],
      ['Bearer', 'DPoP'],
    ],
  ])('%j: the challenge has the schemes %j', async (methods, schemes) => {
    const key = createKey('ES256');
    const tokens = accessTokens({
      ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), dpop: { origin: ORIGIN } },
      clock: { now: () => NOW * 1_000, monotonic: () => 0 },
    });
    const { res } = await pass(
      bearing(forge(key)),
      requireBearer({ accept: [tokens] }),
      requireConfirmation(...methods),
    );
    const refused = 'error="invalid_token", error_description="The credential is invalid, expired or revoked"';
    const challenges = {
      Bearer: `Bearer realm="api", ${refused}`,
      DPoP: `DPoP realm="api", ${schemes.includes('Bearer') ? '' : `${refused}, `}algs="${ALGS}"`,
    };
    expect(res.getHeader('www-authenticate')).toBe(schemes.map((scheme) => challenges[scheme]).join(', '));
  });

  it.each<[ConfirmationMethod[], string, boolean]>([
    [['dpop'], 'requireConfirmation(dpop)', false],
    [['mtls'], 'requireConfirmation(mtls)', true],
    [['dpop', 'mtls'], 'requireConfirmation(dpop, mtls)', false],
  ])('%j: has metadata for the audit', (methods, name, mutualTls) => {
    expect(guardMetadataOf(requireConfirmation(...methods))).toEqual({
      ...{ name, kinds: ['access'], scopes: undefined, mutualTls },
    });
  });

  it.each<[string, unknown[], string]>([
    ['no method', [], 'expected one or more values'],
    ['an unknown method', ['bearer'], "each value must be 'dpop' or 'mtls', got an invalid string"],
    ['a list', [['dpop']], "each value must be 'dpop' or 'mtls', got an array; do not wrap the values in an array"],
  ])('throws for %s', (_name, methods, message) => {
    const make = () => requireConfirmation(...(methods as ConfirmationMethod[]));
    expect(make).toThrow(new TypeError(`requireConfirmation: ${message}`));
  });
});

describe('the proven methods', () => {
  it.each<[string, Principal, readonly string[]]>([
    ['none of a key', keyPrincipal(), []],
    ['none of a Bearer token', tokenPrincipal(), []],
    ['none of a Bearer token with cnf', tokenOf(undefined, { 'x5t#S256': 'x' }), []],
    ['a proof', dpop, ['dpop']],
    ['a certificate', mtls, ['mtls']],
    ['both', both, ['dpop', 'mtls']],
    ['a proof of a token without cnf', tokenPrincipal({ confirmation: 'dpop', payload: {} }), ['dpop']],
    ['a proof, without a payload', { ...keyPrincipal(), confirmation: 'dpop' } as unknown as Principal, ['dpop']],
  ])('%s', (_name, principal, methods) => {
    expect(provenMethods(principal)).toStrictEqual(methods);
  });
});
