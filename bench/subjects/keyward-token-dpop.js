import { accessTokens, requireBearer, requireScopes } from 'keyward';
import { ORIGIN } from '../platform/proofs.js';
import { SCOPES } from '../platform/scopes.js';

export const title = 'keyward, a token, where DPoP is offered';

export function make({ issuer, audience, jwksUrl, capacity }) {
  const dpop = { origin: ORIGIN };
  const tokens = accessTokens({ issuer, audience, jwks: jwksUrl, cache: { max: capacity }, dpop });
  return [requireBearer({ accept: [tokens] }), requireScopes(SCOPES[0])];
}
