/** N12 and N13: claims that limit a token in a way that this verifier does not enforce. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AccessTokensOptions, accessTokens } from 'keyward';
import { T1 } from '../support/answers.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf, type Members } from '../support/token-forge.js';

const key = createKey('ES256');
const THUMBPRINT = '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I';
const PAYMENT = {
  type: 'payment_initiation',
  locations: [AUDIENCE],
  instructedAmount: { amount: '1', currency: 'EUR' },
};

const clock = createManualClock();
const verifierOf = (options: Partial<AccessTokensOptions> = {}) =>
  accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(key), clock, ...options });

const apis: TokenApi[] = [];
async function judge(claims: Members, options?: Partial<AccessTokensOptions>, typ = 'at+jwt') {
  const api = await serveTokenApi([verifierOf(options)]);
  apis.push(api);
  return api.judge(forge(key, claims, { typ }));
}

let unbound: TokenApi;
beforeEach(async () => {
  unbound = await serveTokenApi([verifierOf()]);
  apis.push(unbound);
});
afterEach(() => Promise.all(apis.splice(0).map((api) => api.close())));

describe('tokens that are bound to a key', () => {
  const confirmations: [string, unknown][] = [
    ['jkt', { jkt: THUMBPRINT }],
    ['x5t#S256', { 'x5t#S256': THUMBPRINT }],
    ['jkt and x5t#S256', { jkt: THUMBPRINT, 'x5t#S256': THUMBPRINT }],
    ['an unknown method', { 'urn:example:proof': 'x' }],
    ['kid', { kid: 'k1' }],
    ['jwk', { jwk: jwksOf(key).keys[0] }],
    ['no method', {}],
    ['a text', 'x'],
    ['null', null],
  ];

  it.each(confirmations)('N12 cnf with %s', async (_name, cnf) => {
    expect(await unbound.judge(forge(key, { cnf }))).toEqual(refusal(T1, 'token_cnf'));
  });

  it.each(confirmations)('N12 cnf with %s, of a foreign issuer', async (_name, cnf) => {
    expect(await judge({ cnf }, { profile: 'jwt' }, 'JWT')).toEqual(refusal(T1, 'token_cnf'));
  });

  it('N12 a token without cnf is accepted', async () => {
    expect(await unbound.judge(forge(key, { cnf: { jkt: THUMBPRINT } }))).toEqual(refusal(T1, 'token_cnf'));
    expect(await unbound.judge(forge(key))).toEqual(ACCEPTED);
  });
});

describe('tokens with authorization_details', () => {
  const details: [string, unknown][] = [
    ['one', [PAYMENT]],
    ['none', []],
    ['a text', JSON.stringify([PAYMENT])],
    ['null', null],
  ];

  it.each(details)('N13 %s', async (_name, value) => {
    const claims = { authorization_details: value };
    expect(await unbound.judge(forge(key, claims))).toEqual(refusal(T1, 'token_authorization_details'));
    expect(await judge(claims, { profile: 'jwt' }, 'JWT')).toEqual(refusal(T1, 'token_authorization_details'));
    expect(await judge(claims, { authorizationDetails: 'refuse' })).toEqual(refusal(T1, 'token_authorization_details'));
  });

  it.each(details)("N13 %s, with authorizationDetails: 'ignore'", async (_name, value) => {
    expect(await judge({ authorization_details: value }, { authorizationDetails: 'ignore' })).toEqual(ACCEPTED);
  });

  it("N13 'ignore' does not ignore cnf", async () => {
    const claims = { authorization_details: [PAYMENT], cnf: { jkt: THUMBPRINT } };
    expect(await judge(claims, { authorizationDetails: 'ignore' })).toEqual(refusal(T1, 'token_cnf'));
  });

  it.each([true, 'Ignore', '', null])('N13 authorizationDetails: %j throws', (value) => {
    expect(() => verifierOf({ authorizationDetails: value as 'ignore' })).toThrow(
      /^accessTokens: option "authorizationDetails" must be 'refuse' or 'ignore', got /,
    );
  });
});
