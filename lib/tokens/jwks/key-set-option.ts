/** Makes the key set of `accessTokens`: from its option `jwks`, or from the metadata of the issuer. */
import type { Clock } from '../../contracts/clock.js';
import { SECURE_PLAIN_URL, secureUrl } from '../../http/secure-url.js';
import { urlFromIssuerMetadata } from '../../http/url-from-issuer-metadata.js';
import type { Options } from '../../options/options.js';
import { FETCH_TIMEOUT, type KeySet, RemoteKeySet, staticKeySet } from './key-set.js';
import { holdsSymmetricKey, KeySetError, readKeySet } from './verification-key.js';

const ANY_ISSUER = 'to use any other string, also set the option "jwks"';

/** Makes the key set for the options. Nothing is fetched before the first token arrives. */
export function keySetOf(options: Options, issuer: string, clock: Clock): KeySet {
  const jwks = options.raw('jwks');
  const allowHttp = options.flag('allowHttp', false);
  if (jwks === undefined) {
    const url = secureUrl(issuer, allowHttp);
    if (url === undefined) throw options.wrongText('issuer', SECURE_PLAIN_URL, ANY_ISSUER);
    if (issuer.includes('?')) throw options.wrongText('issuer', 'a URL without a query', ANY_ISSUER);
    const metadata = { url, issuer, allowHttp, firstTimeout: FETCH_TIMEOUT / 2 };
    return new RemoteKeySet({ issuer, clock, locate: (signal) => urlFromIssuerMetadata(metadata, 'jwks_uri', signal) });
  }
  if (typeof jwks === 'string' || jwks instanceof URL) {
    const url = secureUrl(jwks, allowHttp);
    if (url === undefined) throw options.wrongText('jwks', SECURE_PLAIN_URL);
    return new RemoteKeySet({ issuer, clock, locate: async () => url });
  }
  return staticKeys(jwks);
}

function staticKeys(jwks: unknown): KeySet {
  try {
    if (holdsSymmetricKey(jwks))
      throw new KeySetError('the key set contains a symmetric key; it may contain only public keys');
    const keys = readKeySet(jwks);
    if (keys.length === 0)
      throw new KeySetError(
        'the key set has no key that can verify signatures; add a public RSA key of at least 2048 bits, an EC key or an Ed25519 key',
      );
    return staticKeySet(keys);
  } catch (error) {
    if (!(error instanceof KeySetError)) throw error;
    throw new TypeError(`accessTokens: option "jwks" is invalid: ${error.message}`);
  }
}
