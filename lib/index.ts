export type { Change, FeedListener, Invalidatable } from './contracts/change-feed.js';
export type { Clock } from './contracts/clock.js';
export type {
  AccessKeyResolver,
  Awaitable,
  KeyResolver,
  PresentedKey,
  ResolveKey,
} from './contracts/key-resolver.js';
export type { KeyFormat, KeyReading } from './credentials/api-key.js';
export { type ApiMap, apiMap } from './credentials/api-map.js';
export type { Environment, KeyKind, Kind } from './credentials/kind.js';
export type { AccessPrincipal, KeyPrincipal, Principal, TokenPayload } from './credentials/principal.js';
export type { AccessKeyRecord, KeyRecord } from './credentials/record.js';
export type { Decision } from './events/decision.js';
export type { FeedNotice } from './events/feed-notice.js';
export type { KeySetChange } from './events/key-set-change.js';
export type { LookUpFailure } from './events/look-up-failure.js';
export { type AssertGuardedOptions, assertGuarded } from './express/assert-guarded.js';
export { auditRoutes, type RouteReport } from './express/audit-routes.js';
export { authOf, credentialOf } from './express/auth-of.js';
export { BearerError } from './express/bearer-error.js';
export { type BearerErrorsOptions, bearerErrors, type ErrorMiddleware } from './express/bearer-errors.js';
export type { Gate } from './express/gate.js';
export { defineGuard, type Guard, type GuardDefinition, type Refusal } from './express/guard.js';
export type { Middleware, RoutedRequest } from './express/middleware.js';
export { requireAny } from './express/require-any.js';
export { requireApi } from './express/require-api.js';
export { type RequireBearerOptions, requireBearer } from './express/require-bearer.js';
export { requireChannel } from './express/require-channel.js';
export { requireKeyKind } from './express/require-key-kind.js';
export { requireScopes } from './express/require-scopes.js';
export type { JsonObject } from './protocol/json-object.js';
export type { BearerErrorCode } from './protocol/oauth-error.js';
export { type AccessTokensOptions, accessTokens } from './verify/access-tokens.js';
export { type ApiKeysOptions, apiKeys } from './verify/api-keys.js';
export type { CacheOptions } from './verify/cache-options.js';
export type { PresentedCredential } from './verify/presented-credential.js';
export type { TokenProfile } from './verify/token-header.js';
export type {
  Accepted,
  Claim,
  CredentialVerifier,
  Declined,
  Outcome,
  Refused,
  Unavailable,
} from './verify/verifier.js';
