import { afterAll, beforeAll, expect } from '@jest/globals';
import {
  type AccountSettings,
  type AuditEntry,
  createManagement,
  type KeySettings,
  type KeyView,
  type Management,
  ManagementError,
  type Member,
} from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { createManualClock, type ManualClock } from './manual-clock.js';
import { makeStores, type Stores } from './store-places.js';
import type { EngineName } from './test-stores.js';

/** A store under management, for the tests of one `describe`. Each test makes an account of its own in it. */
export interface Managed {
  readonly store: CredentialStore;
  readonly management: Management;
  readonly clock: ManualClock;
  readonly url: string;
  /** A second store on the same place, as another process has one. */
  another(): Promise<CredentialStore>;
  /** Makes an account that no other test has; `settings` in the place of what `HAS` says. */
  account(settings?: AccountSettings): Promise<Holder>;
}

/** An account, and those who act for it. */
export interface Holder {
  readonly id: string;
  readonly developer: Member;
  readonly owner: Member;
  /** Makes an API key that no text can be had of again. */
  key(settings?: Partial<KeySettings>): Promise<{ readonly key: KeyView; readonly text: string }>;
  accessKey(scopes?: readonly string[]): Promise<{ readonly key: KeyView; readonly text: string }>;
  /** What the audit says, the oldest first; without the making of the account. */
  story(): Promise<readonly AuditEntry[]>;
}

/** What the account of a test has. */
export const HAS = {
  apis: ['payments', 'disputes'],
  scopes: ['payments', 'payments:refund', 'disputes'],
  channels: ['pc_1', 'pc_2', 'pc_3'],
  platforms: ['shop'],
} as const satisfies AccountSettings;

export const OPERATOR = 'operator@platform';

/** Opens a store for the tests of the `describe` that calls it. */
export function managed(engine: EngineName): Managed {
  const clock = createManualClock();
  let stores: Stores;
  let store: CredentialStore;
  let management: Management;
  let made = 0;

  beforeAll(async () => {
    stores = await makeStores(engine);
    store = await stores.open();
    management = createManagement({ store, clock });
  });

  afterAll(() => stores.close());

  return {
    clock,
    get store() {
      return store;
    },
    get management() {
      return management;
    },
    get url() {
      return stores.url;
    },
    another: () => stores.open(),
    async account(settings = {}) {
      made += 1;
      const { id } = await management.accounts.put(OPERATOR, `acc_${made}`, { ...HAS, ...settings });
      return holderOf(management, id);
    },
  };
}

function holderOf(management: Management, id: string): Holder {
  const address = '203.0.113.7';
  const owner: Member = { id: `owner@${id}`, account: id, permissions: ['owner'], address };
  const developer: Member = { id: `developer@${id}`, account: id, permissions: ['developer'], address };
  return {
    id,
    owner,
    developer,
    async key(settings = {}) {
      const { key, secret: text } = await management.keys.create(developer, {
        kind: 'secret',
        apis: ['payments'],
        ...settings,
      });
      return { key, text: String(text) };
    },
    async accessKey(scopes = ['payments']) {
      const { key, secret: text } = await management.accessKeys.create(developer, { scopes });
      return { key, text: String(text) };
    },
    story: async () => (await storyOf(management, owner)).filter(({ action }) => action !== 'account.put'),
  };
}

/** What the audit says to a member, the oldest first. */
export async function storyOf(management: Management, member: Member): Promise<readonly AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let after: string | undefined;
  do {
    const page = await management.audit(member, { limit: 200, after });
    entries.push(...page.items);
    after = page.next ?? undefined;
  } while (after !== undefined);
  return entries.reverse();
}

/** Waits for what must be refused; its error as a member sees it. */
export async function refusalOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ManagementError);
  const { status, code, message, field } = error as ManagementError;
  return { status, code, message, field };
}

/** A refusal, in part. */
export const refusing = (status: number, code: string, field?: string) =>
  expect.objectContaining(field === undefined ? { status, code } : { status, code, field });

/** Whatever a type does not allow, given all the same: what JSON may bring. */
export const hostile = <T>(value: unknown) => value as T;
