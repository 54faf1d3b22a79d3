/** Creates DPoP proofs (RFC 9449 §4) for the requests of a token client, and stores the last nonce of each server. */
import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { signJwt } from '../http/client-private-key.js';

/** The request for which a proof is made. */
export interface ProofTarget {
  readonly method: string;
  readonly url: URL;
  /** The access token of the request; `undefined` at the token endpoint. */
  readonly token?: string | undefined;
}

const ALGORITHM = 'ES256';
/** Maximum number of servers for which the last nonce is stored. */
const MAX_SERVERS = 100;

/** Creates the proofs of one token client, with a key pair of its own. The private key never leaves this process. */
export class DpopProofs {
  readonly #now: () => number;
  readonly #key: KeyObject;
  readonly #jwk: object;
  /** The last nonce of each server, by `serverOf`. If there are too many servers, the oldest nonce is dropped. */
  readonly #nonces = new Map<string, string>();

  constructor(now: () => number) {
    this.#now = now;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  }

  proofFor(target: ProofTarget): Promise<string> {
    const { method, url, token } = target;
    const nonce = this.#nonces.get(serverOf(target));
    const ath = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url');
    const payload = {
      jti: randomUUID(),
      htm: method,
      htu: `${url.origin}${url.pathname}`,
      iat: Math.floor(this.#now() / 1_000),
      ath,
      nonce,
    };
    return signJwt({ key: this.#key, alg: ALGORITHM }, { typ: 'dpop+jwt', jwk: this.#jwk }, payload);
  }

  /** Stores the nonce of a response for the next proof. Every response may have a new nonce (RFC 9449 §8.2). */
  keepNonce(target: Pick<ProofTarget, 'url' | 'token'>, { headers }: Response): void {
    const nonce = headers.get('dpop-nonce');
    if (nonce === null) return;
    const server = serverOf(target);
    this.#nonces.delete(server);
    this.#nonces.set(server, nonce);
    const [oldest] = this.#nonces.keys();
    if (this.#nonces.size > MAX_SERVERS && oldest !== undefined) this.#nonces.delete(oldest);
  }
}

/** The nonces of an API and of an issuer must not be confused, also if both have the same origin (RFC 9449 §9). */
function serverOf({ url, token }: Pick<ProofTarget, 'url' | 'token'>): string {
  return `${token === undefined ? 'issuer' : 'api'} ${url.origin}`;
}
