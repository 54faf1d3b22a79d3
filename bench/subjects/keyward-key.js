import { apiKeys, requireBearer, requireScopes } from 'keyward';
import { SCOPES } from '../platform/scopes.js';

export const title = 'keyward, a key';

/** A gate for secret keys, and the guard that asks for the scope that the ideal asks for. */
export function make({ resolveKey, capacity }) {
  // As long as with a store that reports its changes.
  const cache = { max: capacity, ttl: 3_600_000 };
  const keys = apiKeys({ resolver: resolveKey, kinds: ['secret'], environment: 'live', cache });
  return [requireBearer({ accept: [keys] }), requireScopes(SCOPES[0])];
}
