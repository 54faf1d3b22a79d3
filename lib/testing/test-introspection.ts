/** Makes opaque tokens for tests, and a verifier that asks a simulated introspection endpoint about them (RFC 7662). */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../contracts/clock.js';
import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import type { ApiMap } from '../credentials/api-map.js';
import type { Environment } from '../credentials/environment.js';
import type { AccessPrincipal } from '../credentials/principal.js';
import type { JsonObject } from '../protocol/strict-json.js';
import type { DpopOptions } from '../tokens/dpop/dpop-options.js';
import { createIntrospectedTokens } from '../tokens/introspection/introspected-tokens.js';
import { readIntrospectedTokensOptions } from '../tokens/introspection/introspection-options.js';
import type { MtlsOptions } from '../tokens/mtls/mtls-options.js';
import { type OpaqueTokenTraits, readOpaqueTokenTraits } from './credential-traits.js';

/** The result of `kit.introspection()`. */
export interface TestIntrospection {
  /** The verifier of opaque tokens. It must be the last one in `requireBearer({ accept })`. */
  readonly verifier: CredentialVerifier<AccessPrincipal>;
  /** Creates an opaque token. It throws a TypeError for invalid traits. */
  token(traits?: OpaqueTokenTraits): string;
}

export interface TestIntrospectionOptions {
  readonly issuer: string;
  readonly audience: string;
  readonly environment: Environment;
  readonly apis: ApiMap | undefined;
  readonly clock: Clock;
  readonly dpop: DpopOptions | undefined;
  readonly mtls: MtlsOptions | undefined;
  /** Throws while the test simulates an outage with `kit.outage(true)`. */
  readonly assertReachable: () => void;
}

/** The result of `kit.introspection()`, with a method for `kit.revoke`. */
interface RevocableIntrospection extends TestIntrospection {
  /**
   * Revokes a token. Returns `false` if the token is unknown: it was not created here, is already revoked, or was
   * created with `revoked` or `foreign`.
   */
  revoke(token: string): boolean;
}

const INACTIVE = { active: false };

export function testIntrospection(options: TestIntrospectionOptions): RevocableIntrospection {
  const { issuer, audience, environment, apis, clock, dpop, mtls, assertReachable } = options;
  const responses = new Map<string, JsonObject>();
  const config = readIntrospectedTokensOptions({
    ...{ issuer, audience, environment, apis, clock, dpop, mtls },
    client: { id: 'test-kit', secret: 'unused' },
  });
  const verifier = createIntrospectedTokens(config, async (token) => {
    assertReachable();
    return { ...(responses.get(token) ?? INACTIVE) };
  });

  function token(traits: OpaqueTokenTraits = {}): string {
    const { scopes, clientId = randomName('ack'), expiresIn, claims, ...flags } = readOpaqueTokenTraits(traits);
    const now = Math.floor(clock.now() / 1_000);
    const text = randomName('opaque');
    const response = {
      ...{ active: true, iss: issuer, aud: audience, sub: clientId, client_id: clientId, scope: scopes.join(' ') },
      ...{ token_type: 'Bearer', iat: now, exp: now + (flags.expired ? -1 : expiresIn) },
      ...claims,
    };
    // Claims that are `undefined` must be absent. The conversion to JSON and back removes them.
    if (!flags.revoked && !flags.foreign) responses.set(text, JSON.parse(JSON.stringify(response)));
    return text;
  }

  function revoke(text: string): boolean {
    if (!responses.delete(text)) return false;
    verifier.invalidate('all');
    return true;
  }

  return Object.freeze({ verifier, token, revoke });
}

function randomName(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
