/**
 * Maps rows of the database to the records that verifiers and the issuer use. A record has only those APIs, scopes and
 * channels of the key that its account still has.
 *
 * The spread is at the end of each record: V8 of Node 20 creates a new hidden class for each object that begins with a
 * spread, and a lookup takes a tenth longer.
 */

import type { RateLimit } from '../credentials/rate-limit.js';
import type { AccessKeyRecord, KeyRecord } from '../credentials/records/key-records.js';
import type { PublicJwk } from '../credentials/records/public-jwk.js';
import type { RevokedTokens } from '../credentials/records/read-revoked-tokens.js';
import { intersection, parseList, parseNames, parseOptional } from './json-columns.js';
import type { KeyRow, SecretRow } from './tables.js';

/** The row that a lookup of an API key finds: columns of the key, of the presented secret and of the account. */
export type FoundKey = Omit<KeyRow, 'used_at'> &
  Pick<SecretRow, 'retires_at' | 'ended_at'> & {
    readonly account_apis: string;
    readonly account_scopes: string;
    readonly account_channels: string;
    readonly account_disabled_at: number | null;
  };

export type FoundAccessKey = Omit<FoundKey, 'retires_at' | 'ended_at'> & {
  readonly secrets: readonly Pick<SecretRow, 'digest' | 'retires_at' | 'ended_at'>[];
  /** The JWKs of all public keys, separated by commas; null if the access key has no public key. */
  readonly public_keys: string | null;
  readonly revokedTokens: RevokedTokens | undefined;
};

export function keyRecordOf(found: FoundKey): KeyRecord {
  const { kind } = found;
  if (kind === 'access') throw new TypeError('expected an API key, got an access key');
  return {
    kind,
    apis: intersection(parseList(found.apis ?? '[]'), parseList(found.account_apis)),
    scopes: found.scopes === null ? null : heldOf(found.scopes, found.account_scopes),
    expiresAt: dateOf(found.expires_at),
    // A secret that was ended must be refused at once by every process. `ended_at` may be in the future for a process
    // with another clock, so the time is replaced with the year 1970.
    acceptedUntil: found.ended_at === null ? dateOf(found.retires_at) : new Date(0),
    ...commonOf(found),
  };
}

export function accessKeyRecordOf(found: FoundAccessKey): AccessKeyRecord {
  return {
    secrets: found.secrets
      .filter(({ ended_at }) => ended_at === null)
      .map(({ digest, retires_at }) => ({ digest, expiresAt: dateOf(retires_at) })),
    formerSecrets: found.secrets.filter(({ ended_at }) => ended_at !== null).map(({ digest }) => digest),
    scopes: heldOf(found.scopes ?? '[]', found.account_scopes),
    defaultScopes: heldOf(found.default_scopes ?? '[]', found.account_scopes),
    publicKeys: found.public_keys === null ? null : (JSON.parse(`[${found.public_keys}]`) as PublicJwk[]),
    requireConfirmation: found.require_confirmation === 'any' ? true : found.require_confirmation,
    tokensNotBefore: dateOf(found.tokens_not_before),
    revokedTokens: found.revokedTokens,
    expiresAt: dateOf(found.expires_at),
    ...commonOf(found),
  };
}

function commonOf(found: Omit<FoundKey, 'retires_at' | 'ended_at'>) {
  const channels = parseList(found.channels);
  const held = intersection(channels, parseList(found.account_channels));
  // A key for an e-commerce platform must have exactly one channel. If the account has lost that channel, the key
  // counts as disabled: a record without a channel would be invalid, and the lookup would fail.
  const isStranded = found.platform !== null && held.length === 0;
  return {
    id: found.id,
    account: found.account,
    environment: found.environment,
    channels: isStranded ? channels : held,
    platform: found.platform,
    createdAt: new Date(found.created_at),
    // A revoked key must be refused at once by every process. `revoked_at` may be in the future for a process with
    // another clock, so the time is replaced with the year 1970.
    revokedAt: found.revoked_at === null ? null : new Date(0),
    disabled: found.disabled_at !== null || found.account_disabled_at !== null || isStranded,
    name: found.name,
    metadata: parseOptional<Record<string, string>>(found.metadata),
    allowedAddresses: parseOptional<string[]>(found.allowed_addresses),
    limits: parseOptional<RateLimit[]>(found.limits),
  };
}

function heldOf(scopes: string, ofAccount: string): readonly string[] {
  const granted = parseNames(ofAccount);
  return parseNames(scopes).filter((scope) => granted.includes(scope));
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}
