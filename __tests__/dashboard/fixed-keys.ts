import {
  type AuditEntry,
  type KeyView,
  type Management,
  ManagementError,
  type PublicKeyView,
  type SecretView,
  type UsageCounts,
} from 'keyward/management';
import type { MemberAccount } from '../../lib/dashboard/http/member-account.js';
import { hostile } from '../support/managed.js';
import { START } from '../support/manual-clock.js';

/** Keys, secrets and audit entries with fixed IDs and times, as management returns them. */

const DAY = 86_400_000;

/** So many milliseconds before the time of the page, or after it if negative. */
export const msBefore = (milliseconds: number) => new Date(START - milliseconds);
export const daysBefore = (days: number) => msBefore(days * DAY);

export function secretView(number: number, more: Partial<SecretView> = {}): SecretView {
  return {
    ...{
      id: String(number).repeat(16),
      hint: `sk_live_\u2026end${number}`,
      createdAt: daysBefore(100),
      state: 'current',
    },
    ...{ acceptedUntil: null, lastUsedAt: null, lastUsedFrom: null },
    ...more,
  };
}

export function clientSecret(number: number, more: Partial<SecretView> = {}): SecretView {
  return secretView(number, { hint: `\u2026end${number}`, ...more });
}

export function publicKeyView(kid: string, more: Partial<PublicKeyView> = {}): PublicKeyView {
  const jwk = { kty: 'OKP', crv: 'Ed25519', kid, x: 'AAAA' };
  return {
    ...{ kid, type: 'Ed25519', jwk: hostile<PublicKeyView['jwk']>(jwk), createdAt: daysBefore(20) },
    ...{ lastUsedAt: null, lastUsedFrom: null },
    ...more,
  };
}

/** A secret key with no more settings than it must have. */
export function secretKey(more: Partial<KeyView> = {}): KeyView {
  return {
    ...{ id: 'key_1', kind: 'secret', account: 'acme', environment: 'live', name: 'Order service' },
    ...{ apis: ['payments'], scopes: null, defaultScopes: null, channels: 'all', platform: null, metadata: null },
    ...{ allowedAddresses: null, limits: null, state: 'active', createdAt: daysBefore(100), createdBy: 'kim' },
    ...{ expiresAt: null, revokedAt: null, disabledAt: null, version: 3, hint: 'sk_live_\u2026end1', publicKey: null },
    ...{ secrets: [secretView(1)], publicKeys: [], requireConfirmation: null, lastUsedAt: null },
    ...more,
  };
}

export function publicKey(more: Partial<KeyView> = {}): KeyView {
  const hint = 'pk_live_\u2026end2';
  const secrets = [secretView(2, { hint })];
  return secretKey({ id: 'key_2', kind: 'public', name: 'Shop', hint, publicKey: 'pk_live_value', secrets, ...more });
}

export function accessKey(more: Partial<KeyView> = {}): KeyView {
  return secretKey({
    ...{ id: 'ack_3', kind: 'access', name: 'Batch', apis: null, scopes: ['payments'], hint: '\u2026end3' },
    ...{ defaultScopes: ['payments'], secrets: [clientSecret(3)] },
    ...more,
  });
}

/** Every setting that an API key can have. */
export const ALL_SETTINGS: Partial<KeyView> = {
  ...{ environment: 'sandbox', apis: ['payments', 'disputes', 'payouts'], scopes: ['payments', 'payments:refund'] },
  ...{ channels: ['pc_1', 'pc_9'], platform: 'shop', metadata: { team: 'checkout', region: 'eu' } },
  ...{ allowedAddresses: ['203.0.113.7', '2001:db8::/32'], limits: [{ requests: 100, seconds: 60 }] },
  ...{ expiresAt: new Date('2031-01-01T00:00:00Z'), lastUsedAt: msBefore(240_000) },
};

/** A key that was rotated: the old secret is in its grace period. `age` is the time since the rotation. */
export function rotated(key: KeyView, age: number, old: Partial<SecretView> = {}): KeyView {
  const [secret] = key.secrets;
  if (secret === undefined) throw new Error('the key has no secret');
  const hint = secret.hint.replace('end', 'new');
  const grace = { state: 'grace_period', acceptedUntil: daysBefore(-6), ...old } as const;
  const newest = { ...secret, id: 'a'.repeat(16), hint, createdAt: msBefore(age) };
  return { ...key, hint, secrets: [newest, { ...secret, ...grace }] };
}

export const ACCOUNT: MemberAccount = {
  ...{ apis: ['payments', 'disputes'], scopes: ['payments', 'payments:refund', 'disputes'] },
  ...{ channels: ['pc_1', 'pc_2'], platforms: ['shop'], disabled: false },
};

export function auditEntry(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ id: 'entry', at: msBefore(3_600_000), account: 'acme', actor: 'kim', role: 'owner', action: 'key.edit' },
    ...{ outcome: 'done', subject: 'key_1', before: null, after: null, origin: '203.0.113.7' },
    ...more,
  };
}

export interface FixedData {
  readonly keys?: readonly KeyView[];
  readonly account?: Partial<MemberAccount>;
  readonly entries?: readonly AuditEntry[];
  /** Requests by the ID of a key. */
  readonly usage?: Readonly<Record<string, UsageCounts>>;
  /** The cursor of the next page of each list. */
  readonly next?: string | null;
  /** What changes of keys throw. */
  readonly refused?: ManagementError;
  /** The secret of a new key. Without it, the form was sent before. */
  readonly secret?: string | undefined;
}

/** Reads fixed data in the place of a store. The real management has tests of its own. */
export function fixedManagement(data: FixedData = {}): Management {
  const { keys = [], entries = [], usage = {}, next = null, refused } = data;
  const account = { ...ACCOUNT, ...data.account };
  const find = async (_member: unknown, id: string) => {
    const key = keys.find((one) => one.id === id);
    if (key === undefined) throw new ManagementError('not_found', 'the key was not found');
    return key;
  };
  const change = async (member: unknown, id: string) => {
    if (refused !== undefined) throw refused;
    return await find(member, id);
  };
  const make = async (member: unknown, id: string) => ({
    ...{ key: await change(member, id), doneAt: msBefore(60_000) },
    ...('secret' in data && { secret: data.secret }),
  });
  const serviceOf = (isAccess: boolean) => ({
    list: async (_member: unknown, { state }: { state?: string } = {}) => ({
      items: keys.filter(
        (key) => (key.kind === 'access') === isAccess && (state === 'revoked') === (key.state === 'revoked'),
      ),
      next,
    }),
    ...{ view: find, edit: change, endGrace: change, revoke: change, deleteSecret: change },
    ...{ addPublicKey: change, removePublicKey: change, rotate: make, addSecret: make },
    create: (member: unknown) => make(member, isAccess ? 'ack_3' : (keys[0]?.id ?? '')),
  });
  return hostile<Management>({
    accounts: { view: async () => ({ ...account, disabledAt: account.disabled ? daysBefore(1) : null }) },
    keys: serviceOf(false),
    accessKeys: serviceOf(true),
    audit: async () => ({ items: entries, next }),
    usage: async (_member: unknown, id: string) => usageOf(id, usage[id] ?? { accepted: 0, refused: 0 }),
    recentUsage: async () => new Map(Object.entries(usage)),
    keyNames: async () => new Map(keys.flatMap(({ id, name }) => (name === null ? [] : [[id, name]]))),
  });
}

/** The requests of three days: all accepted ones on the second and the third day, all refused ones on the third. */
export function usageOf(id: string, { accepted, refused }: UsageCounts) {
  const half = Math.floor(accepted / 2);
  const days = [
    { day: '2027-01-13', accepted: 0, refused: 0 },
    { day: '2027-01-14', accepted: half, refused: 0 },
    { day: '2027-01-15', accepted: accepted - half, refused },
  ];
  return { id, from: '2027-01-13', to: '2027-01-15', accepted, refused, days };
}
