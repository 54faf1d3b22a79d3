/** The entry point `keyward/issuer`: the token endpoint, its metadata and its signing keys. */
export type { SigningKeyRecord, SigningKeyStore } from '../contracts/signing-key-store.js';
export type { IssuerWarning } from '../events/issuer-warning.js';
export type { TokenDecision } from '../events/token-decision.js';
export type { BruteForceLimitOptions, CounterOptions, FailureCounter } from './brute-force-limiter.js';
export type { ClientAuthentication } from './clients/presented-client.js';
export { createIssuer, type IssuerMtlsOptions, type IssuerOptions } from './create-issuer.js';
export type { IntrospectionOptions } from './issued-tokens/introspection.js';
export { memorySigningKeys } from './signing-keys/memory-signing-keys.js';
export type { SigningAlgorithm } from './signing-keys/signing-key.js';
