/** What the store holds of a key, and the rules that every record keeps. */
import { types } from 'node:util';
import { isScopeToken } from '../protocol/scope.js';
import { columnForField } from './column-name.js';
import { ENVIRONMENTS, type Environment, KEY_KINDS, type KeyKind } from './kind.js';

/** What the store holds of an API key; never the key itself (spec section 2.1). */
export interface KeyRecord {
  /** Names the key in logs, events and `Change`. */
  readonly id: string;
  readonly kind: KeyKind;
  /** The holder that the key acts for. */
  readonly account: string;
  readonly environment: Environment;
  /** The APIs that the key reaches. A public key's is always a list. */
  readonly apis: 'all' | readonly string[];
  /** Finer than `apis`. Absent on a secret key: every scope of its APIs; absent on a public key: none. */
  readonly scopes?: readonly string[] | null | undefined;
  /** The processing channels that the key may use. Absent: `'all'`; `[]`: none. */
  readonly channels?: 'all' | readonly string[] | null | undefined;
  /** An e-commerce platform: then `channels` lists exactly one. */
  readonly platform?: string | null | undefined;
  readonly createdAt?: Date | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  /** When the text that was presented stops being taken, while the key lives on in a new one: it was rolled. */
  readonly retiresAt?: Date | null | undefined;
  /** When it was or will be revoked. Revoked is final. */
  readonly revokedAt?: Date | null | undefined;
  readonly disabled?: boolean | null | undefined;
  readonly name?: string | null | undefined;
}

/** What the store holds of an access key (spec section 2.2). */
export interface AccessKeyRecord {
  /** The Identifier: the token's `client_id`. */
  readonly id: string;
  readonly account: string;
  readonly environment: Environment;
  /** One or two live secrets, as SHA-256 in lower-case hex. */
  readonly secrets: readonly { readonly digest: string; readonly expiresAt?: Date | null | undefined }[];
  /** The scopes assigned. */
  readonly scopes: readonly string[];
  /** Those granted when none is asked for. */
  readonly defaultScopes: readonly string[];
  /** Tokens issued earlier are dead. */
  readonly tokensNotBefore?: Date | null | undefined;
  readonly channels?: 'all' | readonly string[] | null | undefined;
  readonly platform?: string | null | undefined;
  readonly createdAt?: Date | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  readonly revokedAt?: Date | null | undefined;
  readonly disabled?: boolean | null | undefined;
  readonly name?: string | null | undefined;
}

/** A record that breaks a rule. The message names the field and never its value. */
export class RecordFault extends Error {
  override readonly name = 'RecordFault';
}

/** The facts of a key record that passed its rules: a copy of our own, nothing absent, times in milliseconds. */
export interface KeyFacts {
  readonly id: string;
  readonly kind: KeyKind;
  readonly account: string;
  readonly environment: Environment;
  readonly apis: 'all' | readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | undefined;
  /** Milliseconds since 1970; `undefined` where the text that was presented is the key's own. */
  readonly retiresAt: number | undefined;
  readonly life: Life;
}

/** The facts of an access key record that bear on its tokens. */
export interface AccessKeyFacts {
  readonly id: string;
  readonly account: string;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly tokensNotBefore: number;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | undefined;
  readonly life: Life;
}

/** When a credential ends: milliseconds since 1970, `Infinity` where it does not. */
export interface Life {
  readonly expiresAt: number;
  readonly revokedAt: number;
  readonly disabled: boolean;
}

/** Why a credential does not hold at an instant. */
export type Ended = 'revoked' | 'expired' | 'disabled';

/** Whether a life has ended at an instant (milliseconds), and why; `undefined` while it lasts. */
export function endedAt(life: Life, now: number): Ended | undefined {
  if (life.revokedAt <= now) return 'revoked';
  if (life.expiresAt <= now) return 'expired';
  return life.disabled ? 'disabled' : undefined;
}

/**
 * Reads what a resolver returned for a key, each field once, before it is believed.
 *
 * @throws RecordFault where a field is not what `KeyRecord` says, or a rule of spec section 2.1 is broken.
 */
export function readKeyRecord(value: unknown): KeyFacts {
  const record = asRecord<KeyRecord>(value);
  const kind = oneOf('kind', record.kind, KEY_KINDS);
  const apis = allOrNames('apis', record.apis);
  if (kind === 'public' && apis === 'all') throw new RecordFault('apis: a public key lists its APIs');
  const retiresAt = absentOr('retiresAt', record.retiresAt, instant);
  const ends = life(record);
  return {
    id: name('id', record.id),
    kind,
    account: name('account', record.account),
    environment: oneOf('environment', record.environment, ENVIRONMENTS),
    apis,
    scopes: absentOr('scopes', record.scopes, scopes),
    ...channelRule(record),
    retiresAt,
    life: retiresAt === undefined ? ends : { ...ends, expiresAt: Math.min(ends.expiresAt, retiresAt) },
  };
}

/**
 * Reads what a resolver returned for an access key, each field once, before it is believed.
 *
 * @throws RecordFault where a field is not what `AccessKeyRecord` says, or a rule of spec section 2.1 is broken.
 */
export function readAccessKeyRecord(value: unknown): AccessKeyFacts {
  const record = asRecord<AccessKeyRecord>(value);
  return {
    id: name('id', record.id),
    account: name('account', record.account),
    environment: oneOf('environment', record.environment, ENVIRONMENTS),
    scopes: scopes('scopes', record.scopes),
    tokensNotBefore: absentOr('tokensNotBefore', record.tokensNotBefore, instant) ?? Number.NEGATIVE_INFINITY,
    ...channelRule(record),
    life: life(record),
  };
}

function asRecord<R>(value: unknown): { readonly [field in keyof R]: unknown } {
  if (typeof value !== 'object' || value === null) throw new RecordFault('expected a record');
  const misnamed = columnForField(value);
  if (misnamed !== undefined) throw new RecordFault(`${misnamed[0]}: it is called ${misnamed[1]} in this record`);
  return value as { readonly [field in keyof R]: unknown };
}

/** When an e-commerce platform is used, exactly one processing channel is assigned (spec section 2.1, rule 3). */
function channelRule(record: { readonly channels?: unknown; readonly platform?: unknown }) {
  const channels = absentOr('channels', record.channels, allOrNames) ?? 'all';
  const platform = absentOr('platform', record.platform, name);
  if (platform !== undefined && (channels === 'all' || channels.length !== 1)) {
    throw new RecordFault('channels: a key on an e-commerce platform has exactly one');
  }
  return { channels, platform };
}

function life(record: {
  readonly expiresAt?: unknown;
  readonly revokedAt?: unknown;
  readonly disabled?: unknown;
}): Life {
  return {
    expiresAt: absentOr('expiresAt', record.expiresAt, instant) ?? Number.POSITIVE_INFINITY,
    revokedAt: absentOr('revokedAt', record.revokedAt, instant) ?? Number.POSITIVE_INFINITY,
    disabled: absentOr('disabled', record.disabled, flag) ?? false,
  };
}

function absentOr<T>(field: string, value: unknown, read: (field: string, value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(field, value);
}

function name(field: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new RecordFault(`${field}: expected a text`);
  return value;
}

function oneOf<T extends string>(field: string, value: unknown, allowed: readonly T[]): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new RecordFault(`${field}: expected ${allowed.join(' or ')}`);
  return found;
}

function list(field: string, value: unknown, isMember: (member: unknown) => member is string): readonly string[] {
  const members: unknown[] = Array.isArray(value) ? [...value] : [undefined];
  if (!members.every(isMember)) throw new RecordFault(`${field}: expected a list of names`);
  return Object.freeze(members);
}

function allOrNames(field: string, value: unknown): 'all' | readonly string[] {
  return value === 'all' ? value : list(field, value, isName);
}

function scopes(field: string, value: unknown): readonly string[] {
  return list(field, value, isScopeToken);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function instant(field: string, value: unknown): number {
  const time = types.isDate(value) ? value.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw new RecordFault(`${field}: expected a Date`);
  return time;
}

function flag(field: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw new RecordFault(`${field}: expected a boolean`);
  return value;
}
