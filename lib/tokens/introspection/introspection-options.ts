/**
 * The options of `introspectedTokens`, with their types, checks and defaults; and the settings that are made from them.
 */
import { type CacheOptions, readCacheOptions } from '../../cache/cache-options.js';
import type { RecordCacheOptions } from '../../cache/record-cache.js';
import type { Clock } from '../../contracts/clock.js';
import { clockOption } from '../../contracts/clock-option.js';
import { type ApiMap, scopePrefixes } from '../../credentials/api-map.js';
import { ENVIRONMENTS, type Environment } from '../../credentials/environment.js';
import type { AuthenticatingClient } from '../../http/add-client-credentials.js';
import { type PrivateKeyInput, readPrivateKey } from '../../http/client-private-key.js';
import { SECURE_PLAIN_URL, SECURE_URL, secureUrl } from '../../http/secure-url.js';
import { urlFromIssuerMetadata } from '../../http/url-from-issuer-metadata.js';
import {
  anything,
  flag,
  integer,
  type Option,
  type OptionTable,
  object,
  oneOf,
  optional,
  readTable,
  text,
  withDefault,
} from '../../options/option-table.js';
import { type ClaimRules, readAudiences } from '../claims.js';
import { CONFIRMATION_OPTIONS, type Confirmation, createConfirmation } from '../confirmation.js';
import type { DpopOptions } from '../dpop/dpop-options.js';
import type { MtlsOptions } from '../mtls/mtls-options.js';
import { type PrincipalContext, sharedTokenFacts } from '../token-principal.js';
import { DISCOVERY_TIMEOUT, type IntrospectionCall } from './introspection-endpoint.js';

/** How the API authenticates at the introspection endpoint. Exactly one of `secret` and `privateKey` is required. */
export interface IntrospectionClient {
  /** The client ID of the API at the authorization server. */
  readonly id: string;
  /** The client secret, sent with HTTP Basic (RFC 6749 section 2.3.1). */
  readonly secret?: string | undefined;
  /** The private key for `private_key_jwt` (RFC 7523): a JWK, a `KeyObject` or PEM. It is never sent. */
  readonly privateKey?: PrivateKeyInput | undefined;
  /** The `kid` of the private key, for the header of assertions. Default: the `kid` of the JWK, if there is one. */
  readonly keyId?: string | undefined;
}

/** Options of `introspectedTokens`. */
export interface IntrospectedTokensOptions {
  /**
   * The exact `iss` of the accepted tokens. Without `endpoint`, the introspection endpoint is read from the metadata of
   * this issuer (RFC 8414, or else OpenID Connect Discovery).
   */
  readonly issuer: string;
  /** The URL of the introspection endpoint. Default: `introspection_endpoint` in the metadata of the issuer. */
  readonly endpoint?: string | URL | undefined;
  /**
   * The accepted audiences: `aud` of a token must contain at least one of them. `false`: a token is accepted with any
   * `aud` and without one, for servers whose response has no `aud`. The gate then cannot have the option
   * `resourceMetadata`.
   */
  readonly audience: string | readonly string[] | false;
  readonly client: IntrospectionClient;
  /**
   * `true`: `issuer`, `endpoint` and the endpoint in the metadata may be http URLs of any host. Tokens and the client
   * secret are then sent unencrypted. Default: `false`: http only for a loopback host.
   */
  readonly allowHttp?: boolean | undefined;
  /**
   * Seconds by which `iat` and `nbf` may be in the future, because clocks differ: 0 to 300. It also applies to
   * `auth_time` in `requireAuthenticationContext`, but not to `exp`. Default: 5.
   */
  readonly clockTolerance?: number | undefined;
  /** Which scopes belong to which API. Default: the part of a scope before its first colon names the API. */
  readonly apis?: ApiMap | undefined;
  /** The environment of principals. Default: none. */
  readonly environment?: Environment | undefined;
  /**
   * `'ignore'`: a token with `authorization_details` (RFC 9396) is accepted, although keyward does not enforce them.
   * Default: `'refuse'`.
   */
  readonly authorizationDetails?: 'refuse' | 'ignore' | undefined;
  /**
   * Milliseconds after which a lookup fails, 1 to 60,000. A lookup calls the endpoint; before that, it reads the
   * metadata if the URL of the endpoint is not known. Default: 1,000.
   */
  readonly timeout?: number | undefined;
  /**
   * Maximum lookups in flight, 1 to 100,000. If all are in use, a request with a token that is not cached gets 503. For
   * the next ten seconds, a quarter of the lookups is reserved for tokens that were active before. In this time, a
   * network from which many invalid tokens come gets at most a quarter. Default: 100.
   */
  readonly maxLookups?: number | undefined;
  /**
   * Accepts tokens that are bound to a key pair; each request must have a proof that is signed with this key pair
   * (DPoP, RFC 9449). Without this option, such tokens are refused.
   */
  readonly dpop?: DpopOptions | undefined;
  /**
   * Accepts tokens that are bound to a client certificate (RFC 8705 §3). Without this option, such tokens are refused.
   */
  readonly mtls?: MtlsOptions | undefined;
  /**
   * How long responses of the endpoint are cached. Default: `ttl` 5,000 and `staleIfError` 0, in milliseconds. A token
   * that was revoked at the issuer is accepted for `ttl` at most. If calls of the endpoint fail, it is accepted for
   * `staleIfError` if that is longer. `false`: nothing is cached, and each request calls the endpoint.
   */
  readonly cache?: CacheOptions | false | undefined;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const FACTORY = 'introspectedTokens';
const LONGEST_TOLERANCE = 300;

const CLIENT_OPTIONS = {
  id: text,
  secret: optional(text),
  privateKey: anything,
  keyId: optional(text),
} satisfies OptionTable<IntrospectionClient>;

const client: Option<(audience: string) => AuthenticatingClient> = (options, name) => {
  const given = readTable(`${FACTORY}: option "client"`, options.raw(name), CLIENT_OPTIONS);
  const { id: clientId, secret, privateKey, keyId } = given;
  if ((secret === undefined) === (privateKey === undefined)) {
    throw new TypeError(`${FACTORY}: option "client" must have exactly one of "secret" and "privateKey"`);
  }
  if (secret !== undefined) return () => ({ clientId, authentication: { secret } });
  const signingKey = readPrivateKey(privateKey, keyId);
  if (signingKey === undefined) {
    throw new TypeError(
      `${FACTORY}: option "client.privateKey" must be a private key for signing, as a JWK, a KeyObject or PEM`,
    );
  }
  return (audience) => ({ clientId, authentication: { signingKey, audience } });
};

const audiences: Option<readonly string[] | undefined> = (options, name) =>
  options.raw(name) === false ? undefined : readAudiences(options);

const cache: Option<ReturnType<typeof readCacheOptions>> = (options, name) =>
  readCacheOptions(FACTORY, options.raw(name), false, { ttl: 5_000, staleIfError: 0 });

/** Finds the endpoint: from the option `endpoint`, or from the metadata of the issuer. */
const endpoint: Option<IntrospectionCall['locate']> = (options, name) => {
  const allowHttp = options.flag('allowHttp', false);
  if (options.has(name)) {
    const url = secureUrl(options.raw(name), allowHttp);
    if (url === undefined) throw options.wrongText(name, SECURE_PLAIN_URL);
    return async () => url;
  }
  const issuer = options.text('issuer');
  const url = secureUrl(issuer, allowHttp);
  if (url === undefined || issuer.includes('?')) {
    throw options.wrongText(
      'issuer',
      `${SECURE_URL} without a user name, password, query or fragment`,
      'to use any other string, also set the option "endpoint"',
    );
  }
  const metadata = { url, issuer, allowHttp, firstTimeout: DISCOVERY_TIMEOUT / 2 };
  return (signal) => urlFromIssuerMetadata(metadata, 'introspection_endpoint', signal);
};

const OPTIONS = {
  issuer: text,
  endpoint,
  audience: audiences,
  client,
  allowHttp: flag(false),
  clockTolerance: (options, name) => options.number(name, 5, 0, LONGEST_TOLERANCE),
  apis: withDefault(object<ApiMap>(['apisOf']), scopePrefixes),
  environment: optional(oneOf(ENVIRONMENTS)),
  authorizationDetails: withDefault(oneOf(['refuse', 'ignore']), 'refuse'),
  timeout: integer(1_000, 1, 60_000),
  maxLookups: integer(100, 1, 100_000),
  ...CONFIRMATION_OPTIONS,
  cache,
  clock: clockOption,
} satisfies OptionTable<IntrospectedTokensOptions>;

/** The settings of the verifier, read from its options. */
export interface IntrospectedTokensSettings {
  readonly rules: ClaimRules;
  /**
   * Checks proofs of possession. `undefined` if neither `dpop` nor `mtls` is given: tokens with `cnf` are then refused.
   */
  readonly confirmation: Confirmation | undefined;
  readonly call: IntrospectionCall;
  readonly principalContext: PrincipalContext;
  readonly cache: Pick<RecordCacheOptions<never, never>, 'timeout' | 'maxLookups' | 'bounds' | 'clock'>;
  readonly clock: Clock;
}

/**
 * Reads the options of `introspectedTokens`.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function readIntrospectedTokensOptions(given: IntrospectedTokensOptions): IntrospectedTokensSettings {
  const { issuer, client, timeout, clock, apis, environment, ...options } = readTable(FACTORY, given, OPTIONS);
  const confirmation = createConfirmation(options.dpop, options.mtls);
  const rules: ClaimRules = Object.freeze({
    issuer,
    audiences: options.audience,
    // An introspection response may lack claims that RFC 9068 requires, so the weaker rules of the profile `jwt` apply.
    profile: 'jwt',
    isIntrospected: true,
    clockTolerance: options.clockTolerance,
    maxLifetime: Number.POSITIVE_INFINITY,
    ownIssuer: false,
    ignoresAuthorizationDetails: options.authorizationDetails === 'ignore',
    confirmation,
  });
  const call: IntrospectionCall = { locate: options.endpoint, client: client(issuer), timeout, clock };
  return {
    rules,
    confirmation,
    call,
    clock,
    principalContext: { apis, environment, shared: sharedTokenFacts() },
    cache: { timeout, clock, maxLookups: options.maxLookups, bounds: options.cache },
  };
}
