/** Whether a credential of an earlier start is still what the demo says of it: anybody may have changed it meanwhile. */
import { createHash } from 'node:crypto';
import type { AccessKeyRecord, KeyRecord } from 'keyward';
import type { Account, KeySettings } from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { ACCESS_KEY, ENTITLEMENT, ENVIRONMENT, KEYS, type KeyName } from './demo-keys.js';

type Names = 'all' | readonly string[];

/** What became of a key; `undefined`: it is as it was made. */
export async function faultOfKey(store: CredentialStore, name: KeyName, text: string): Promise<string | undefined> {
  const wanted: KeySettings = KEYS[name];
  const { kind } = wanted;
  const presented = { digest: digestOf(text), kind, environment: ENVIRONMENT, reveal: () => text } as const;
  const record = await store.resolveKey(presented);
  if (!record) return 'is not known any more';
  const end = endOf(record) ?? (record.acceptedUntil ? 'was rotated' : undefined);
  if (name === 'expiredKey') return end === EXPIRED ? undefined : (end ?? 'has expired no longer');
  const isAsMade =
    reaches(record.apis, wanted.apis, ENTITLEMENT.apis) &&
    !record.scopes &&
    reaches(record.channels ?? 'all', wanted.channels ?? 'all') &&
    (record.platform ?? null) === (wanted.platform ?? null);
  return end ?? (isAsMade ? undefined : 'was changed');
}

/** The same of the access key. */
export async function faultOfAccessKey(store: CredentialStore, id: string, text: string): Promise<string | undefined> {
  const record = await store.resolveAccessKey(id);
  if (!record) return 'is not known any more';
  const secret = record.secrets.find(({ digest }) => digest === digestOf(text));
  const end = endOf(record) ?? (secret === undefined || secret.expiresAt ? 'has another Secret' : undefined);
  const isAsMade =
    reaches(record.scopes, ACCESS_KEY.scopes) &&
    reaches(record.defaultScopes, ACCESS_KEY.defaultScopes) &&
    reaches(record.channels ?? 'all', 'all');
  return end ?? (isAsMade ? undefined : 'was changed');
}

/** What became of the account. */
export function faultOfAccount({ disabledAt, apis, scopes, platforms, channels }: Account): string | undefined {
  if (disabledAt !== null) return 'is disabled';
  const hasAll = (names: Names, wanted: readonly string[]) =>
    names === 'all' || wanted.every((name) => names.includes(name));
  const isEnough =
    hasAll(apis, ENTITLEMENT.apis) &&
    hasAll(scopes, ENTITLEMENT.scopes) &&
    hasAll(platforms, ENTITLEMENT.platforms) &&
    channels === 'all';
  return isEnough ? undefined : 'no longer has what the demo needs';
}

const EXPIRED = 'has expired';

function endOf({ revokedAt, disabled, expiresAt }: KeyRecord | AccessKeyRecord): string | undefined {
  if (revokedAt) return 'was deleted';
  if (disabled) return 'was disabled';
  return expiresAt && expiresAt.getTime() <= Date.now() ? EXPIRED : undefined;
}

/** @param everything - What `'all'` is of this account. */
function reaches(names: Names, wanted: Names, everything: readonly string[] = []): boolean {
  if (wanted === 'all')
    return names === 'all' || (everything.length > 0 && everything.every((name) => names.includes(name)));
  return names !== 'all' && names.length === wanted.length && wanted.every((name) => names.includes(name));
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
