/** Where the keys of `accessTokens` come from: its option `jwks`, or the issuer's metadata. */
import type { Clock } from '../contracts/clock.js';
import type { Options } from '../options/options.js';
import { discoverJwksUri } from './issuer-metadata.js';
import { type KeySet, RemoteKeySet, staticKeySet } from './key-set.js';
import { secureUrl } from './secure-url.js';
import { holdsSymmetricKey, KeySetFault, readKeySet } from './verification-key.js';

const SECURE = 'an https URL (http to this machine only) without userinfo and fragment';

/** Makes the key set that the options ask for. Nothing is fetched before the first token. */
export function keySetOf(options: Options, issuer: string, clock: Clock): KeySet {
  const jwks = options.raw('jwks');
  if (jwks === undefined) {
    const url = secureUrl(issuer);
    if (url === undefined) throw options.mistake('issuer', `${SECURE}, or "jwks" must be given`);
    if (issuer.includes('?')) throw options.mistake('issuer', 'a URL without a query, or "jwks" must be given');
    return new RemoteKeySet({ issuer, clock, locate: (signal) => discoverJwksUri(url, issuer, signal) });
  }
  if (typeof jwks === 'string' || jwks instanceof URL) {
    const url = secureUrl(jwks);
    if (url === undefined) throw options.mistake('jwks', SECURE);
    return new RemoteKeySet({ issuer, clock, locate: async () => url });
  }
  return staticKeys(jwks);
}

function staticKeys(jwks: unknown): KeySet {
  try {
    if (holdsSymmetricKey(jwks)) throw new KeySetFault('a symmetric key');
    const keys = readKeySet(jwks);
    if (keys.length === 0) throw new KeySetFault('no usable key');
    return staticKeySet(keys);
  } catch (error) {
    if (!(error instanceof KeySetFault)) throw error;
    throw new TypeError(`accessTokens: option "jwks" holds ${error.message}`);
  }
}
