/** What a member may say of a key, when it is made and when it is edited. */
import type { Environment, Kind } from '../credentials/kind.js';
import { listOf, listText, namesOf } from '../store/stored-lists.js';
import type { KeyRow } from '../store/tables.js';
import {
  type Given,
  readAllOrIds,
  readFlag,
  readFuture,
  readGiven,
  readId,
  readName,
  readOneOf,
  readScopes,
} from './fields.js';
import { invalid } from './management-error.js';
import type { KeyReach } from './reach.js';

/** A new API key (spec section 2.1). */
export interface KeySettings {
  readonly kind: 'secret' | 'public';
  /** `'live'` */
  readonly environment?: Environment | undefined;
  readonly name?: string | null | undefined;
  /** The APIs that it reaches, of those its account has; a public key lists them. */
  readonly apis: 'all' | readonly string[];
  /** Finer than `apis`. Absent on a secret key: every scope of its APIs; on a public key: none. */
  readonly scopes?: readonly string[] | null | undefined;
  /** `'all'` */
  readonly channels?: 'all' | readonly string[] | undefined;
  /** An e-commerce platform: then exactly one channel. */
  readonly platform?: string | null | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** A new access key (spec section 2.2). */
export interface AccessKeySettings extends Omit<KeySettings, 'kind' | 'apis' | 'scopes'> {
  /** The scopes assigned, of those its account has. */
  readonly scopes: readonly string[];
  /** Those granted when none is asked for; all assigned ones. */
  readonly defaultScopes?: readonly string[] | undefined;
}

/** An edit: what is absent stays. */
export interface KeyEdit extends Partial<Omit<KeySettings, 'kind' | 'environment' | 'apis'>> {
  readonly apis?: 'all' | readonly string[] | undefined;
  /** The version that the editor saw. */
  readonly version: number;
  readonly disabled?: boolean | undefined;
}

/** An edit: what is absent stays. */
export interface AccessKeyEdit extends Partial<Omit<AccessKeySettings, 'environment' | 'scopes'>> {
  readonly scopes?: readonly string[] | undefined;
  /** The version that the editor saw. */
  readonly version: number;
  readonly disabled?: boolean | undefined;
  /** `true`: the tokens that it has bought are dead. */
  readonly revokeTokens?: boolean | undefined;
}

const COMMON = ['name', 'channels', 'platform', 'expiresAt', 'scopes'];
const OF_KEYS = [...COMMON, 'apis'];
const OF_ACCESS_KEYS = [...COMMON, 'defaultScopes'];

/** The columns that settings fill. */
export type SettingColumns = Pick<
  KeyRow,
  'name' | 'apis' | 'scopes' | 'default_scopes' | 'channels' | 'platform' | 'expires_at'
>;

export interface NewKey {
  readonly kind: Kind;
  readonly environment: Environment;
  readonly columns: SettingColumns;
}

/** @throws ManagementError `invalid` */
export function readNewKey(value: unknown, now: number): NewKey {
  const given = readGiven(value, ['kind', 'environment', ...OF_KEYS]);
  const kind = readOneOf('kind', given.kind, ['secret', 'public'] as const);
  return { kind, environment: readEnvironment(given), columns: columnsOf(kind, given, undefined, now) };
}

/** @throws ManagementError `invalid` */
export function readNewAccessKey(value: unknown, now: number): NewKey {
  const given = readGiven(value, ['environment', ...OF_ACCESS_KEYS]);
  return { kind: 'access', environment: readEnvironment(given), columns: columnsOf('access', given, undefined, now) };
}

export interface ReadEdit {
  readonly version: number;
  readonly columns: SettingColumns & Pick<KeyRow, 'disabled_at' | 'tokens_not_before'>;
}

/** Reads an edit of a key: its settings with the edit's in their place. @throws ManagementError `invalid` */
export function readEdit(value: unknown, row: KeyRow, now: number): ReadEdit {
  const isAccess = row.kind === 'access';
  const given = readGiven(value, [
    'version',
    'disabled',
    ...(isAccess ? [...OF_ACCESS_KEYS, 'revokeTokens'] : OF_KEYS),
  ]);
  const { version, disabled, revokeTokens } = given;
  if (!Number.isSafeInteger(version)) throw invalid('version', 'expected the version that was viewed');
  const isDisabled = disabled === undefined ? row.disabled_at !== null : readFlag('disabled', disabled);
  const killsTokens = revokeTokens !== undefined && readFlag('revokeTokens', revokeTokens);
  return {
    version: version as number,
    columns: {
      ...columnsOf(row.kind, given, row, now),
      disabled_at: isDisabled ? (row.disabled_at ?? now) : null,
      tokens_not_before: killsTokens ? now : row.tokens_not_before,
    },
  };
}

/** What columns give the key, to be checked against what its account has. */
export function reachOf({ apis, scopes, channels, platform }: SettingColumns): KeyReach {
  return {
    apis: apis === null ? null : listOf(apis),
    scopes: scopes === null ? null : namesOf(scopes),
    channels: listOf(channels),
    platform,
  };
}

export function hasSameReach(one: SettingColumns, other: SettingColumns): boolean {
  return JSON.stringify(reachOf(one)) === JSON.stringify(reachOf(other));
}

/** The settings of a row in words of settings: what the audit says of it. */
export function settingsOf(row: KeyRow): object {
  const { name, default_scopes, expires_at, disabled_at, tokens_not_before } = row;
  return {
    name,
    ...reachOf(row),
    defaultScopes: default_scopes === null ? null : namesOf(default_scopes),
    expiresAt: expires_at === null ? null : new Date(expires_at),
    disabled: disabled_at !== null,
    tokensNotBefore: tokens_not_before === null ? null : new Date(tokens_not_before),
  };
}

/** The settings that an edit changed, as they were and as they are. */
export function difference(was: KeyRow, is: KeyRow): { before: object; after: object } {
  const [before, after] = [Object.entries(settingsOf(was)), Object.entries(settingsOf(is))];
  const isChanged = (i: number) => JSON.stringify(before[i]) !== JSON.stringify(after[i]);
  return {
    before: Object.fromEntries(before.filter((_, i) => isChanged(i))),
    after: Object.fromEntries(after.filter((_, i) => isChanged(i))),
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
      channels === undefined ? (row?.channels ?? listText('all')) : listText(readAllOrIds('channels', channels)),
    platform:
      platform === undefined ? (row?.platform ?? null) : platform === null ? null : readId('platform', platform),
    expires_at: expiresAt === undefined && row !== undefined ? row.expires_at : readFuture('expiresAt', expiresAt, now),
  };
}

function readEnvironment({ environment }: Given): Environment {
  return environment === undefined ? 'live' : readOneOf('environment', environment, ['live', 'sandbox'] as const);
}

function readApis(kind: Kind, value: unknown): string | null {
  if (kind === 'access') return null;
  if (kind === 'public' && value === 'all') throw invalid('apis', 'a public key lists its APIs');
  const apis = readAllOrIds('apis', value);
  if (apis.length === 0) throw invalid('apis', 'expected one or more');
  return listText(apis);
}

function readAssigned(kind: Kind, value: unknown): string | null {
  if (kind !== 'access' && (value === undefined || value === null)) return null;
  const scopes = readScopes('scopes', value);
  if (kind === 'access' && scopes.length === 0) throw invalid('scopes', 'expected one or more');
  return listText(scopes);
}

/** Default scopes are of those assigned; when those are edited alone, the defaults that remain stay. */
function readDefaults(value: unknown, assigned: string | null, row: KeyRow | undefined): string | null {
  const held = namesOf(assigned ?? '[]');
  if (value === undefined) return listText(row === undefined ? held : keptOf(row, held));
  const defaults = readScopes('defaultScopes', value);
  const lacking = defaults.filter((scope) => !held.includes(scope));
  if (lacking.length > 0) throw invalid('defaultScopes', `not assigned: ${lacking.join(', ')}`);
  return listText(defaults);
}

function keptOf({ default_scopes }: KeyRow, held: readonly string[]): readonly string[] {
  return namesOf(default_scopes ?? '[]').filter((scope) => held.includes(scope));
}
