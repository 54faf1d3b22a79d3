/** Everything that an app can import from `keyward`: `requireBearer`, the guards, the verifiers and the route audit. */
export { apiKeys } from './api-keys/api-keys.js';
export type { ApiKeysOptions } from './api-keys/api-keys-options.js';
export type { CacheOptions } from './cache/cache-options.js';
export type { Change, FeedListener, Invalidatable } from './contracts/change-feed.js';
export type { Clock } from './contracts/clock.js';
export type {
  Accepted,
  AcceptedTokens,
  Claim,
  ConfirmationMethods,
  CredentialVerifier,
  Declined,
  Outcome,
  Refused,
  Unavailable,
} from './contracts/credential-verifier.js';
export type {
  AccessKeyResolver,
  Awaitable,
  KeyResolver,
  PresentedKey,
  ResolveKey,
  UsageOf,
} from './contracts/key-resolver.js';
export type { RateCount, RateCounter, RateCounterOptions } from './contracts/rate-counter.js';
export type { ReplayCache } from './contracts/replay-cache.js';
export type { UsageCounter } from './contracts/usage-counter.js';
export { type ApiMap, type ApiMapOptions, apiMap } from './credentials/api-map.js';
export type { KeyKind, Kind } from './credentials/credential-kind.js';
export { digestOf } from './credentials/digest.js';
export type { Environment } from './credentials/environment.js';
export type { KeyFormat, KeyReading } from './credentials/keyward-format.js';
export { createKeyText, type KeyFormatOptions, type KeyTextOptions, keyFormat } from './credentials/prefixed-format.js';
export type {
  AccessPrincipal,
  ConfirmationMethod,
  KeyPrincipal,
  Principal,
  TokenPayload,
} from './credentials/principal.js';
export type { RateLimit } from './credentials/rate-limit.js';
export type { AccessKeyRecord, KeyRecord } from './credentials/records/key-records.js';
export type { PublicJwk } from './credentials/records/public-jwk.js';
export { KeywardError, type KeywardErrorOptions } from './errors/keyward-error.js';
export type { CallbackFailure } from './events/callback-failure.js';
export type { Decision } from './events/decision.js';
export type { FeedWarning } from './events/feed-warning.js';
export type { KeySetFetch } from './events/key-set-fetch.js';
export type { LookupFailure } from './events/lookup-failure.js';
export { BearerError } from './express/bearer-error.js';
export { type BearerErrorsOptions, bearerErrors, type ErrorMiddleware } from './express/bearer-error-handler.js';
export type { Gate } from './express/gate/gate-type.js';
export { authOf, credentialOf } from './express/gate/request-principal.js';
export { requireBearer } from './express/gate/require-bearer.js';
export type { GateOptions, PrincipalOf, RequireBearerOptions } from './express/gate/require-bearer-options.js';
export { defineGuard, type Guard, type GuardDefinition, type Refusal } from './express/guards/guard.js';
export type { RateLimitOptions } from './express/guards/rate-limit-options.js';
export { requireAny } from './express/guards/require-any.js';
export { requireApi } from './express/guards/require-api.js';
export { requireAuthenticationContext } from './express/guards/require-authentication-context.js';
export { requireChannel } from './express/guards/require-channel.js';
export { requireConfirmation } from './express/guards/require-confirmation.js';
export { requireKeyKind } from './express/guards/require-key-kind.js';
export { requireRateLimit } from './express/guards/require-rate-limit.js';
export { requireScopes } from './express/guards/require-scopes.js';
export type { Middleware, RoutedRequest } from './express/middleware.js';
export type { ResourceMetadataDocument } from './express/resource/metadata-document.js';
export {
  type ResourceMetadata,
  type ResourceMetadataOptions,
  resourceMetadata,
} from './express/resource/resource-metadata.js';
export { type AssertGuardedOptions, assertGuarded } from './express/route-audit/assert-guarded.js';
export { auditRoutes, type RouteReport } from './express/route-audit/audit-routes.js';
export type { CertificateOf, CredentialRequest, PresentedCredential } from './http/presented-credential.js';
export type { CredentialScheme } from './protocol/authorization-header.js';
export type { BearerErrorCode } from './protocol/bearer-error-codes.js';
export type { AuthenticationContext } from './protocol/challenge.js';
export type { JsonObject } from './protocol/strict-json.js';
export { type MemoryReplayCacheOptions, memoryReplayCache } from './replay/memory-replay-cache.js';
export { accessTokens } from './tokens/access-tokens.js';
export type { AccessTokensOptions } from './tokens/access-tokens-options.js';
export type { DpopOptions, NonceSettings, ProofOptions } from './tokens/dpop/dpop-options.js';
export type { TokenProfile } from './tokens/header.js';
export { introspectedTokens } from './tokens/introspection/introspected-tokens.js';
export type { IntrospectedTokensOptions, IntrospectionClient } from './tokens/introspection/introspection-options.js';
export type { MtlsOptions } from './tokens/mtls/mtls-options.js';
