/** keyward with the credentials of a suite, and a given number of guards. */
import {
  accessTokens,
  apiKeys,
  requireApi,
  requireBearer,
  requireChannel,
  requireKeyKind,
  requireScopes,
} from 'keyward';
import { SCOPES } from '../platform/scopes.js';

/** A gate for tokens, and the guard that asks for the scope that the ideal asks for. */
export function tokenGate({ issuer, audience, jwksUrl, capacity }) {
  const tokens = accessTokens({ issuer, audience, jwks: jwksUrl, cache: { max: capacity } });
  return [requireBearer({ accept: [tokens] }), requireScopes(SCOPES[0])];
}

/** A gate for secret keys, and the same guard. */
export function keyGate({ resolveKey, capacity }) {
  // As long as with a store that reports its changes.
  const cache = { max: capacity, ttl: 3_600_000 };
  const keys = apiKeys({ resolver: resolveKey, kinds: ['secret'], environment: 'live', cache });
  return [requireBearer({ accept: [keys] }), requireScopes(SCOPES[0])];
}

/** Three guards more: by API, kind and channel. */
export const threeGuards = () => [
  requireApi('payments'),
  requireKeyKind('secret', 'access'),
  requireChannel(() => undefined),
];
