export type { StoreNotice } from '../events/store-notice.js';
export type { CredentialStore } from './credential-store.js';
export type { Ledger, LedgerTransaction } from './ledger.js';
export { openStore, type StoreOptions } from './open-store.js';
export { StoreError, type StoreErrorCode } from './store-error.js';
