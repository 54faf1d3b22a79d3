/** Management of accounts, keys and access keys (spec section 5.4). */
import { type Clock, systemClock } from '../contracts/clock.js';
import { Options } from '../options/options.js';
import type { CredentialStore } from '../store/credential-store.js';
import { type Accounts, accountsOf } from './accounts.js';
import { actsOn } from './act.js';
import { auditOf, type ListAudit } from './audit-log.js';
import { type ImportKeys, importKeysOf } from './import-keys.js';
import { KeyDesk, type ShownOnce } from './key-desk.js';
import {
  type AccessKeyEdit,
  type AccessKeySettings,
  type KeyEdit,
  type KeySettings,
  readNewAccessKey,
  readNewKey,
} from './key-settings.js';
import type { KeyView } from './key-view.js';
import type { ListFilter } from './list-filter.js';
import type { Member } from './member.js';
import type { Page } from './pages.js';
import { addSecretTo, endGraceOf, endSecret, readGrace, rollTo } from './rolling.js';

/** Options of `createManagement`. */
export interface ManagementOptions {
  /** Of `openStore`. */
  readonly store: CredentialStore;
  readonly clock?: Clock | undefined;
}

/** What is done with keys of one sort. Every call names who acts; the permission is asked each time. */
interface Keys<Settings, Edit> {
  /** Needs Developer. */
  list(member: Member, filter?: ListFilter): Promise<Page<KeyView>>;
  /** Needs Developer. Another account's key is as unknown as a random one. */
  view(member: Member, id: string): Promise<KeyView>;
  /**
   * Needs Developer. The text is given this once.
   *
   * @param idempotencyKey - Remembered for 24 hours: the same request again makes nothing, and gives the key without
   *   its text.
   */
  create(member: Member, settings: Settings, idempotencyKey?: string): Promise<ShownOnce>;
  /** Needs Owner. Of two editors who saw the same version one wins, and the other gets `version_conflict`. */
  edit(member: Member, id: string, edit: Edit): Promise<KeyView>;
  /**
   * Needs Owner. Gives the key a new text.
   *
   * @param grace - Seconds for which the text before it is taken, 0 to 2,592,000 (30 days); 0. It never lengthens a life.
   * @param version - That of the view which is acted on: another one gets `version_conflict`, so that what is sent twice does
   *   not end the text that is in its grace. Without it, whatever version there is.
   */
  roll(member: Member, id: string, grace?: number, version?: number): Promise<ShownOnce>;
  /** Needs Owner. Ends the grace of a rolled text now. */
  endGrace(member: Member, id: string): Promise<KeyView>;
  /** Needs Owner. Final. */
  delete(member: Member, id: string): Promise<KeyView>;
}

/** API keys: secret and public. */
export interface ApiKeysDesk extends Keys<KeySettings, KeyEdit> {
  /** The operator's: moves an old table over, batch by batch, without new keys. */
  readonly import: ImportKeys;
}

/** Access keys: an Identifier, and one or two live Secrets. */
export interface AccessKeysDesk extends Keys<AccessKeySettings, AccessKeyEdit> {
  /** Needs Owner. Adds a second Secret, which lives until it is deleted; `version` as in `roll`. */
  addSecret(member: Member, id: string, version?: number): Promise<ShownOnce>;
  /** Needs Owner. Ends one Secret, by the `id` of its view; the last one cannot be. */
  deleteSecret(member: Member, id: string, secret: string): Promise<KeyView>;
}

/** Every call may throw a `ManagementError`, with a `status` that fits. */
export interface Management {
  readonly accounts: Accounts;
  readonly keys: ApiKeysDesk;
  readonly accessKeys: AccessKeysDesk;
  /** Needs Developer. */
  readonly audit: ListAudit;
}

/**
 * Makes the management of a store.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function createManagement(given: ManagementOptions): Management {
  const options = new Options('createManagement', given, ['store', 'clock']);
  const store = options.object<CredentialStore>('store', ['resolveKey', 'ready']);
  const clock = options.has('clock') ? options.object<Clock>('clock', ['now', 'monotonic']) : systemClock;
  const acts = actsOn(store, clock);
  const apiKeys = new KeyDesk(acts, store, ['secret', 'public'], 'key');
  const accessKeys = new KeyDesk(acts, store, ['access'], 'access key');

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
      async addSecret(member: Member, id: string, version?: number) {
        const deed = { name: 'add_secret', id, version };
        const { key, result } = await accessKeys.reissue(member, deed, (tx, row, { now }) => addSecretTo(tx, row, now));
        return { key, text: result };
      },
      async deleteSecret(member: Member, id: string, secret: string) {
        const done = await accessKeys.reissue(member, { name: 'delete_secret', id }, (tx, row, { now }) =>
          endSecret(tx, row, secret, now),
        );
        return done.key;
      },
    }),
    audit: auditOf(acts, store),
  });
}

function common<Edit>(desk: KeyDesk) {
  return {
    list: (member: Member, filter: ListFilter = {}) => desk.list(member, filter),
    view: (member: Member, id: string) => desk.view(member, id),
    edit: (member: Member, id: string, edit: Edit) => desk.edit(member, id, edit),
    delete: (member: Member, id: string) => desk.revoke(member, id),
    async roll(member: Member, id: string, grace?: number, version?: number): Promise<ShownOnce> {
      const { key, result } = await desk.reissue(member, { name: 'roll', id, version }, (tx, row, { now }) =>
        rollTo(tx, row, readGrace(grace), now),
      );
      return { key, text: result };
    },
    async endGrace(member: Member, id: string): Promise<KeyView> {
      const done = await desk.reissue(member, { name: 'end_grace', id }, (tx, row, { now }) =>
        endGraceOf(tx, row, now),
      );
      return done.key;
    },
  };
}
