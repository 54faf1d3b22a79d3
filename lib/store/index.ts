/** The entry point `keyward/store`: stores API keys and access keys in SQLite or PostgreSQL. */
export type { StoreWarning } from '../events/store-warning.js';
export type { CredentialStore } from './credential-store.js';
export { openStore, type StoreOptions } from './open-store.js';
export type { Repository, RepositoryTransaction } from './repository/repository.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
