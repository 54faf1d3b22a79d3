/**
 * Makes credentials for the tests of an app, and the real verifiers that accept them. Keys and records are in memory,
 * so the tests need neither a network nor a database.
 */
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { apiKeys } from '../api-keys/api-keys.js';
import type { Invalidatable } from '../contracts/change-feed.js';
import type { CredentialVerifier } from '../contracts/credential-verifier.js';
import { KEY_KINDS, type KeyKind } from '../credentials/credential-kind.js';
import type { Environment } from '../credentials/environment.js';
import { mintKey } from '../credentials/keyward-format.js';
import type { AccessPrincipal, KeyPrincipal } from '../credentials/principal.js';
import {
  type AccessKeyRecord,
  type KeyRecord,
  readAccessKeyRecord,
  readKeyRecord,
} from '../credentials/records/key-records.js';
import { RecordError } from '../credentials/records/record-error.js';
import { namesOf } from '../options/options.js';
import { accessTokens } from '../tokens/access-tokens.js';
import {
  type CredentialTraits,
  type KeyTraits,
  readKeyTraits,
  readTokenTraits,
  type TokenTraits,
} from './credential-traits.js';
import { type TestAssertionOptions, type TestAssertions, testAssertions } from './test-client-assertions.js';
import type { TestClock } from './test-clock.js';
import { type TestDpopClient, testDpopClient } from './test-dpop-client.js';
import { type TestIntrospection, testIntrospection } from './test-introspection.js';
import { TestIssuer } from './test-issuer.js';
import { readTestKitOptions, type TestKitOptions } from './test-kit-options.js';
import { type TestCertificate, testCertificate } from './test-mtls-client.js';
import { TestStore } from './test-store.js';

/** The result of `createTestKit`. */
export interface TestKit {
  /** The verifiers of access tokens, secret keys and public keys, for `requireBearer({ accept })`. */
  readonly accept: readonly CredentialVerifier<AccessPrincipal<string> | KeyPrincipal>[];
  /** Only the verifier of access tokens. It has the type of `accessTokens` with `accessKeys`. */
  readonly tokens: CredentialVerifier<AccessPrincipal<string>> & Invalidatable;
  /** Only the verifier of keys of the given kinds. It has the type of `apiKeys` with these kinds. */
  keys<K extends KeyKind>(...kinds: readonly K[]): CredentialVerifier<KeyPrincipal<K>> & Invalidatable;
  /** The clock of all verifiers. It does not run: use `clock.advance(milliseconds)`. */
  readonly clock: TestClock;
  readonly issuer: string;
  readonly audience: string;
  /** Signs an access token. It rejects with a TypeError for invalid traits. */
  accessToken(traits?: TokenTraits): Promise<string>;
  /** Creates a secret key. It throws a TypeError for invalid traits. */
  secretKey(traits?: KeyTraits): string;
  /** Creates a public key. It throws a TypeError for invalid traits. */
  publicKey(traits?: KeyTraits): string;
  /**
   * Returns a verifier of opaque tokens (RFC 7662), and a function that creates such tokens. The introspection endpoint
   * is simulated, without a network.
   */
  introspection(): TestIntrospection;
  /**
   * Creates a client with a new key pair. The client makes access tokens that are bound to the key pair, and DPoP
   * proofs (RFC 9449). The method throws a TypeError without the option `dpop` of the kit.
   *
   * ```ts
   * const sender = kit.dpop();
   * const token = await sender.token({ scopes: ['payments'] });
   * const proof = await sender.proof({ method: 'POST', url: '/payments', token });
   * await request(app).post('/payments').set('Authorization', `DPoP ${token}`).set('DPoP', proof).expect(201);
   * ```
   */
  dpop(): TestDpopClient;
  /**
   * Creates a client with a new self-signed certificate. The client makes access tokens that are bound to the
   * certificate (RFC 8705). The method throws a TypeError without the option `mtls` of the kit.
   *
   * ```ts
   * const client = kit.certificate();
   * const token = await client.token({ scopes: ['payments'] });
   * await request(app).post('/payments').auth(token, { type: 'bearer' }).set('Client-Cert', client.field).expect(201);
   * ```
   */
  certificate(): TestCertificate;
  /**
   * Creates a client that authenticates with `private_key_jwt` (RFC 7523). The client signs assertions for a token
   * endpoint. Store its `publicKeys` in the record of its access key. The method throws a TypeError for invalid
   * options.
   */
  assertion(options?: TestAssertionOptions): TestAssertions;
  /**
   * Revokes a credential that this kit created, so that the next request with it is refused. For a JWT, its access key
   * is revoked, and so all tokens with the same client ID. The method throws a TypeError if the kit does not know the
   * credential.
   */
  revoke(credential: string): void;
  /**
   * Simulates an outage of the store and of the introspection endpoint (`true`), or ends it (`false`). During an
   * outage, requests get 503. But credentials that are already cached are accepted until 30 seconds after their last
   * lookup, opaque tokens until 5 seconds after it. Advance the clock to let them expire.
   */
  outage(on: boolean): void;
}

const ISSUER = 'https://issuer.keyward.test';

/**
 * Creates credentials for the tests of an app, and verifiers that accept them. Pass these verifiers to the app instead
 * of its real verifiers.
 *
 * @throws TypeError for an option that is unknown or of the wrong type.
 * @example
 * ```ts
 * import express from 'express';
 * import { requireBearer } from 'keyward';
 * import { createTestKit } from 'keyward/testing';
 * import request from 'supertest';
 *
 * const kit = createTestKit();
 * const app = express();
 * app.use(requireBearer({ accept: [kit.tokens, kit.keys('secret')] }), (_req, res) => void res.sendStatus(204));
 * const get = (credential: string) => request(app).get('/').set('Authorization', `Bearer ${credential}`);
 * await get(kit.secretKey()).expect(204);
 * await get(kit.secretKey({ revoked: true })).expect(401);
 * ```
 */
export function createTestKit(options: TestKitOptions = {}): TestKit {
  const { environment, audience, apis, clock, dpop, mtls } = readTestKitOptions(options);
  const store = new TestStore();
  const issuer = new TestIssuer({ issuer: ISSUER, audience, clock });
  const otherKeyIssuer = new TestIssuer({ issuer: ISSUER, audience, clock });
  const otherIssuer = new TestIssuer({ issuer: `${ISSUER}/other`, audience, clock });
  const otherEnvironment: Environment = environment === 'live' ? 'sandbox' : 'live';

  const tokens = accessTokens({
    ...{ issuer: ISSUER, audience, jwks: issuer.jwks, environment, apis, clock, dpop, mtls },
    accessKeys: store,
  });
  const verifiers = new Map<string, ReturnType<typeof apiKeys>>();

  const opaque = testIntrospection({
    ...{ issuer: ISSUER, audience, environment, apis, clock, dpop, mtls },
    assertReachable: () => store.assertReachable(),
  });

  function keys<K extends KeyKind>(...kinds: readonly K[]) {
    const name = namesOf('keys', kinds, KEY_KINDS).join();
    const known = verifiers.get(name);
    const verifier = known ?? apiKeys({ resolver: store.resolveKey, kinds, environment, apis, clock });
    verifiers.set(name, verifier);
    return verifier as CredentialVerifier<KeyPrincipal<K>> & Invalidatable;
  }

  function mint(kind: KeyKind, given: KeyTraits): string {
    const { apis = kind === 'secret' ? 'all' : [], scopes, expiresAt, ...traits } = readKeyTraits(kind, given);
    const place = traits.otherEnvironment ? otherEnvironment : environment;
    const common = recordOf(traits);
    const record: KeyRecord = {
      ...common,
      ...{ id: identifier('key'), kind, environment: place, apis, scopes },
      expiresAt: traits.expired ? common.expiresAt : expiresAt,
    };
    assertValid(`${kind}Key`, () => readKeyRecord(record));
    const key = mintKey(kind, place);
    if (!traits.foreign) store.addKey(key, record);
    return key;
  }

  async function accessToken(given: TokenTraits = {}): Promise<string> {
    const { scopes, clientId = identifier('ack'), expiresIn, claims, ...traits } = readTokenTraits(given);
    const record: AccessKeyRecord = {
      ...recordOf({ ...traits, expired: false }),
      ...{ id: clientId, environment, secrets: [], scopes, defaultScopes: scopes },
    };
    assertValid('accessToken', () => readAccessKeyRecord(record));
    const granted = { clientId, scopes, expiresIn: traits.expired ? -1 : expiresIn, claims };
    if (traits.foreign) return otherKeyIssuer.sign(granted);
    if (traits.otherEnvironment) return otherIssuer.sign(granted);
    const stored = store.accessKey(clientId);
    // The access key also has the scopes of earlier tokens with this client ID, because these tokens would lose them
    // otherwise. A revocation is final.
    store.addAccessKey({
      ...record,
      scopes: [...new Set([...(stored?.scopes ?? []), ...scopes])],
      revokedAt: stored?.revokedAt ?? record.revokedAt,
    });
    tokens.invalidate({ accessKey: clientId });
    return issuer.sign(granted);
  }

  function recordOf({ account = 'acc_test', expired, revoked, ...traits }: CredentialTraits) {
    const { channels, platform, metadata, allowedAddresses, limits, disabled } = traits;
    const past = new Date(clock.now() - 1);
    const [expiresAt, revokedAt] = [expired ? past : undefined, revoked ? past : undefined];
    return { account, channels, platform, metadata, allowedAddresses, limits, disabled, expiresAt, revokedAt };
  }

  function revoke(credential: string): void {
    if (opaque.revoke(credential)) return;
    const now = new Date(clock.now());
    const key = store.revokeKey(credential, now);
    if (key !== undefined) {
      for (const verifier of verifiers.values()) verifier.invalidate({ key: key.id });
      return;
    }
    const id = clientOf(credential);
    if (id === undefined || store.revokeAccessKey(id, now) === undefined) {
      throw new TypeError('kit.revoke: the credential was not issued by this test kit');
    }
    tokens.invalidate({ accessKey: id });
  }

  return Object.freeze({
    ...{ accept: Object.freeze([tokens, keys('secret', 'public')]), tokens, keys, clock },
    ...{ issuer: ISSUER, audience, accessToken, revoke },
    introspection: () => opaque,
    dpop: () => testDpopClient({ dpop, clock, accessToken }),
    certificate: () => testCertificate(mtls, accessToken),
    assertion: (given: TestAssertionOptions = {}) => testAssertions(given, identifier('ack'), clock),
    secretKey: (traits: KeyTraits = {}) => mint('secret', traits),
    publicKey: (traits: KeyTraits = {}) => mint('public', traits),
    outage: (on: boolean) => store.setReachable(!on),
  });
}

/**
 * Throws a TypeError if a verifier would reject the record as invalid. Without this check, a mistake in a test would
 * cause only a 503 when the credential is used.
 */
function assertValid(factory: string, read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (error instanceof RecordError) throw new TypeError(`${factory}: ${error.message}`);
    throw error;
  }
}

function clientOf(token: string): string | undefined {
  try {
    return decodeJwt<{ client_id?: string }>(token).client_id;
  } catch {
    return undefined;
  }
}

function identifier(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}
