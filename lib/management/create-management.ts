/**
 * `createManagement()`: the operations on accounts, API keys and access keys, their usage counts and the audit log.
 * Each operation of a member needs a permission (docs/spec.md §5.4).
 */
import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import { type OptionTable, object, readTable } from '../options/option-table.js';
import type { CredentialStore } from '../store/credential-store.js';
import { type Accounts, accountsOf } from './accounts/accounts.js';
import { createOperations } from './audit-log/audited-operation.js';
import { auditOf, type ListAudit } from './audit-log/read-audit-log.js';
import type { ListFilter } from './key-list-filter.js';
import { type ImportKeys, importKeysOf } from './keys/import-keys.js';
import { type CreatedKey, KeyService } from './keys/key-service.js';
import {
  type AccessKeyEdit,
  type AccessKeySettings,
  type KeyEdit,
  type KeySettings,
  readNewAccessKey,
  readNewKey,
} from './keys/key-settings.js';
import type { KeyView } from './keys/key-view.js';
import { addPublicKeyTo, type PublicKeyInput, removePublicKeyFrom } from './keys/public-keys.js';
import { addSecretTo, endGraceOf, endSecret, readGrace, rotateTo } from './keys/secrets.js';
import { type KeyUsage, type UsageCounts, type UsageFilter, usageReaders } from './keys/usage.js';
import type { Member } from './member.js';
import type { Page } from './pagination.js';

/** Options of `createManagement`. */
export interface ManagementOptions {
  /** The store that `openStore` returned. */
  readonly store: CredentialStore;
  /** The clock that tells the current time. Default: the system clock. */
  readonly clock?: Clock | undefined;
}

/**
 * Operations on one type of key. The first parameter of each operation is the member who calls it. The operation checks
 * the permission of this member, whom the audit log shows as the actor.
 *
 * Each change takes an `idempotencyKey`, which is stored for 24 hours if the change succeeds. If the same request is
 * sent again, it changes nothing, adds no entry to the audit log, and returns the key as it is now, without its secret.
 * A different request with the same idempotency key throws `idempotency_conflict`. Requests that differ only in
 * `version` count as the same request.
 */
interface Keys<Settings, Edit> {
  /** Requires the Reader permission. Lists the keys of the member's account, in pages. */
  list(member: Member, filter?: ListFilter): Promise<Page<KeyView>>;
  /**
   * Requires the Reader permission. For a key of another account, it throws the same `not_found` as for a key that does
   * not exist: members must not learn which ids exist.
   */
  view(member: Member, id: string): Promise<KeyView>;
  /**
   * Requires the Developer permission, and an account that is not disabled. Only this call returns the secret; it
   * cannot be read again. The value of a public API key is not secret and stays readable (`KeyView.publicKey`).
   *
   * A member can give the key a scope of the management API only with the permission that the scope gives:
   * `keys:manage` requires Owner.
   */
  create(member: Member, settings: Settings, idempotencyKey?: string): Promise<CreatedKey>;
  /**
   * Requires the Owner permission. If two members edit the same version, the first edit succeeds and the second throws
   * `version_conflict`. An edit that changes nothing succeeds with any version.
   */
  edit(member: Member, id: string, edit: Edit, idempotencyKey?: string): Promise<KeyView>;
  /**
   * Requires the Owner permission, and an account that is not disabled. Gives the key a new secret. If an older secret
   * is in the grace period of an earlier rotation, that secret is refused from now on. An access key with two current secrets cannot be
   * rotated (`invalid`); delete one of the secrets first.
   *
   * @param grace - Seconds for which the old secret is still accepted, 0 to 2,592,000 (30 days). Default: 0. If the key
   *   expires or is revoked earlier, the grace period ends with it.
   * @param version - The version that the caller saw. If the key has another version now, the call throws
   *   `version_conflict`. This protects against a form that is sent twice: a second rotation would end the grace period
   *   of the old secret. Default: any version.
   */
  rotate(member: Member, id: string, grace?: number, version?: number, idempotencyKey?: string): Promise<CreatedKey>;
  /**
   * Requires the Owner permission. Refuses the old secret from now on, even if its grace period is over by the clock
   * of this machine. If the key has no old secret, or it was already ended, throws `not_found`. `version` has the same meaning as in `rotate`.
   */
  endGrace(member: Member, id: string, idempotencyKey?: string, version?: number): Promise<KeyView>;
  /**
   * Requires the Owner permission. Revokes the key, which cannot be undone. `version` has the same meaning as in
   * `rotate`.
   */
  revoke(member: Member, id: string, idempotencyKey?: string, version?: number): Promise<KeyView>;
}

/** Operations on API keys: secret keys and public keys. */
export interface ApiKeyService extends Keys<KeySettings, KeyEdit> {
  /**
   * Imports existing keys from another table, in batches; clients continue to use the same keys. It checks no
   * permission, so only the operator may call it.
   */
  readonly import: ImportKeys;
}

/**
 * Operations on access keys. An access key is a client ID with at most two client secrets, with public keys, or with
 * both.
 */
export interface AccessKeyService extends Keys<AccessKeySettings, AccessKeyEdit> {
  /**
   * Requires the Owner permission, and an account that is not disabled. Adds a client secret, which is accepted until
   * it is deleted or rotated. If the access key already has two accepted secrets, it throws `invalid`; a secret in a
   * grace period counts too. `version` has the same meaning as in `rotate`.
   */
  addSecret(member: Member, id: string, version?: number, idempotencyKey?: string): Promise<CreatedKey>;
  /**
   * Requires the Owner permission. Deletes a client secret. If no other current secret is left, the access key must
   * have a public key; a secret in a grace period does not count. Otherwise, it throws `invalid`.
   *
   * @param secret - The `id` of the secret in `KeyView.secrets`.
   * @param version - The same meaning as in `rotate`.
   */
  deleteSecret(member: Member, id: string, secret: string, idempotencyKey?: string, version?: number): Promise<KeyView>;
  /**
   * Requires the Owner permission, and an account that is not disabled. Adds a public key to an access key, which can
   * have at most ten. The client then authenticates with `private_key_jwt`, an assertion signed with the private key
   * (RFC 7523).
   *
   * @param key - A JWK, a JWK Set with one key, or a public key or certificate in PEM format.
   * @throws ManagementError `invalid` for a private, symmetric or weak key, an eleventh key, or a `kid` that the access
   *   key already has. Then the key is not stored.
   */
  addPublicKey(
    member: Member,
    id: string,
    key: PublicKeyInput,
    idempotencyKey?: string,
    version?: number,
  ): Promise<KeyView>;
  /**
   * Requires the Owner permission. Removes a public key: assertions signed with its private key are refused from now
   * on. Access tokens that the client obtained with such an assertion stay valid; to revoke them, edit the access key
   * with `revokeTokens`. The last public key can be removed only if the access key has a client secret that is not in a
   * grace period.
   */
  removePublicKey(member: Member, id: string, kid: string, idempotencyKey?: string, version?: number): Promise<KeyView>;
}

/** The operations of management. Every call may throw a `ManagementError`, whose `status` is the HTTP status for it. */
export interface Management {
  readonly accounts: Accounts;
  readonly keys: ApiKeyService;
  readonly accessKeys: AccessKeyService;
  /** Requires the Reader permission. Lists the audit log of the member's account. */
  readonly audit: ListAudit;
  /**
   * Requires the Reader permission. Returns the number of requests for each day: requests with an API key, or with the
   * tokens of an access key. Default: the last 30 days. The period has at most 400 days, because older counts are
   * deleted.
   *
   * @throws ManagementError `invalid`, `not_found`
   */
  usage(member: Member, id: string, filter?: UsageFilter): Promise<KeyUsage>;
  /**
   * Requires the Reader permission. Returns the number of requests in the last 30 days for each key, by key id. Keys
   * without requests are left out, and so are keys that the member does not manage.
   *
   * @param ids - The ids of at most 200 keys.
   */
  recentUsage(member: Member, ids: readonly string[]): Promise<ReadonlyMap<string, UsageCounts>>;
  /**
   * Requires the Reader permission. Returns the names of API keys and access keys by key id, including revoked keys.
   * Keys without a name and keys of other accounts are left out. A member who manages only one environment also gets
   * the names of keys in the other environment, because the audit log shows both.
   *
   * @param ids - The ids of at most 200 keys.
   */
  keyNames(member: Member, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const OPTIONS = {
  store: object<CredentialStore>(['resolveKey', 'ready']),
  clock: clockOption,
} satisfies OptionTable<ManagementOptions>;

/**
 * Creates the management operations of a store.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import { createManagement } from 'keyward/management';
 * import { openStore } from 'keyward/store';
 *
 * const management = createManagement({ store: await openStore('file:./keyward.db') });
 * const member = { id: 'ada@example.com', account: 'acme', permissions: ['developer'] } as const;
 * const { key, secret } = await management.keys.create(member, { kind: 'secret', apis: 'all' });
 * ```
 */
export function createManagement(given: ManagementOptions): Management {
  if (typeof (given as Partial<CredentialStore> | undefined)?.resolveKey === 'function') {
    throw new TypeError('createManagement: expected options like { store }, got the store itself');
  }
  const { store, clock } = readTable('createManagement', given, OPTIONS);
  const operations = createOperations(store, clock);
  const apiKeys = new KeyService(operations, store, ['secret', 'public'], 'key');
  const accessKeys = new KeyService(operations, store, ['access'], 'access key');

  return Object.freeze({
    accounts: accountsOf(store, clock),
    keys: Object.freeze({
      ...common<KeyEdit>(apiKeys),
      create: (member: Member, settings: KeySettings, idempotencyKey?: string) =>
        apiKeys.create(member, settings, idempotencyKey, readNewKey),
      import: importKeysOf(store, clock),
    }),
    accessKeys: Object.freeze({
      ...common<AccessKeyEdit>(accessKeys),
      create: (member: Member, settings: AccessKeySettings, idempotencyKey?: string) =>
        accessKeys.create(member, settings, idempotencyKey, readNewAccessKey),
      async addSecret(member: Member, id: string, version?: number, idempotencyKey?: string): Promise<CreatedKey> {
        const request = { name: 'add_secret', id, version, idempotencyKey, addsCredential: true };
        const { key, result, doneAt } = await accessKeys.changeCredentials(member, request, (tx, row, { now }) =>
          addSecretTo(tx, row, now),
        );
        return { key, secret: result, doneAt };
      },
      async deleteSecret(member: Member, id: string, secret: string, idempotencyKey?: string, version?: number) {
        const request = { name: 'delete_secret', id, version, idempotencyKey, input: secret };
        return (
          await accessKeys.changeCredentials(member, request, (tx, row, { now }) => endSecret(tx, row, secret, now))
        ).key;
      },
      async addPublicKey(member: Member, id: string, key: PublicKeyInput, idempotencyKey?: string, version?: number) {
        const request = { name: 'add_public_key', id, version, idempotencyKey, input: key, addsCredential: true };
        return (
          await accessKeys.changeCredentials(member, request, (tx, row, { now }) => addPublicKeyTo(tx, row, key, now))
        ).key;
      },
      async removePublicKey(member: Member, id: string, kid: string, idempotencyKey?: string, version?: number) {
        const request = { name: 'remove_public_key', id, version, idempotencyKey, input: kid };
        return (await accessKeys.changeCredentials(member, request, (tx, row) => removePublicKeyFrom(tx, row, kid)))
          .key;
      },
    }),
    audit: auditOf(operations, store),
    ...usageReaders(operations, store),
  });
}

function common<Edit>(keys: KeyService) {
  return {
    list: (member: Member, filter: ListFilter = {}) => keys.list(member, filter),
    view: (member: Member, id: string) => keys.view(member, id),
    edit: (member: Member, id: string, edit: Edit, idempotencyKey?: string) =>
      keys.edit(member, id, edit, idempotencyKey),
    revoke: (member: Member, id: string, idempotencyKey?: string, version?: number) =>
      keys.revoke(member, id, idempotencyKey, version),
    async rotate(
      member: Member,
      id: string,
      grace?: number,
      version?: number,
      idempotencyKey?: string,
    ): Promise<CreatedKey> {
      const request = { name: 'rotate', id, version, idempotencyKey, input: grace, addsCredential: true };
      const { key, result, doneAt } = await keys.changeCredentials(member, request, (tx, row, { now }) =>
        rotateTo(tx, row, readGrace(grace), now),
      );
      return { key, secret: result, doneAt };
    },
    async endGrace(member: Member, id: string, idempotencyKey?: string, version?: number): Promise<KeyView> {
      const request = { name: 'end_grace', id, version, idempotencyKey };
      return (await keys.changeCredentials(member, request, (tx, row, { now }) => endGraceOf(tx, row, now))).key;
    },
  };
}
