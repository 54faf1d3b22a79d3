/** A key as members see it: never the key itself. */
import type { Environment, Kind } from '../credentials/kind.js';
import type { KeyWithSecrets } from '../store/ledger.js';
import { listOf, namesOf } from '../store/stored-lists.js';
import type { KeyRow, SecretRow } from '../store/tables.js';

export type KeyState = 'active' | 'disabled' | 'expired' | 'revoked';

/** One text of a key: its own, or the one before it while it is in its grace period. */
export interface SecretView {
  /** Names it in calls. */
  readonly id: string;
  /** `sk_…abcd`. */
  readonly hint: string;
  readonly createdAt: Date;
  /** When a rolled one stops being taken; `null` for one that stays. */
  readonly retiresAt: Date | null;
  readonly lastUsedAt: Date | null;
  readonly lastUsedFrom: string | null;
}

export interface KeyView {
  readonly id: string;
  readonly kind: Kind;
  readonly account: string;
  readonly environment: Environment;
  readonly name: string | null;
  /** `null` on an access key: its scopes say it. */
  readonly apis: 'all' | readonly string[] | null;
  /** `null`: every scope of its APIs. */
  readonly scopes: readonly string[] | null;
  /** Of an access key: the scopes granted when none is asked for. */
  readonly defaultScopes: readonly string[] | null;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | null;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly disabledAt: Date | null;
  /** Give it back with an edit: of two editors one wins. */
  readonly version: number;
  /** Of the text that stays. */
  readonly hint: string;
  /** A public key's text, which is no secret; `null` on every other. */
  readonly publicText: string | null;
  /** Newest first. */
  readonly secrets: readonly SecretView[];
  /** The latest use of any of its texts. */
  readonly lastUsedAt: Date | null;
}

export function keyViewOf({ key, secrets }: KeyWithSecrets, now: number): KeyView {
  const newestFirst = secrets.toReversed();
  const own = newestFirst.find(({ retires_at }) => retires_at === null) ?? newestFirst[0];
  const uses = secrets.flatMap(({ last_used_at }) => (last_used_at === null ? [] : [last_used_at]));
  return {
    id: key.id,
    kind: key.kind,
    account: key.account,
    environment: key.environment,
    name: key.name,
    apis: key.apis === null ? null : listOf(key.apis),
    scopes: key.scopes === null ? null : namesOf(key.scopes),
    defaultScopes: key.default_scopes === null ? null : namesOf(key.default_scopes),
    channels: listOf(key.channels),
    platform: key.platform,
    state: stateOf(key, now),
    createdAt: new Date(key.created_at),
    createdBy: key.created_by,
    expiresAt: dateOf(key.expires_at),
    revokedAt: dateOf(key.revoked_at),
    disabledAt: dateOf(key.disabled_at),
    version: key.version,
    hint: own?.hint ?? '',
    publicText: own?.public_text ?? null,
    secrets: newestFirst.map(secretViewOf),
    lastUsedAt: uses.length === 0 ? null : new Date(Math.max(...uses)),
  };
}

/** The first part of a digest tells the few secrets of a key apart. */
export function secretIdOf({ digest }: Pick<SecretRow, 'digest'>): string {
  return digest.slice(0, 16);
}

function secretViewOf(row: SecretRow): SecretView {
  return {
    id: secretIdOf(row),
    hint: row.hint,
    createdAt: new Date(row.created_at),
    retiresAt: dateOf(row.retires_at),
    lastUsedAt: dateOf(row.last_used_at),
    lastUsedFrom: row.last_used_from,
  };
}

function stateOf({ revoked_at, expires_at, disabled_at }: KeyRow, now: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  if (expires_at !== null && expires_at <= now) return 'expired';
  return disabled_at === null ? 'active' : 'disabled';
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}
