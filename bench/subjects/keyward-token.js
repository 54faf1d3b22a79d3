import { accessTokens, requireBearer, requireScopes } from 'keyward';
import { SCOPES } from '../platform/scopes.js';

export const title = 'keyward, a token';

/** A gate for tokens, and the guard that asks for the scope that the ideal asks for. */
export function make({ issuer, audience, jwksUrl, capacity }) {
  const tokens = accessTokens({ issuer, audience, jwks: jwksUrl, cache: { max: capacity } });
  return [requireBearer({ accept: [tokens] }), requireScopes(SCOPES[0])];
}
