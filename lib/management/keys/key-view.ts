/** A key as members see it, without its secret. */
import type { Kind } from '../../credentials/credential-kind.js';
import type { Environment } from '../../credentials/environment.js';
import type { RateLimit } from '../../credentials/rate-limit.js';
import type { PublicJwk } from '../../credentials/records/public-jwk.js';
import { parseList, parseNames, parseOptional } from '../../store/json-columns.js';
import type { KeyWithSecrets } from '../../store/repository/repository.js';
import type { KeyRow, PublicKeyRow, SecretRow } from '../../store/tables.js';
import { type RequiredConfirmation, toConfirmation } from './required-confirmation.js';

/**
 * The first of these that applies: `revoked`, `expired`, `disabled`, otherwise `active`. It does not depend on the
 * account. So a key can be `active`, although it is refused: its account is disabled, or the key is for an e-commerce
 * platform and the account has lost its channel.
 */
export type KeyState = 'active' | 'disabled' | 'expired' | 'revoked';

/**
 * `current`: a secret that ends only with its key; an access key can have two. `grace_period`: a rotated secret that is
 * accepted until the grace period ends. `ended`: a secret that is refused: it was deleted or replaced, its grace period
 * is over, or its key is expired or revoked.
 */
export type SecretState = 'current' | 'grace_period' | 'ended';

/** One secret of a key: a key value, or a client secret of an access key. */
export interface SecretView {
  /** Identifies the secret, for example in `deleteSecret`. */
  readonly id: string;
  /**
   * A text by which people recognize the secret: `sk_…abcd`, `…abcd` for a client secret, or the hint of an imported
   * key.
   */
  readonly hint: string;
  readonly createdAt: Date;
  readonly state: SecretState;
  /**
   * When the secret ends or has ended; if the key expires or is revoked earlier, that time. `null` if the secret ends
   * only with its key. Use `state` to find out whether it has ended: this time may come from another machine's clock.
   */
  readonly acceptedUntil: Date | null;
  readonly lastUsedAt: Date | null;
  /** The IP address of the last use. */
  readonly lastUsedFrom: string | null;
}

/** One public key of an access key. */
export interface PublicKeyView {
  /** Identifies the public key, for example in `removePublicKey` and in the header of assertions. */
  readonly kid: string;
  /** The type of the key: its curve, such as `P-256` or `Ed25519`, or `RSA`. */
  readonly type: string;
  readonly jwk: PublicJwk;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly lastUsedFrom: string | null;
}

export interface KeyView {
  readonly id: string;
  readonly kind: Kind;
  readonly account: string;
  readonly environment: Environment;
  readonly name: string | null;
  /** The APIs of the key; `null` on an access key, whose scopes decide which APIs it can use. */
  readonly apis: 'all' | readonly string[] | null;
  /** The scopes of the key; `null` means every scope of its APIs for a secret key, and none for a public key. */
  readonly scopes: readonly string[] | null;
  /** The scopes of an access key that are granted if a token request names none; `null` on an API key. */
  readonly defaultScopes: readonly string[] | null;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | null;
  /** Custom data; `null` if there is none. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** The addresses from which the key may be used; `null` means from any address. */
  readonly allowedAddresses: readonly string[] | null;
  /** The request limits; `null` means the default of `requireRateLimit`. */
  readonly limits: readonly RateLimit[] | null;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly disabledAt: Date | null;
  /** Pass it to `edit`, which refuses the edit if the key has another version by then (optimistic locking). */
  readonly version: number;
  /** The hint of the newest current secret; if there is none, that of the newest secret; `''` if the key has none. */
  readonly hint: string;
  /** The value (`pk_…`) of a public API key, which is not a secret; `null` on a key of another kind. */
  readonly publicKey: string | null;
  /** The secrets, newest first. Of those that have ended, only the latest are kept. */
  readonly secrets: readonly SecretView[];
  /** The public keys with which an access key authenticates instead of a secret, newest first; empty on an API key. */
  readonly publicKeys: readonly PublicKeyView[];
  /**
   * How the access tokens of the key must be bound: `'dpop'`, `'mtls'`, `true` for either of the two; `null` if they
   * need not be bound.
   */
  readonly requireConfirmation: RequiredConfirmation;
  /** When any of the key's secrets or public keys was last used, also one that was deleted or removed since. */
  readonly lastUsedAt: Date | null;
}

export function keyViewOf({ key, secrets, publicKeys }: KeyWithSecrets, now: number): KeyView {
  const newestFirst = secrets.toReversed();
  const own =
    newestFirst.find(({ retires_at, ended_at }) => retires_at === null && ended_at === null) ?? newestFirst[0];
  return {
    id: key.id,
    kind: key.kind,
    account: key.account,
    environment: key.environment,
    name: key.name,
    apis: key.apis === null ? null : parseList(key.apis),
    scopes: key.scopes === null ? null : parseNames(key.scopes),
    defaultScopes: key.default_scopes === null ? null : parseNames(key.default_scopes),
    channels: parseList(key.channels),
    platform: key.platform,
    metadata: parseOptional<Record<string, string>>(key.metadata),
    allowedAddresses: parseOptional<string[]>(key.allowed_addresses),
    limits: parseOptional<RateLimit[]>(key.limits),
    state: stateOf(key, now),
    createdAt: new Date(key.created_at),
    createdBy: key.created_by,
    expiresAt: dateOf(key.expires_at),
    revokedAt: dateOf(key.revoked_at),
    disabledAt: dateOf(key.disabled_at),
    version: key.version,
    hint: own?.hint ?? '',
    publicKey: own?.public_text ?? null,
    secrets: newestFirst.map((row) => secretViewOf(row, key, now)),
    publicKeys: publicKeys.toReversed().map(publicKeyViewOf),
    requireConfirmation: toConfirmation(key),
    lastUsedAt: key.used_at === 0 ? null : new Date(key.used_at),
  };
}

/**
 * Returns the id of a secret: the first part of its digest, which is enough to distinguish the few secrets of a key.
 */
export function secretIdOf({ digest }: Pick<SecretRow, 'digest'>): string {
  return digest.slice(0, 16);
}

function secretViewOf(row: SecretRow, key: KeyRow, now: number): SecretView {
  const { retires_at, ended_at } = row;
  const end = earliest(retires_at, ended_at, key.expires_at, key.revoked_at);
  const hasEnded = ended_at !== null || key.revoked_at !== null || end <= now;
  const endsWithKey = retires_at === null && ended_at === null;
  return {
    id: secretIdOf(row),
    hint: row.hint,
    createdAt: new Date(row.created_at),
    state: hasEnded ? 'ended' : retires_at === null ? 'current' : 'grace_period',
    acceptedUntil: endsWithKey ? null : new Date(end),
    lastUsedAt: dateOf(row.last_used_at),
    lastUsedFrom: row.last_used_from,
  };
}

function publicKeyViewOf({ kid, jwk, created_at, last_used_at, last_used_from }: PublicKeyRow): PublicKeyView {
  const parsed = JSON.parse(jwk) as PublicJwk;
  return {
    kid,
    type: String(parsed.crv ?? parsed.kty),
    jwk: parsed,
    createdAt: new Date(created_at),
    lastUsedAt: dateOf(last_used_at),
    lastUsedFrom: last_used_from,
  };
}

function earliest(...times: readonly (number | null)[]): number {
  return Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
}

function stateOf({ revoked_at, expires_at, disabled_at }: KeyRow, now: number): KeyState {
  if (revoked_at !== null) return 'revoked';
  if (expires_at !== null && expires_at <= now) return 'expired';
  return disabled_at === null ? 'active' : 'disabled';
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}
