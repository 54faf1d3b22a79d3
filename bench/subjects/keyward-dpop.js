import { accessTokens, requireBearer, requireScopes } from 'keyward';
import { ORIGIN, presentProof } from '../platform/proofs.js';
import { SCOPES } from '../platform/scopes.js';

export const title = 'keyward, a token with a proof';

export function make({ issuer, audience, jwksUrl, capacity }) {
  const dpop = { origin: ORIGIN, required: true, algorithms: ['ES256'], maxAge: 300 };
  const tokens = accessTokens({ issuer, audience, jwks: jwksUrl, cache: { max: capacity }, dpop });
  return [presentProof, requireBearer({ accept: [tokens] }), requireScopes(SCOPES[0])];
}
