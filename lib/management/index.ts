export type { Account } from './account-view.js';
export type { AccountSettings, Accounts } from './accounts.js';
export type { AuditEntry, AuditListFilter, ListAudit } from './audit-log.js';
export {
  type AccessKeysDesk,
  type ApiKeysDesk,
  createManagement,
  type Management,
  type ManagementOptions,
} from './create-management.js';
export type { ImportedKey, ImportKeys, ImportReport } from './import-keys.js';
export type { ShownOnce } from './key-desk.js';
export type { AccessKeyEdit, AccessKeySettings, KeyEdit, KeySettings } from './key-settings.js';
export type { KeyState, KeyView, SecretView } from './key-view.js';
export type { ListFilter } from './list-filter.js';
export { ManagementError, type ManagementErrorCode } from './management-error.js';
export type { Member } from './member.js';
export type { Page } from './pages.js';
export type { Permission } from './permissions.js';
