/** Creates the Express router of an issuer: it serves the endpoints, the public keys and the metadata. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import type { ReplayCache } from '../contracts/replay-cache.js';
import type { SigningKeyStore } from '../contracts/signing-key-store.js';
import { ownEndpoint } from '../express/route-metadata.js';
import type { CertificateOf } from '../http/presented-credential.js';
import { SECURE_URL, secureUrl } from '../http/secure-url.js';
import {
  flag,
  method,
  names,
  type Option,
  type OptionTable,
  object,
  oneOf,
  optional,
  readTable,
  text,
  withDefault,
} from '../options/option-table.js';
import { memoryReplayCache } from '../replay/memory-replay-cache.js';
import { PROOF_OPTIONS, type ProofOptions, proofVerifier } from '../tokens/dpop/dpop-options.js';
import { AUTHORIZATION_PATH, refuseAuthorization } from './authorization-endpoint.js';
import { BruteForceLimiter, type BruteForceLimitOptions } from './brute-force-limiter.js';
import { clientEndpoint, type EndpointWork } from './client-endpoint.js';
import { authenticateRequests } from './clients/authenticate-request.js';
import { CLIENT_AUTHENTICATION, type ClientAuthentication } from './clients/presented-client.js';
import { tokenIssuer } from './issue-token.js';
import { INTROSPECTION_OPTIONS, type IntrospectionOptions, introspection } from './issued-tokens/introspection.js';
import { issuedTokenReader } from './issued-tokens/read-issued-token.js';
import { type RevokingResolver, revocation } from './issued-tokens/revocation.js';
import { answerRefusal, publish } from './json-response.js';
import { INTROSPECTION_PATH, issuerMetadata, JWKS_PATH, REVOCATION_PATH, TOKEN_PATH } from './metadata.js';
import { senderConstraints } from './sender-constraint.js';
import { SIGNING_ALGORITHMS, type SigningAlgorithm, SigningKeyError } from './signing-keys/signing-key.js';
import { PUBLISHED_KEYS_MAX_AGE, SigningKeys } from './signing-keys/signing-keys.js';
import { tokenEndpoint } from './token-endpoint.js';
import { noSigningKey } from './token-request-error.js';

/** Options of `createIssuer`. */
export interface IssuerOptions {
  /**
   * The https URL of the issuer, as clients and resource servers know it, without a query or fragment. It is the `iss`
   * of tokens.
   */
  readonly issuer: string;
  /**
   * Whether `issuer` may be an http URL of any host. Client secrets and tokens are then sent unencrypted. Default:
   * `false`, which allows http only for a loopback host.
   */
  readonly allowHttp?: boolean | undefined;
  /** The `aud` of the issued tokens. */
  readonly audience: string;
  /**
   * Finds access keys by client ID. Nothing is cached: each request causes a lookup. A lookup fails after 1,000
   * milliseconds, and at most 100 lookups are in flight.
   */
  readonly accessKeys: AccessKeyResolver;
  /**
   * Stores the signing keys. `memorySigningKeys()` is for tests or for a single instance. A store of `openStore` must
   * be opened with `encryptionKey`.
   */
  readonly signingKeys: SigningKeyStore;
  /**
   * The algorithm of new signing keys: `'RS256'` (default), `'ES256'` or `'EdDSA'`. If the store has only keys of
   * another algorithm, the newest of them signs for one more day. Do not start an issuer while an issuer with another
   * algorithm uses the store: the new issuer would answer token requests with 503.
   */
  readonly algorithm?: SigningAlgorithm | undefined;
  /**
   * The methods by which clients may authenticate, at all endpoints. Default: `client_secret_basic`,
   * `client_secret_post` and `private_key_jwt`.
   */
  readonly clientAuthentication?: readonly ClientAuthentication[] | undefined;
  /**
   * How many attempts to authenticate with a secret may fail. The failures at all endpoints are counted together. They
   * are not counted by the option `clock`, but by the clock of the machine or of `limits.counter`.
   */
  readonly limits?: BruteForceLimitOptions | undefined;
  /**
   * Stores the ids of client assertions and DPoP proofs, so that each one is accepted only once. Several instances need
   * a shared cache. Default: `accessKeys` if it has the method `firstUse`, like a store of `openStore`; otherwise the
   * memory of this process.
   */
  readonly replay?: ReplayCache | undefined;
  /**
   * With this option, a token is bound to the key of the DPoP proof that the client sends (RFC 9449 section 5). `{}`
   * sets the defaults. Without this option, proofs are ignored.
   */
  readonly dpop?: ProofOptions | undefined;
  /**
   * With this option, a token is bound to the certificate that the client presents in TLS (RFC 8705 section 3). `{}`
   * sets the defaults. Without this option, certificates are ignored.
   */
  readonly mtls?: IssuerMtlsOptions | undefined;
  /**
   * Adds the endpoint `POST /connect/introspect` (RFC 7662). An access key may call the endpoint if it has the scope
   * `introspection.scope`, by default `'tokens:introspect'`. For an access key of the other environment, live or
   * sandbox, a token is not active. Default: there is no introspection endpoint.
   */
  readonly introspection?: IntrospectionOptions | undefined;
  /**
   * Whether to add the endpoint `POST /connect/revocation` (RFC 7009). `accessKeys` must then have the method
   * `revokeToken`, like a store of `openStore`. Default: `false`.
   */
  readonly revocation?: boolean | undefined;
  /** The source of time, except for `limits`. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

/** The option `mtls` of `createIssuer`. */
export interface IssuerMtlsOptions {
  /**
   * Returns the client certificate of a request in DER form. Set it if a proxy terminates TLS. The function must be
   * synchronous. If it throws, or returns anything but bytes, `undefined` or `null`, the request gets 503. Default: the
   * certificate of the TLS connection.
   */
  readonly certificateOf?: CertificateOf | undefined;
}

/** Checks the URL of the issuer (RFC 8414 section 2). */
const issuerUrl: Option<string> = (options, name) => {
  const issuer = options.text(name);
  const url = secureUrl(issuer, options.flag('allowHttp', false));
  if (url !== undefined && !issuer.includes('?')) return issuer;
  throw options.wrongText(name, `${SECURE_URL} without a user name, password, query or fragment (RFC 8414 section 2)`);
};

const signingKeyStore: Option<SigningKeyStore> = (options, name) => {
  const methods = ['listSigningKeys', 'addSigningKey', 'retireSigningKey', 'removeSigningKey'] as const;
  const store = options.object<SigningKeyStore>(name, methods);
  store.checkSigningKeys?.();
  return store;
};

const MTLS_OPTIONS = {
  certificateOf: optional(method<CertificateOf>()),
} satisfies OptionTable<IssuerMtlsOptions>;

const OPTIONS = {
  issuer: issuerUrl,
  allowHttp: flag(false),
  audience: text,
  accessKeys: object<AccessKeyResolver>(['resolveAccessKey']),
  signingKeys: signingKeyStore,
  algorithm: withDefault(oneOf(SIGNING_ALGORITHMS), 'RS256'),
  clientAuthentication: withDefault(names(CLIENT_AUTHENTICATION), CLIENT_AUTHENTICATION),
  limits: (options, name) => new BruteForceLimiter(options.raw(name) ?? {}),
  introspection: optional((options, name) =>
    readTable('createIssuer: option "introspection"', options.raw(name), INTROSPECTION_OPTIONS),
  ),
  revocation: (options, name) =>
    options.flag(name, false) ? options.object<RevokingResolver>('accessKeys', ['revokeToken']) : undefined,
  replay: optional(object<ReplayCache>(['firstUse'])),
  dpop: optional((options, name) => readTable('createIssuer: option "dpop"', options.raw(name), PROOF_OPTIONS)),
  mtls: optional((options, name) => readTable('createIssuer: option "mtls"', options.raw(name), MTLS_OPTIONS)),
  clock: clockOption,
} satisfies OptionTable<IssuerOptions>;

/** Maximum milliseconds to receive the body of a request. */
const TIMEOUT_MS = 10_000;

/**
 * Caches may use the key set for five minutes, and for another hour while the issuer fails. In a scheduled rotation,
 * this is safe: a new key is published for a day before it signs, so every cache gets it in time.
 */
const KEYS_CACHE_CONTROL = `public, max-age=${PUBLISHED_KEYS_MAX_AGE}, stale-if-error=3600`;
const METADATA_CACHE_CONTROL = 'public, max-age=3600';

/**
 * Creates an Express router that issues access tokens for access keys (docs/spec.md §4.1). Mount it at the path of
 * `issuer`.
 *
 * It serves `POST /connect/token`, `/.well-known/jwks.json`, `/.well-known/oauth-authorization-server` (RFC 8414),
 * `/.well-known/openid-configuration`, and `/connect/authorize`, which refuses every request. The options
 * `introspection` and `revocation` add `POST /connect/introspect` and `POST /connect/revocation`. Signing keys are
 * created on first use and rotated on schedule.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type; if `revocation` is set and
 *   `accessKeys` has no `revokeToken`; if `issuer` has a query or a fragment, or uses http for a host that is not
 *   loopback and `allowHttp` is not set; if `signingKeys` cannot store keys, for example because the store was opened
 *   without `encryptionKey`.
 * @example
 * ```ts
 * import express from 'express';
 * import { createIssuer } from 'keyward/issuer';
 * import { openStore } from 'keyward/store';
 *
 * const app = express();
 * const store = await openStore('file:./keyward.db', { encryptionKey: process.env.KEYWARD_ENCRYPTION_KEY });
 * const issuer = { issuer: 'https://login.example', accessKeys: store, signingKeys: store };
 * app.use(createIssuer({ ...issuer, audience: 'https://api.example' }));
 * ```
 */
export function createIssuer(options: IssuerOptions): Router {
  const { issuer, audience, accessKeys, signingKeys, algorithm, clientAuthentication, limits, clock, ...given } =
    readTable('createIssuer', options, OPTIONS);
  const replay = given.replay ?? (isReplayCache(accessKeys) ? accessKeys : memoryReplayCache({ clock }));
  const keys = new SigningKeys(signingKeys, algorithm, clock);
  const { dpop, mtls } = given;
  const metadata = issuerMetadata({
    ...{ issuer, clientAuthentication, dpop, mtls },
    hasIntrospection: given.introspection !== undefined,
    hasRevocation: given.revocation !== undefined,
  });
  const { origin, pathname } = new URL(metadata.token_endpoint);
  const constrainSender = senderConstraints({
    path: pathname,
    proofs: dpop && proofVerifier(dpop, { origins: [origin], replay, clock }),
    mtls,
  });
  const readToken = issuedTokenReader({ issuer, audience, keys });
  const endpoint = {
    realm: new URL(issuer).host,
    authenticate: authenticateRequests({
      ...{ clientAuthentication, accessKeys, replay, limits, clock },
      audiences: [issuer, metadata.token_endpoint],
    }),
    timeoutMs: TIMEOUT_MS,
  };
  /** The endpoints for POST, by path. */
  const endpoints = new Map<string, EndpointWork>([
    [TOKEN_PATH, tokenEndpoint({ constrainSender, issueToken: tokenIssuer({ issuer, audience, keys, clock }) })],
  ]);
  if (given.introspection !== undefined) {
    endpoints.set(INTROSPECTION_PATH, introspection({ ...given.introspection, readToken, accessKeys, clock }));
  }
  if (given.revocation !== undefined) {
    endpoints.set(REVOCATION_PATH, revocation({ readToken, accessKeys: given.revocation }));
  }

  function serveKeys(_req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    keys.published().then(
      (set) => publish(res, set, KEYS_CACHE_CONTROL),
      (error) => (error instanceof SigningKeyError ? answerRefusal(res, noSigningKey()) : next(error)),
    );
  }

  function serveMetadata(_req: IncomingMessage, res: ServerResponse): void {
    publish(res, metadata, METADATA_CACHE_CONTROL);
  }

  const router = Router();
  for (const [path, work] of endpoints) {
    const handle = ownEndpoint(clientEndpoint(endpoint, work));
    // The route for POST is for `auditRoutes`, which lists it. The handler answers all other methods with 405.
    router.post(path, handle);
    router.all(path, handle);
  }
  router.get(AUTHORIZATION_PATH, ownEndpoint(refuseAuthorization));
  router.get(JWKS_PATH, ownEndpoint(serveKeys));
  const metadataPaths = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];
  router.get(metadataPaths, ownEndpoint(serveMetadata));
  return router;
}

function isReplayCache(accessKeys: object): accessKeys is ReplayCache {
  return 'firstUse' in accessKeys && typeof accessKeys.firstUse === 'function';
}
