/**
 * Makes a test client with a key pair, which signs DPoP proofs (RFC 9449), and tokens that are bound to the key pair.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { Clock } from '../contracts/clock.js';
import { type DpopOptions, readDpopOptions } from '../tokens/dpop/dpop-options.js';
import { type ProofTraits, readProofTraits, type TokenTraits } from './credential-traits.js';
import { type TestAlgorithm, TestKeyPair } from './test-client-key-pair.js';

/** The result of `kit.dpop()`. */
export interface TestDpopClient {
  /** The claim `cnf` of tokens that are bound to the key pair. */
  readonly confirmation: { readonly jkt: string };
  /** Signs an access token that is bound to the key pair. It rejects with a TypeError for invalid traits. */
  token(traits?: TokenTraits): Promise<string>;
  /** Signs a proof for one request. It rejects with a TypeError for invalid traits. */
  proof(traits: ProofTraits): Promise<string>;
}

export interface TestDpopClientOptions {
  /** The option `dpop` of the kit. */
  readonly dpop: DpopOptions | undefined;
  readonly clock: Clock;
  readonly accessToken: (traits: TokenTraits) => Promise<string>;
}

/** The age of an expired proof in seconds. It is larger than any allowed value of the option `maxAge`. */
const TOO_OLD = 301;

export function testDpopClient({ dpop, clock, accessToken }: TestDpopClientOptions): TestDpopClient {
  if (dpop === undefined) throw new TypeError('kit.dpop: set the option "dpop" of createTestKit first');
  const [algorithm] = readDpopOptions('createTestKit', dpop, clock).algorithms as [TestAlgorithm];
  const [origin = ''] = [dpop.origin].flat();
  const keys = new TestKeyPair(algorithm);
  const otherKeys = new TestKeyPair(algorithm);
  const confirmation = Object.freeze({ jkt: keys.thumbprint });

  async function proof(given: ProofTraits): Promise<string> {
    const { method, url, token, nonce, expired, foreign, forged, claims } = readProofTraits(given);
    const target = new URL(url, origin);
    const named = foreign ? otherKeys : keys;
    // A forged proof names one key pair in its header, and is signed by the other key pair.
    const signer = forged === foreign ? keys : otherKeys;
    const payload = {
      ...{ jti: randomUUID(), htm: method, htu: `${target.origin}${target.pathname}` },
      iat: Math.floor(clock.now() / 1_000) - (expired ? TOO_OLD : 0),
      ath: token && createHash('sha256').update(token).digest('base64url'),
      nonce,
      ...claims,
    };
    return signer.sign({ typ: 'dpop+jwt', jwk: named.publicJwk }, payload);
  }

  return Object.freeze({
    confirmation,
    token: (traits: TokenTraits = {}) => accessToken({ ...traits, claims: { cnf: confirmation, ...traits.claims } }),
    proof,
  });
}
