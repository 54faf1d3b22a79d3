import { expect, it } from '@jest/globals';
import { scopePrefixes } from '../../lib/credentials/api-map.js';
import { sharedTokenFacts, tokenPrincipal } from '../../lib/tokens/token-principal.js';
import { AUDIENCE, claimsOf } from '../support/token-forge.js';

const context = { apis: scopePrefixes, environment: undefined, shared: sharedTokenFacts() };

const payloadOf = (payload: Record<string, unknown>) => {
  const facts = {
    clientId: 'shop',
    scopes: ['payments'],
    expiresAt: 1,
    issuedAt: 0,
    tokenId: undefined,
    tokensNotBefore: undefined,
    boundKeys: undefined,
  };
  const jws = { compact: '', header: {}, payload, signature: Buffer.of() };
  return tokenPrincipal(jws, facts, undefined, context).payload;
};

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
