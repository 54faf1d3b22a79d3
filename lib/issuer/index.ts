export type { SigningKeyRecord, SigningKeyStore } from '../contracts/signing-key-store.js';
export type { IssuerNotice } from '../events/issuer-notice.js';
export type { TokenDecision } from '../events/token-decision.js';
export { createIssuer, type IssuerOptions } from './create-issuer.js';
export type { CounterOptions, FailureCounter, GuessLimitOptions } from './guess-limits.js';
export { memorySigningKeys } from './memory-signing-keys.js';
export type { ClientAuthentication } from './presented-client.js';
export type { SigningAlgorithm } from './signing-key.js';
