/** Converts the database rows of a key to the object that members get, without the values of secrets. */
import type { Kind } from '../../credentials/credential-kind.js';
import type { Environment } from '../../credentials/environment.js';
import type { RateLimit } from '../../credentials/rate-limit.js';
import type { PublicJwk } from '../../credentials/records/public-jwk.js';
import { parseList, parseNames, parseOptional } from '../../store/json-columns.js';
import type { KeyWithSecrets } from '../../store/repository/repository.js';
import type { KeyRow, PublicKeyRow, SecretRow } from '../../store/tables.js';
import { type RequiredConfirmation, toConfirmation } from './required-token-binding.js';

/**
 * The state of the key itself: the first of `revoked`, `expired` and `disabled` that applies, otherwise `active`. It
 * does not depend on the account. So an `active` key is still refused if its account is disabled. It is also refused if
 * it is for an e-commerce platform and the account has lost its channel.
 */
export type KeyState = 'active' | 'disabled' | 'expired' | 'revoked';

/**
 * `current`: the secret is accepted as long as its key; an access key can have two. `grace_period`: a newer secret has
 * replaced it, and it is accepted until the grace period ends. `ended`: the secret is refused, because it was deleted
 * or replaced, its grace period is over, or its key is expired or revoked.
 */
export type SecretState = 'current' | 'grace_period' | 'ended';

/** One secret of a key, without its value: of an API key, or a client secret of an access key. */
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
   * When the secret ends or has ended, or when its key expires or was revoked, if that is earlier. `null` if the secret
   * ends only with its key. To find out whether the secret has ended, use `state`: this time may come from the clock of
   * another machine.
   */
  readonly acceptedUntil: Date | null;
  readonly lastUsedAt: Date | null;
  /** The IP address from which the secret was last used. */
  readonly lastUsedFrom: string | null;
}

/** One public key of an access key. */
export interface PublicKeyView {
  /** The key ID: it identifies the public key in `removePublicKey`, and in the header of assertions. */
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
  /** The IP addresses and networks from which the key may be used; `null` means from any address. */
  readonly allowedAddresses: readonly string[] | null;
  /** The rate limits; `null` means the default limits of `requireRateLimit`. */
  readonly limits: readonly RateLimit[] | null;
  readonly state: KeyState;
  readonly createdAt: Date;
  readonly createdBy: string;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly disabledAt: Date | null;
  /**
   * Each change increases it. Pass it to `edit`: the edit is refused if the key was changed since then (optimistic
   * locking).
   */
  readonly version: number;
  /**
   * The hint of the newest secret that was neither replaced nor deleted, even if it has ended with its key. If there is
   * no such secret, the hint of the newest secret; `''` if the key has no secret.
   */
  readonly hint: string;
  /** The value (`pk_…`) of a public API key, which is not a secret; `null` on a key of another kind. */
  readonly publicKey: string | null;
  /** The secrets, newest first. They include the last few ended secrets; older ones were deleted. */
  readonly secrets: readonly SecretView[];
  /** The public keys with which the client can authenticate instead of a secret, newest first; empty on an API key. */
  readonly publicKeys: readonly PublicKeyView[];
  /**
   * How the access tokens of the key must be bound: `'dpop'`, `'mtls'`, `true` for either of the two; `null` if they
   * need not be bound.
   */
  readonly requireConfirmation: RequiredConfirmation;
  /** When the key was last used, with any secret or public key. Deleted secrets and removed public keys count too. */
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
 * Returns the id of a secret: the first 16 characters of its digest, enough to distinguish the few secrets of a key.
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
