/** Validates the settings of a key when it is created or edited. */
import type { Kind } from '../../credentials/credential-kind.js';
import type { Environment } from '../../credentials/environment.js';
import type { RateLimit } from '../../credentials/rate-limit.js';
import { listToJson, parseList, parseNames, parseOptional } from '../../store/json-columns.js';
import type { KeyRow } from '../../store/tables.js';
import type { KeyEntitlement } from '../entitlement.js';
import {
  type Given,
  readAllOrIds,
  readEnvironment,
  readFlag,
  readFuture,
  readGiven,
  readId,
  readName,
  readOneOf,
  readScopes,
  readTime,
} from '../fields.js';
import { invalid } from '../management-error.js';
import { OPTIONAL_FIELDS, readOptionalFields } from './optional-key-fields.js';
import { type RequiredConfirmation, readConfirmation, toConfirmation } from './required-token-binding.js';

/** The settings of a new API key (docs/spec.md §2.1). */
export interface KeySettings {
  readonly kind: 'secret' | 'public';
  /** Default: the environment to which the member is limited; `'live'` if the member is not limited. */
  readonly environment?: Environment | undefined;
  /** A name for people, at most 100 characters. */
  readonly name?: string | null | undefined;
  /**
   * The APIs that the key may use: a list of one or more that the account has. `'all'` means every API that the account
   * has at the time of a request; it is not allowed for a public key.
   */
  readonly apis: 'all' | readonly string[];
  /**
   * The scopes of the key. The account must have them. Default for a secret key: every scope of its APIs; for a public
   * key: none.
   */
  readonly scopes?: readonly string[] | null | undefined;
  /** Channels that the account has. Default: `'all'`, every channel that the account has at the time of a request. */
  readonly channels?: 'all' | readonly string[] | undefined;
  /**
   * The e-commerce platform that the key is for. The account must have it, and the key must have exactly one channel.
   */
  readonly platform?: string | null | undefined;
  /** When the key expires: a time in the future. Default: never. */
  readonly expiresAt?: Date | null | undefined;
  /**
   * Custom data: at most 64 entries, with names of 1 to 40 characters and values of at most 500 characters. An edit
   * replaces all entries.
   */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /** The addresses or networks from which the key may be used, 1 to 256. `null`: from any address. */
  readonly allowedAddresses?: readonly string[] | null | undefined;
  /**
   * The rate limits of the key, enforced by `requireRateLimit`: 1 to 8 limits, each a number of requests in a number of
   * seconds. `null`: the default limits of `requireRateLimit`.
   */
  readonly limits?: readonly RateLimit[] | null | undefined;
}

/** The settings of a new access key (docs/spec.md §2.2). */
export interface AccessKeySettings extends Omit<KeySettings, 'kind' | 'apis' | 'scopes'> {
  /** The scopes that are assigned to the key, one or more. The account must have them. */
  readonly scopes: readonly string[];
  /** The scopes that are granted if a token request names no scope. Default: all assigned scopes. */
  readonly defaultScopes?: readonly string[] | undefined;
  /**
   * How the access tokens of the key must be bound: `'dpop'` by DPoP, `'mtls'` by the TLS certificate of the client,
   * `true` by either. `null`: they need not be bound. Tokens that were issued before the setting stay valid.
   */
  readonly requireConfirmation?: RequiredConfirmation | undefined;
}

/** An edit of an API key. A setting that is absent is not changed. */
export interface KeyEdit extends Partial<Omit<KeySettings, 'kind' | 'environment' | 'apis'>> {
  readonly apis?: 'all' | readonly string[] | undefined;
  /** The version that the editor saw. */
  readonly version: number;
  readonly disabled?: boolean | undefined;
}

/**
 * An edit of an access key. A setting that is absent is not changed, with one exception: default scopes that the edit
 * removes from `scopes` are also removed from `defaultScopes`.
 */
export interface AccessKeyEdit extends Partial<Omit<AccessKeySettings, 'environment' | 'scopes'>> {
  readonly scopes?: readonly string[] | undefined;
  /** The version that the editor saw. */
  readonly version: number;
  readonly disabled?: boolean | undefined;
  /** If `true`, all access tokens that were issued for the key so far are revoked. */
  readonly revokeTokens?: boolean | undefined;
}

const COMMON = ['name', 'channels', 'platform', 'expiresAt', 'scopes', ...OPTIONAL_FIELDS];
const OF_KEYS = [...COMMON, 'apis'];
const OF_ACCESS_KEYS = [...COMMON, 'defaultScopes', 'requireConfirmation'];

/** The database columns of a key that contain its settings. */
export type SettingColumns = Pick<KeyRow, 'name' | 'apis' | 'scopes' | 'default_scopes' | 'channels' | 'platform'> &
  Pick<KeyRow, 'expires_at' | 'metadata' | 'allowed_addresses' | 'limits' | 'require_confirmation'>;

export interface NewKey {
  readonly kind: Kind;
  readonly environment: Environment;
  readonly columns: SettingColumns;
}

/**
 * Validates the settings of a new API key, and converts them to database columns.
 *
 * @throws ManagementError `invalid`
 */
export function readNewKey(value: unknown, now: number): NewKey {
  const given = readGiven(value, ['kind', 'environment', ...OF_KEYS]);
  const kind = readOneOf('kind', given.kind, ['secret', 'public'] as const);
  return { kind, environment: readEnvironment(given.environment), columns: columnsOf(kind, given, undefined, now) };
}

/**
 * Validates the settings of a new access key, and converts them to database columns.
 *
 * @throws ManagementError `invalid`
 */
export function readNewAccessKey(value: unknown, now: number): NewKey {
  const given = readGiven(value, ['environment', ...OF_ACCESS_KEYS]);
  return {
    kind: 'access',
    environment: readEnvironment(given.environment),
    columns: columnsOf('access', given, undefined, now),
  };
}

/**
 * A `version` for a change of a key whose version fulfills a condition. An edit with it is refused for every other
 * version, even if it changes nothing. Only the management API uses it, for `If-Match` and `If-None-Match`.
 */
export class VersionCheck {
  readonly allows: (version: number) => boolean;

  constructor(allows: (version: number) => boolean) {
    this.allows = allows;
  }
}

const VERSION_EXPECTED = 'expected the version that the key had when you read it, a positive whole number';

export interface ReadEdit {
  readonly version: number;
  readonly columns: SettingColumns & Pick<KeyRow, 'disabled_at' | 'tokens_not_before'>;
}

/**
 * Validates an edit of a key, and merges it with the current settings.
 *
 * @param databaseNow - The time by the clock of the database. `revokeTokens` stores it, because the clock of this
 *   machine may be wrong. The stored time is always later than the one that the previous `revokeTokens` stored.
 * @throws ManagementError `invalid`
 */
export function readEdit(value: unknown, row: KeyRow, now: number, databaseNow: number): ReadEdit {
  const isAccess = row.kind === 'access';
  const given = readGiven(value, [
    'version',
    'disabled',
    ...(isAccess ? [...OF_ACCESS_KEYS, 'revokeTokens'] : OF_KEYS),
  ]);
  const { disabled, revokeTokens } = given;
  // A `VersionCheck` was checked before.
  const version = given.version instanceof VersionCheck ? row.version : given.version;
  // Not `readVersion`: an edit of 0, which no key has, is a conflict, or succeeds if it changes nothing.
  if (!Number.isSafeInteger(version)) throw invalid('version', VERSION_EXPECTED);
  const isDisabled = disabled === undefined ? row.disabled_at !== null : readFlag('disabled', disabled);
  const revokesTokens = revokeTokens !== undefined && readFlag('revokeTokens', revokeTokens);
  return {
    version: version as number,
    columns: {
      ...columnsOf(row.kind, given, row, now),
      disabled_at: isDisabled ? (row.disabled_at ?? now) : null,
      tokens_not_before: revokesTokens
        ? Math.max(databaseNow, (row.tokens_not_before ?? 0) + 1)
        : row.tokens_not_before,
    },
  };
}

/**
 * Validates the version that a key must have. Without this check, a value of the wrong type would cause a misleading
 * `version_conflict`, for example if the caller swaps the parameters `version` and `idempotencyKey`.
 *
 * @throws ManagementError `invalid`
 */
export function readVersion(value: unknown): VersionCheck {
  if (value instanceof VersionCheck) return value;
  if (!Number.isSafeInteger(value) || (value as number) < 1) throw invalid('version', VERSION_EXPECTED);
  return new VersionCheck((version) => version === value);
}

/** Returns the APIs, scopes, channels and platform of a key, which the account of the key must have. */
export function toKeyEntitlement({ apis, scopes, channels, platform }: SettingColumns): KeyEntitlement {
  return {
    apis: parseOptional(apis),
    scopes: scopes === null ? null : parseNames(scopes),
    channels: parseList(channels),
    platform,
  };
}

export function hasSameEntitlement(one: SettingColumns, other: SettingColumns): boolean {
  return JSON.stringify(toKeyEntitlement(one)) === JSON.stringify(toKeyEntitlement(other));
}

/** Converts the columns of a key to its settings, for the audit log. */
export function settingsOf(row: KeyRow): object {
  const { name, default_scopes, expires_at, disabled_at, tokens_not_before } = row;
  return {
    name,
    ...toKeyEntitlement(row),
    defaultScopes: default_scopes === null ? null : parseNames(default_scopes),
    expiresAt: expires_at === null ? null : new Date(expires_at),
    ...(row.kind === 'access' ? { requireConfirmation: toConfirmation(row) } : {}),
    disabled: disabled_at !== null,
    tokensNotBefore: tokens_not_before === null ? null : new Date(tokens_not_before),
    metadata: parseOptional(row.metadata),
    allowedAddresses: parseOptional(row.allowed_addresses),
    limits: parseOptional(row.limits),
  };
}

function columnsOf(kind: Kind, given: Given, row: KeyRow | undefined, now: number): SettingColumns {
  const { name, apis, scopes, defaultScopes, channels, platform, expiresAt } = given;
  const assigned = scopes === undefined && row !== undefined ? row.scopes : readAssigned(kind, scopes);
  return {
    name: name === undefined && row !== undefined ? row.name : readName('name', name),
    apis: apis === undefined && row !== undefined ? row.apis : readApis(kind, apis),
    scopes: assigned,
    default_scopes: kind === 'access' ? readDefaults(defaultScopes, assigned, row) : null,
    channels:
      channels === undefined ? (row?.channels ?? listToJson('all')) : listToJson(readAllOrIds('channels', channels)),
    platform:
      platform === undefined ? (row?.platform ?? null) : platform === null ? null : readId('platform', platform),
    expires_at: readExpiry(expiresAt, row, now),
    ...readOptionalFields(given, row),
    require_confirmation: readConfirmation(given.requireConfirmation, row),
  };
}

/**
 * Validates the expiry, which must be in the future. An edit of an expired key may contain its unchanged `expiresAt`,
 * because some clients send all settings with every edit.
 */
function readExpiry(value: unknown, row: KeyRow | undefined, now: number): number | null {
  if (row !== undefined && (value === undefined || readTime('expiresAt', value) === row.expires_at))
    return row.expires_at;
  return readFuture('expiresAt', value, now);
}

function readApis(kind: Kind, value: unknown): string | null {
  if (kind === 'access') return null;
  if (kind === 'public' && value === 'all')
    throw invalid('apis', 'a public API key must list its APIs; "all" is not allowed');
  const apis = readAllOrIds('apis', value);
  if (apis.length === 0) throw invalid('apis', 'expected one or more APIs');
  return listToJson(apis);
}

function readAssigned(kind: Kind, value: unknown): string | null {
  if (kind !== 'access' && (value === undefined || value === null)) return null;
  const scopes = readScopes('scopes', value);
  if (kind === 'access' && scopes.length === 0) throw invalid('scopes', 'expected one or more scopes');
  return listToJson(scopes);
}

/**
 * Validates the default scopes, which must be scopes of the key. If they are not given, a new key gets all its scopes
 * as default scopes. An edited key keeps its default scopes, except scopes that it no longer has.
 */
function readDefaults(value: unknown, assigned: string | null, row: KeyRow | undefined): string | null {
  const held = parseNames(assigned ?? '[]');
  if (value === undefined) {
    const stored = row === undefined ? held : parseNames(row.default_scopes ?? '[]');
    return listToJson(stored.filter((scope) => held.includes(scope)));
  }
  const defaults = readScopes('defaultScopes', value);
  const lacking = defaults.filter((scope) => !held.includes(scope));
  if (lacking.length > 0) throw invalid('defaultScopes', `the key does not have these scopes: ${lacking.join(', ')}`);
  return listToJson(defaults);
}
