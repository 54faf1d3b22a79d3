/** The entry point `keyward/management`: accounts, keys, permissions and the audit log. */
export type { Account } from './accounts/account-view.js';
export type { AccountListFilter, AccountSettings, Accounts } from './accounts/accounts.js';
export {
  createManagementApi,
  type ManagementApi,
  type ManagementApiOptions,
} from './api/create-management-api.js';
export { memberByScopes } from './api/member-by-scopes.js';
export type { OpenApiDocument } from './api/openapi-document.js';
export type { AuditEntry, AuditListFilter, ListAudit } from './audit-log/read-audit-log.js';
export {
  type AccessKeyService,
  type ApiKeyService,
  createManagement,
  type Management,
  type ManagementOptions,
} from './create-management.js';
export type { KeyOrder, ListFilter } from './key-list-filter.js';
export type { ImportedKey, ImportKeys, ImportReport } from './keys/import-keys.js';
export type { CreatedKey } from './keys/key-service.js';
export type { AccessKeyEdit, AccessKeySettings, KeyEdit, KeySettings } from './keys/key-settings.js';
export type { KeyState, KeyView, PublicKeyView, SecretState, SecretView } from './keys/key-view.js';
export type { PublicKeyInput } from './keys/public-keys.js';
export type { RequiredConfirmation } from './keys/required-token-binding.js';
export type { KeyUsage, UsageCounts, UsageDay, UsageFilter } from './keys/usage.js';
export { ManagementError, type ManagementErrorCode } from './management-error.js';
export type { Member } from './member.js';
export type { Page } from './pagination.js';
export type { Permission } from './permissions.js';
