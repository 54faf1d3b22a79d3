/** How a credential or the account was changed since the demo created it, for example in the Dashboard. */
import { createHash } from 'node:crypto';
import type { AccessKeyRecord, KeyRecord } from 'keyward';
import type { Account, KeySettings } from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import { ACCESS_KEY, ENTITLEMENT, ENVIRONMENT, KEYS, type KeyName } from './demo-keys.js';

type Names = 'all' | readonly string[];

/** Returns how a key was changed; `undefined` if it was not. */
export async function changeOfKey(store: CredentialStore, name: KeyName, secret: string): Promise<string | undefined> {
  const wanted: KeySettings = KEYS[name];
  const { kind } = wanted;
  const presented = { digest: digestOf(secret), kind, environment: ENVIRONMENT, reveal: () => secret } as const;
  const record = await store.resolveKey(presented);
  if (!record) return 'is not in the store';
  const end = endOf(record) ?? (record.acceptedUntil ? 'was rotated' : undefined);
  if (name === 'expiredKey') return end === EXPIRED ? undefined : (end ?? 'has not expired');
  const isUnchanged =
    isSame(record.apis, wanted.apis, ENTITLEMENT.apis) &&
    !record.scopes &&
    isSame(record.channels ?? 'all', wanted.channels ?? 'all') &&
    (record.platform ?? null) === (wanted.platform ?? null);
  return end ?? (isUnchanged ? undefined : 'was changed');
}

/** Returns how the access key was changed; `undefined` if it was not. */
export async function changeOfAccessKey(
  store: CredentialStore,
  id: string,
  value: string,
): Promise<string | undefined> {
  const record = await store.resolveAccessKey(id);
  if (!record) return 'is not in the store';
  const secret = record.secrets.find(({ digest }) => digest === digestOf(value));
  const end = endOf(record) ?? (secret === undefined || secret.expiresAt ? 'has another secret' : undefined);
  const isUnchanged =
    isSame(record.scopes, ACCESS_KEY.scopes) &&
    isSame(record.defaultScopes, ACCESS_KEY.defaultScopes) &&
    isSame(record.channels ?? 'all', 'all');
  return end ?? (isUnchanged ? undefined : 'was changed');
}

/** Returns how the account was changed; `undefined` if it still has what the demo needs. */
export function changeOfAccount({ disabledAt, apis, scopes, platforms, channels }: Account): string | undefined {
  if (disabledAt !== null) return 'is disabled';
  const hasAll = (names: Names, wanted: readonly string[]) =>
    names === 'all' || wanted.every((name) => names.includes(name));
  const isEnough =
    hasAll(apis, ENTITLEMENT.apis) &&
    hasAll(scopes, ENTITLEMENT.scopes) &&
    hasAll(platforms, ENTITLEMENT.platforms) &&
    channels === 'all';
  return isEnough ? undefined : 'lacks APIs, scopes, platforms or channels that the demo needs';
}

const EXPIRED = 'has expired';

function endOf({ revokedAt, disabled, expiresAt }: KeyRecord | AccessKeyRecord): string | undefined {
  if (revokedAt) return 'was revoked';
  if (disabled) return 'was disabled';
  return expiresAt && expiresAt.getTime() <= Date.now() ? EXPIRED : undefined;
}

/** @param everything - The names that `'all'` means for this account. */
function isSame(names: Names, wanted: Names, everything: readonly string[] = []): boolean {
  if (wanted === 'all')
    return names === 'all' || (everything.length > 0 && everything.every((name) => names.includes(name)));
  return names !== 'all' && names.length === wanted.length && wanted.every((name) => names.includes(name));
}

function digestOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}
