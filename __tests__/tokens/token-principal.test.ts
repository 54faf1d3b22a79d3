import { describe, expect, it } from '@jest/globals';
import { apiMap } from 'keyward';
import { scopePrefixes } from '../../lib/credentials/api-map.js';
import { readAccessKeyRecord } from '../../lib/credentials/records/key-records.js';
import { sharedTokenFacts, tokenPrincipal } from '../../lib/tokens/token-principal.js';
import { ACCESS_KEY } from '../support/access-key-store.js';
import { AUDIENCE, claimsOf, ISSUER } from '../support/token-forge.js';

const context = { apis: scopePrefixes, environment: undefined, shared: sharedTokenFacts() };
const CLAIMS = {
  ...{ clientId: 'shop', scopes: ['payments'], expiresAt: 1, issuedAt: 0 },
  ...{ tokenId: undefined, tokensNotBefore: undefined, boundKeys: undefined },
};

const payloadOf = (payload: Record<string, unknown>, shared = context.shared) =>
  tokenPrincipal({ header: {}, payload }, CLAIMS, undefined, { ...context, shared }).payload;

it.each<[string, object]>([
  ['of RFC 9068', {}],
  ['without a scope', { scope: undefined }],
  ['whose scopes are a list', { scope: ['payments', 'disputes'] }],
  ['for several audiences', { aud: [AUDIENCE, 'https://another.test'] }],
  ['of a client that acts for itself', { sub: 'shop', client_id: 'shop' }],
  ['of a client that acts for a user', { sub: 'user', client_id: 'shop' }],
  ['that names neither', { sub: undefined, client_id: undefined, azp: 'shop' }],
  ['with a claim that has no name', { '': 'shop', sub: 'user', client_id: 'shop' }],
])('the principal has exactly the claims of a token %s', (_what, changes) => {
  const text = JSON.stringify({ ...claimsOf(), ...changes });
  for (const _again of [1, 2]) expect(payloadOf(JSON.parse(text))).toStrictEqual(JSON.parse(text));
});

it('the texts of iss, aud and scope are stored once for all tokens', () => {
  const shared = sharedTokenFacts();
  for (const jti of ['a', 'b']) payloadOf({ ...claimsOf(), jti }, shared);
  payloadOf({ ...claimsOf(), aud: [AUDIENCE], scope: ['payments'] }, shared);
  expect([...shared.texts.keys()]).toEqual([ISSUER, AUDIENCE, 'payments']);
});

it('claims that are frozen already are used as they are', () => {
  const payload = Object.freeze(claimsOf());
  expect(payloadOf(payload)).toBe(payload);
});

describe('listed scopes', () => {
  const map = { files: ['files:read', 'files:write'] };
  const apis = apiMap(map, { implies: { 'files:write': ['files:read'] } });
  const [write, read] = ['files:write', 'files:read'];
  const both = [write, read];
  const grantOf = (scopes: readonly string[], assigned?: readonly string[], shared = sharedTokenFacts()) => {
    const accessKey = assigned && readAccessKeyRecord({ ...ACCESS_KEY, scopes: assigned, defaultScopes: [] });
    const principal = tokenPrincipal({ header: {}, payload: {} }, { ...CLAIMS, scopes }, accessKey, {
      ...{ apis, environment: undefined, shared },
    });
    return { scopes: principal.scopes, ...('listedScopes' in principal && { listedScopes: principal.listedScopes }) };
  };

  it.each<[string, readonly string[], readonly string[] | undefined, object]>([
    ['the token implies a scope', [write], undefined, { scopes: both, listedScopes: [write] }],
    ['the token lists every scope', both, undefined, { scopes: both }],
    ['the token lists every scope, the implied one first', [read, write], undefined, { scopes: [read, write] }],
    ['the access key implies a scope', both, [write], { scopes: both, listedScopes: [write] }],
    ['the token and the access key list every scope', both, both, { scopes: both }],
    ['only the access key lists a scope', [write], both, { scopes: both, listedScopes: [write] }],
    ['no scope is listed by both', [write], [read], { scopes: [read], listedScopes: [] }],
  ])('%s', (_name, scopes, assigned, expected) => {
    expect(grantOf(scopes, assigned)).toEqual(expected);
  });

  it('are not shared by tokens that have the same scopes, but list others', () => {
    const shared = sharedTokenFacts();
    expect([[write], both, [write]].map((scopes) => grantOf(scopes, undefined, shared))).toEqual([
      { scopes: both, listedScopes: [write] },
      { scopes: both },
      { scopes: both, listedScopes: [write] },
    ]);
  });
});

describe('the fields of the access key', () => {
  const optional = {
    metadata: { team: 'shop' },
    allowedAddresses: ['203.0.113.7'],
    limits: [{ requests: 10, seconds: 60 }],
  };
  const fieldsOf = (record?: object) => {
    const accessKey = record && readAccessKeyRecord({ ...ACCESS_KEY, ...record });
    return tokenPrincipal({ header: {}, payload: {} }, CLAIMS, accessKey, context);
  };
  const names = ['metadata', 'allowedAddresses', 'limits', 'listedScopes', 'confirmation'];

  it('are on the principal', () => {
    expect(fieldsOf(optional)).toMatchObject(optional);
  });

  it.each([
    ['without an access key', undefined],
    ['of an access key without them', {}],
  ])('take no memory on a principal %s', (_name, record) => {
    expect(Object.keys(fieldsOf(record)).filter((name) => names.includes(name))).toEqual([]);
  });
});
