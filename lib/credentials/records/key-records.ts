/** The records of API keys and access keys that a resolver returns, and their validation. */
import { KEY_KINDS, type KeyKind } from '../credential-kind.js';
import { ENVIRONMENTS, type Environment } from '../environment.js';
import type { RateLimit } from '../rate-limit.js';
import type { PublicJwk } from './public-jwk.js';
import { type RevokedTokens, readRevokedTokens } from './read-revoked-tokens.js';
import { RecordError } from './record-error.js';
import {
  absentOr,
  addresses,
  allOrNames,
  instant,
  metadata,
  name,
  oneOf,
  rateLimits,
  scopes,
} from './record-fields.js';
import { refuseUnknownExpiryFields } from './unknown-expiry-fields.js';
import { readValidity, type Validity } from './validity.js';

/** The record of an API key. It never contains the key itself (docs/spec.md §2.1). */
export interface KeyRecord {
  /** Identifies the key in logs and events, and in `invalidate({ key })`. */
  readonly id: string;
  /** The kind of the key. It must be the kind that the prefix of the key states. */
  readonly kind: KeyKind;
  /** The account that the key belongs to. */
  readonly account: string;
  /** The environment of the key. It must be the environment that the prefix of the key states. */
  readonly environment: Environment;
  /** The APIs that the key may use. A public key must have a list: `'all'` is refused. */
  readonly apis: 'all' | readonly string[];
  /**
   * The scopes of the key. A scope that belongs to no API in `apis` has no effect. If absent, a secret key has every
   * scope of its APIs, and a public key has none.
   */
  readonly scopes?: readonly string[] | null | undefined;
  /** The processing channels that the key may use. If absent, `'all'`; `[]` means none. */
  readonly channels?: 'all' | readonly string[] | null | undefined;
  /** An e-commerce platform. If it is set, `channels` must list exactly one channel. */
  readonly platform?: string | null | undefined;
  /** Not read. */
  readonly createdAt?: Date | null | undefined;
  /** When the key expires. If absent, never. */
  readonly expiresAt?: Date | null | undefined;
  /**
   * When the presented secret stops being accepted. Set it only if the presented key is the old secret of a rotated
   * key: it is the end of the grace period.
   */
  readonly acceptedUntil?: Date | null | undefined;
  /** When the key was or will be revoked. Revocation is final. */
  readonly revokedAt?: Date | null | undefined;
  /** Whether the key is refused for now. If absent, `false`. */
  readonly disabled?: boolean | null | undefined;
  /** Not read. */
  readonly name?: string | null | undefined;
  /** Custom data, frozen on the principal: at most 64 strings, names of 1 to 40 characters, values up to 500. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /**
   * The addresses or networks from which the key may be used, 1 to 256: `203.0.113.7`, `2001:db8::/32`. If absent, any.
   */
  readonly allowedAddresses?: readonly string[] | null | undefined;
  /**
   * The request limits that `requireRateLimit` enforces: 1 to 8, with different `seconds`. If absent, the default of
   * that guard.
   */
  readonly limits?: readonly RateLimit[] | null | undefined;
}

/** The record of an access key (docs/spec.md §2.2). */
export interface AccessKeyRecord {
  /** The client ID, which is `client_id` in tokens. */
  readonly id: string;
  readonly account: string;
  readonly environment: Environment;
  /**
   * At most two accepted secrets, as SHA-256 in lowercase hex. The list may be empty only if there are `publicKeys`.
   * Only `createIssuer` reads `secrets`, `formerSecrets`, `publicKeys`, `requireConfirmation` and `defaultScopes`.
   */
  readonly secrets: readonly { readonly digest: string; readonly expiresAt?: Date | null | undefined }[];
  /**
   * SHA-256 of at most five secrets that are no longer accepted. A client that still sends such a secret is refused,
   * but this does not count as a brute-force attempt.
   */
  readonly formerSecrets?: readonly string[] | null | undefined;
  /**
   * At most ten public keys (RFC 7517) for `private_key_jwt`, no two with the same `kid`. Private members are refused.
   * If there is a public key, `secrets` may be empty.
   */
  readonly publicKeys?: readonly PublicJwk[] | null | undefined;
  /**
   * How the tokens of the access key must be bound to the client: `'dpop'` to its key pair, `'mtls'` to its TLS
   * certificate, `true` to one of the two. Only the token endpoint reads it: gates accept a token that was issued
   * without a binding.
   */
  readonly requireConfirmation?: 'dpop' | 'mtls' | true | null | undefined;
  /** The scopes that the access key may request. If you remove a scope, tokens that were issued with it lose it too. */
  readonly scopes: readonly string[];
  /** The scopes that are granted if a token request names none. A scope that is not in `scopes` is ignored. */
  readonly defaultScopes: readonly string[];
  /**
   * Tokens that were issued before this time are refused. For tokens of keyward's issuer, the time is compared with
   * their claim `tokens_not_before`, for other tokens with `iat`.
   */
  readonly tokensNotBefore?: Date | null | undefined;
  /**
   * The `jti` of each revoked token that has not expired: a list of at most 100,000, or a `Set`. A `Set` is not copied;
   * only its method `has` is called.
   */
  readonly revokedTokens?: readonly string[] | RevokedTokens | null | undefined;
  /** The processing channels that the access key may use. If absent, `'all'`; `[]` means none. */
  readonly channels?: 'all' | readonly string[] | null | undefined;
  /** An e-commerce platform. If it is set, `channels` must list exactly one channel. */
  readonly platform?: string | null | undefined;
  /** Not read. */
  readonly createdAt?: Date | null | undefined;
  /** When the access key expires. If absent, never. */
  readonly expiresAt?: Date | null | undefined;
  /** When the access key was or will be revoked. Revocation is final. */
  readonly revokedAt?: Date | null | undefined;
  /** Whether the access key is refused for now. If absent, `false`. */
  readonly disabled?: boolean | null | undefined;
  /** Not read. */
  readonly name?: string | null | undefined;
  /** Custom data, frozen on the principal: at most 64 strings, names of 1 to 40 characters, values up to 500. */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  /**
   * The addresses or networks from which tokens may be used, 1 to 256: `203.0.113.7`, `2001:db8::/32`. If absent, any.
   */
  readonly allowedAddresses?: readonly string[] | null | undefined;
  /**
   * The request limits that `requireRateLimit` enforces: 1 to 8, with different `seconds`. If absent, the default of
   * that guard.
   */
  readonly limits?: readonly RateLimit[] | null | undefined;
}

/**
 * The fields that keyward knows, of a `KeyRecord` and of an `AccessKeyRecord`. A record may have other fields, which are
 * ignored. But if the name of an unknown field looks like an expiry or a revocation, the record is refused (see
 * unknown-expiry-fields.ts).
 */
const SHARED_MEMBERS: Readonly<Record<keyof KeyRecord & keyof AccessKeyRecord, true>> = {
  ...{ id: true, account: true, environment: true, scopes: true, channels: true, platform: true },
  ...{ createdAt: true, expiresAt: true, revokedAt: true, disabled: true },
  ...{ name: true, metadata: true, allowedAddresses: true, limits: true },
};

const KEY_MEMBERS: Readonly<Record<keyof KeyRecord, true>> = {
  ...SHARED_MEMBERS,
  ...{ kind: true, apis: true, acceptedUntil: true },
};

const ACCESS_KEY_MEMBERS: Readonly<Record<keyof AccessKeyRecord, true>> = {
  ...SHARED_MEMBERS,
  ...{ secrets: true, defaultScopes: true, formerSecrets: true, publicKeys: true },
  ...{ tokensNotBefore: true, revokedTokens: true, requireConfirmation: true },
};

/**
 * A validated copy of a key record, with the fields that verification needs. Times are in milliseconds since 1970.
 * `validity` says when the key expires or is revoked, and whether it is disabled.
 */
export interface ParsedKeyRecord {
  readonly id: string;
  readonly kind: KeyKind;
  readonly account: string;
  readonly environment: Environment;
  readonly apis: 'all' | readonly string[];
  readonly scopes: readonly string[] | undefined;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly allowedAddresses: readonly string[] | undefined;
  readonly limits: readonly RateLimit[] | undefined;
  /** The end of the grace period in milliseconds since 1970; `undefined` if the current secret was presented. */
  readonly acceptedUntil: number | undefined;
  readonly validity: Validity;
}

/**
 * A validated copy of an access key record, with the fields that are needed to verify its tokens. The token endpoint
 * also needs the secrets; access-key-client.ts reads them.
 */
export interface ParsedAccessKeyRecord {
  readonly id: string;
  readonly account: string;
  readonly environment: Environment;
  readonly scopes: readonly string[];
  readonly tokensNotBefore: number;
  readonly revokedTokens: RevokedTokens | undefined;
  readonly channels: 'all' | readonly string[];
  readonly platform: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly allowedAddresses: readonly string[] | undefined;
  readonly limits: readonly RateLimit[] | undefined;
  readonly validity: Validity;
}

/**
 * Validates the record that a resolver returned for a key. The value of each field is read once, because a getter may
 * return another value the second time.
 *
 * @throws RecordError if a field is not as `KeyRecord` describes it, or a rule of docs/spec.md §2.1 is broken.
 */
export function readKeyRecord(value: unknown): ParsedKeyRecord {
  const record = asRecord<KeyRecord>(value, KEY_MEMBERS);
  const kind = oneOf('kind', record.kind, KEY_KINDS);
  const apis = allOrNames('apis', record.apis);
  if (kind === 'public' && apis === 'all')
    throw new RecordError('apis: a public API key must list its APIs; "all" is not allowed');
  const acceptedUntil = absentOr('acceptedUntil', record.acceptedUntil, instant);
  const platform = absentOr('platform', record.platform, name);
  return {
    id: name('id', record.id),
    kind,
    account: name('account', record.account),
    environment: oneOf('environment', record.environment, ENVIRONMENTS),
    apis,
    scopes: absentOr('scopes', record.scopes, scopes),
    channels: channelsOf(record.channels, platform),
    platform,
    metadata: absentOr('metadata', record.metadata, metadata),
    allowedAddresses: absentOr('allowedAddresses', record.allowedAddresses, addresses),
    limits: absentOr('limits', record.limits, rateLimits),
    acceptedUntil,
    validity: readValidity(record, acceptedUntil),
  };
}

/**
 * Validates the record that a resolver returned for an access key. The value of each field is read once, because a
 * getter may return another value the second time.
 *
 * @throws RecordError if a field is not as `AccessKeyRecord` describes it, or a rule of docs/spec.md §2.1 is broken.
 */
export function readAccessKeyRecord(value: unknown): ParsedAccessKeyRecord {
  const record = asRecord<AccessKeyRecord>(value, ACCESS_KEY_MEMBERS);
  const platform = absentOr('platform', record.platform, name);
  return {
    id: name('id', record.id),
    account: name('account', record.account),
    environment: oneOf('environment', record.environment, ENVIRONMENTS),
    scopes: scopes('scopes', record.scopes),
    tokensNotBefore: absentOr('tokensNotBefore', record.tokensNotBefore, instant) ?? Number.NEGATIVE_INFINITY,
    revokedTokens: absentOr('revokedTokens', record.revokedTokens, readRevokedTokens),
    channels: channelsOf(record.channels, platform),
    platform,
    metadata: absentOr('metadata', record.metadata, metadata),
    allowedAddresses: absentOr('allowedAddresses', record.allowedAddresses, addresses),
    limits: absentOr('limits', record.limits, rateLimits),
    validity: readValidity(record),
  };
}

function asRecord<R>(
  value: unknown,
  members: Readonly<Record<keyof R & string, true>>,
): { readonly [field in keyof R]: unknown } {
  if (typeof value !== 'object' || value === null)
    throw new RecordError('the record is not an object; return an object, or null or undefined if there is no record');
  // Most records are plain objects that have only known fields. For such a record, the slower check below is skipped.
  let isPlain = Object.getPrototypeOf(value) === Object.prototype;
  for (const member in value) isPlain &&= Object.hasOwn(members, member);
  if (!isPlain) refuseUnknownExpiryFields(value, members);
  return value as { readonly [field in keyof R]: unknown };
}

/**
 * Validates the channels. A key for an e-commerce platform must have exactly one processing channel (docs/spec.md §2.1,
 * rule 3).
 */
function channelsOf(value: unknown, platform: string | undefined): 'all' | readonly string[] {
  const channels = absentOr('channels', value, allOrNames) ?? 'all';
  if (platform !== undefined && (channels === 'all' || channels.length !== 1)) {
    throw new RecordError('channels: a key for an e-commerce platform must have exactly one channel');
  }
  return channels;
}
