/** The issuer of a test kit: a key pair, and tokens signed by jose. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import type { Clock } from '../contracts/clock.js';

export interface TestIssuerOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
}

/** The content of a token that a test chooses. */
export interface TokenContent {
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Seconds until it expires; negative if it has expired. */
  readonly expiresIn: number;
  /** Claims that replace default claims or are added to them; `undefined` removes a claim. */
  readonly claims: Readonly<Record<string, unknown>>;
}

const ALG = 'ES256';
const LIFETIME = 3_600;
const KID = 'test';

export class TestIssuer {
  readonly #options: TestIssuerOptions;
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  constructor(options: TestIssuerOptions) {
    this.#options = options;
  }

  get jwks(): JSONWebKeySet {
    const jwk = this.#keys.publicKey.export({ format: 'jwk' });
    return { keys: [{ ...jwk, kty: 'EC', kid: KID, alg: ALG, use: 'sig' }] };
  }

  /** Signs a token in the shape of RFC 9068. */
  sign({ clientId, scopes, expiresIn, claims }: TokenContent): Promise<string> {
    const { issuer, audience, clock } = this.#options;
    const now = Math.floor(clock.now() / 1_000);
    const exp = now + expiresIn;
    const payload: JWTPayload = {
      iss: issuer,
      aud: audience,
      sub: clientId,
      client_id: clientId,
      iat: Math.min(now, exp - LIFETIME),
      exp,
      jti: randomUUID(),
      scope: scopes.join(' '),
      ...claims,
    };
    return new SignJWT(payload).setProtectedHeader({ alg: ALG, typ: 'at+jwt', kid: KID }).sign(this.#keys.privateKey);
  }
}
