/** The issuer: a token endpoint, its keys, and what it says of itself. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Router } from 'express';
import { type Clock, systemClock } from '../contracts/clock.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import type { SigningKeyStore } from '../contracts/signing-key-store.js';
import { namesOf, Options } from '../options/options.js';
import { secureUrl } from '../verify/secure-url.js';
import { answerRefusal, publish } from './answer.js';
import { authenticateClients } from './authenticate-client.js';
import { type GuessLimitOptions, GuessLimits } from './guess-limits.js';
import { tokenIssuer } from './issue-token.js';
import { issuerMetadata, JWKS_PATH, TOKEN_PATH } from './metadata.js';
import { CLIENT_AUTHENTICATION, type ClientAuthentication } from './presented-client.js';
import { SIGNING_ALGORITHMS, type SigningAlgorithm, SigningKeyFault } from './signing-key.js';
import { SigningKeys } from './signing-keys.js';
import { tokenEndpoint } from './token-endpoint.js';
import { noSigningKey } from './token-refusal.js';

/** Options of `createIssuer`. */
export interface IssuerOptions {
  /** The URL of the issuer, as clients and resource servers know it: the `iss` of its tokens. */
  readonly issuer: string;
  /** What the tokens are for: their `aud`. */
  readonly audience: string;
  /** Your look-up of access keys by their Identifier. */
  readonly accessKeys: AccessKeyResolver;
  /** Where the signing keys are kept; `memorySigningKeys()` for one instance. */
  readonly signingKeys: SigningKeyStore;
  /** `'RS256'`; `'ES256'` or `'EdDSA'` by choice. */
  readonly algorithm?: SigningAlgorithm | undefined;
  /** How clients may present their secret: in the header, and in the body. */
  readonly clientAuthentication?: readonly ClientAuthentication[] | undefined;
  /** How often a secret may be guessed. */
  readonly limits?: GuessLimitOptions | undefined;
  readonly clock?: Clock | undefined;
}

const OPTION_NAMES = [
  'issuer',
  'audience',
  'accessKeys',
  'signingKeys',
  'algorithm',
  'clientAuthentication',
  'limits',
  'clock',
];

/** Milliseconds that the body of a token request may take. */
const PATIENCE = 10_000;

/** Resource servers may keep the keys this long: much less than a new key is announced ahead. */
const KEYS_CACHE_CONTROL = 'public, max-age=300, stale-if-error=3600';
const METADATA_CACHE_CONTROL = 'public, max-age=3600';

/**
 * Makes a Router that turns access keys into access tokens (spec section 4.1): mount it where `issuer` points.
 *
 * It serves `POST /connect/token`, `/.well-known/jwks.json`, `/.well-known/oauth-authorization-server` (RFC 8414) and
 * `/.well-known/openid-configuration`. Signing keys are made on first use and rotated on schedule.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type; for an `issuer` with a query or a
 *   fragment, or http to anything but this machine; where `signingKeys` cannot keep any, such as a store that was opened
 *   without `encryptionKey`.
 */
export function createIssuer(options: IssuerOptions): Router {
  const { issuer, audience, accessKeys, signingKeys, algorithm, clientAuthentication, limits, clock } =
    readOptions(options);
  const keys = new SigningKeys(signingKeys, algorithm, clock);
  const metadata = issuerMetadata(issuer, clientAuthentication);
  const handleTokenRequest = tokenEndpoint({
    realm: new URL(issuer).host,
    clientAuthentication,
    limits,
    authenticateClient: authenticateClients(accessKeys, clock),
    issueToken: tokenIssuer({ issuer, audience, keys, clock }),
    patience: PATIENCE,
  });

  function serveKeys(_req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): void {
    keys.published().then(
      (set) => publish(res, set, KEYS_CACHE_CONTROL),
      (error) => (error instanceof SigningKeyFault ? answerRefusal(res, noSigningKey()) : next(error)),
    );
  }

  function serveMetadata(_req: IncomingMessage, res: ServerResponse): void {
    publish(res, metadata, METADATA_CACHE_CONTROL);
  }

  const router = Router();
  // POST by its name, so that audits of the app's routes tell it; the others are answered 405.
  router.post(TOKEN_PATH, handleTokenRequest);
  router.all(TOKEN_PATH, handleTokenRequest);
  router.get(JWKS_PATH, serveKeys);
  router.get(['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'], serveMetadata);
  return router;
}

function readOptions(given: IssuerOptions) {
  const options = new Options('createIssuer', given, OPTION_NAMES);
  const url = secureUrl(options.text('issuer'));
  if (url === undefined || url.search !== '' || given.issuer.includes('?')) {
    throw options.mistake(
      'issuer',
      'an https URL (http to this machine only) without query and fragment (RFC 8414 section 2)',
    );
  }
  const ways = options.raw('clientAuthentication') ?? CLIENT_AUTHENTICATION;
  if (!Array.isArray(ways)) throw options.mistake('clientAuthentication', 'a list of ways');
  const methods = ['listSigningKeys', 'addSigningKey', 'removeSigningKey'] as const;
  const signingKeys = options.object<SigningKeyStore>('signingKeys', methods);
  signingKeys.checkSigningKeys?.();
  return {
    issuer: given.issuer,
    audience: options.text('audience'),
    accessKeys: options.object<AccessKeyResolver>('accessKeys', ['resolveAccessKey']),
    signingKeys,
    algorithm: options.has('algorithm') ? options.oneOf('algorithm', SIGNING_ALGORITHMS) : 'RS256',
    clientAuthentication: namesOf('createIssuer: option "clientAuthentication"', ways, CLIENT_AUTHENTICATION),
    limits: new GuessLimits(given.limits ?? {}),
    clock: options.has('clock') ? options.object<Clock>('clock', ['now', 'monotonic']) : systemClock,
  } as const;
}
