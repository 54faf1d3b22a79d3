/**
 * Makes a test client that authenticates with `private_key_jwt` (RFC 7523): its key pair, and the assertions that it
 * signs.
 */
import { randomUUID } from 'node:crypto';
import type { JWK } from 'jose';
import type { Clock } from '../contracts/clock.js';
import type { PublicJwk } from '../credentials/records/public-jwk.js';
import { type OptionTable, oneOf, readTable, text, withDefault } from '../options/option-table.js';
import { type AssertionTraits, readAssertionTraits } from './credential-traits.js';
import { TestKeyPair } from './test-client-key-pair.js';

/** Options of `kit.assertion`. */
export interface TestAssertionOptions {
  /** The client ID. Default: a new client ID for each call. */
  readonly clientId?: string | undefined;
  /** The signature algorithm: `'ES256'` (the default), `'RS256'` or `'EdDSA'`. */
  readonly algorithm?: 'ES256' | 'RS256' | 'EdDSA' | undefined;
}

/** The result of `kit.assertion()`. */
export interface TestAssertions {
  readonly clientId: string;
  /** The value for `publicKeys` in the record of the client's access key. */
  readonly publicKeys: readonly PublicJwk[];
  /** The value for the option `privateKey` of `tokenClient`. */
  readonly privateKey: JWK;
  /** Signs an assertion. It rejects with a TypeError for invalid traits. */
  sign(traits: AssertionTraits): Promise<string>;
}

const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;

export function testAssertions(given: TestAssertionOptions, defaultId: string, clock: Clock): TestAssertions {
  const { clientId, algorithm } = readTable('assertion', given, {
    clientId: withDefault(text, defaultId),
    algorithm: withDefault(oneOf(ALGORITHMS), 'ES256'),
  } satisfies OptionTable<TestAssertionOptions>);
  const keys = new TestKeyPair(algorithm);
  const otherKeys = new TestKeyPair(algorithm);
  const kid = keys.thumbprint;

  async function sign(traits: AssertionTraits): Promise<string> {
    const { audience, expiresIn, expired, foreign, claims } = readAssertionTraits(traits);
    const now = Math.floor(clock.now() / 1_000);
    const exp = now + (expired ? -1 : expiresIn);
    const payload = {
      ...{ iss: clientId, sub: clientId, aud: audience as string, jti: randomUUID() },
      ...{ iat: Math.min(now, exp - 1), exp },
      ...claims,
    };
    return (foreign ? otherKeys : keys).sign({ kid }, payload);
  }

  return Object.freeze({
    clientId,
    publicKeys: Object.freeze([Object.freeze({ ...keys.publicJwk, kid, alg: algorithm })]),
    privateKey: Object.freeze({ ...keys.privateJwk, kid, alg: algorithm }) as JWK,
    sign,
  });
}
