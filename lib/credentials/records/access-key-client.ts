/**
 * Validates the record of an access key for the token endpoint: the scopes that it may be granted, the secrets and
 * public keys with which its client authenticates, and how its tokens must be bound to the client.
 */
import { types } from 'node:util';
import { isScopeToken, SCOPE_CHARACTERS } from '../../protocol/scope.js';
import { type AccessKeyRecord, type ParsedAccessKeyRecord, readAccessKeyRecord } from './key-records.js';
import { type PublicJwk, publicJwks } from './public-jwk.js';
import { RecordError } from './record-error.js';
import { absentOr } from './record-fields.js';
import { refuseUnknownExpiryFields } from './unknown-expiry-fields.js';

/** A validated access key, with the fields that only the token endpoint needs. */
export interface AccessKeyClient extends ParsedAccessKeyRecord {
  readonly secrets: readonly Secret[];
  /**
   * The digests of secrets that are no longer accepted. A client that still sends such a secret is refused, but this
   * does not count as a brute-force attempt.
   */
  readonly formerSecrets: readonly string[];
  readonly publicKeys: readonly PublicJwk[];
  /**
   * The method by which tokens of the access key must be bound to the client. `true` means that either method is
   * enough.
   */
  readonly requireConfirmation: 'dpop' | 'mtls' | true | undefined;
  /** The scopes that are granted if a token request names none. Each of them is also in `scopes`. */
  readonly defaultScopes: readonly string[];
}

/** A secret of an access key, which is accepted until `expiresAt`. */
export interface Secret {
  /** SHA-256 in lowercase hex. */
  readonly digest: string;
  /** In milliseconds since 1970; `Infinity` if the secret does not expire. */
  readonly expiresAt: number;
}

const SECRET_MEMBERS = { digest: true, expiresAt: true } as const;
const MAX_SECRETS = 2;
const NO_KEYS: readonly PublicJwk[] = Object.freeze([]);
export const MAX_FORMER_SECRETS = 5;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Validates the record that a resolver returned for the client of a token request.
 *
 * @throws RecordError if a field is not as `AccessKeyRecord` describes it, or a rule is broken.
 */
export function readAccessKeyClient(value: unknown): AccessKeyClient {
  const parsed = readAccessKeyRecord(value);
  const record = value as { readonly [field in keyof AccessKeyRecord]: unknown };
  const { secrets, formerSecrets, defaultScopes } = record;
  const publicKeys = absentOr('publicKeys', record.publicKeys, publicJwks) ?? NO_KEYS;
  const isEmpty = Array.isArray(secrets) && secrets.length === 0 && publicKeys.length === 0;
  if (!Array.isArray(secrets) || isEmpty || secrets.length > MAX_SECRETS) {
    throw new RecordError('secrets: expected one or two secrets; an access key with publicKeys may have none');
  }
  const former = formerSecrets ?? [];
  if (!Array.isArray(former) || former.length > MAX_FORMER_SECRETS || ![...former].every(isDigest)) {
    throw new RecordError(
      `formerSecrets: expected a list of at most ${MAX_FORMER_SECRETS} SHA-256 digests in lowercase hex`,
    );
  }
  if (!Array.isArray(defaultScopes) || ![...defaultScopes].every(isScopeToken)) {
    throw new RecordError(`defaultScopes: expected a list of scopes that consist of ${SCOPE_CHARACTERS}`);
  }
  const granted = parsed.scopes.filter((scope) => defaultScopes.includes(scope));
  // `Object.assign` is faster than a spread of `parsed`: V8 of Node 20 would create a new hidden class for each record,
  // which takes 50 microseconds.
  return Object.assign(parsed, {
    secrets: Array.from(secrets, readSecret),
    formerSecrets: [...former],
    publicKeys,
    defaultScopes: granted,
    requireConfirmation: absentOr('requireConfirmation', record.requireConfirmation, confirmation),
  });
}

function confirmation(field: string, value: unknown): 'dpop' | 'mtls' | true {
  if (value === 'dpop' || value === 'mtls' || value === true) return value;
  throw new RecordError(`${field}: expected "dpop", "mtls" or true`);
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && DIGEST.test(value);
}

function readSecret(value: unknown): Secret {
  if (typeof value === 'object' && value !== null) refuseUnknownExpiryFields(value, SECRET_MEMBERS, 'secrets.');
  const { digest, expiresAt } = (value ?? {}) as { digest?: unknown; expiresAt?: unknown };
  if (!isDigest(digest)) throw new RecordError('secrets: expected "digest" to be a SHA-256 digest in lowercase hex');
  if (expiresAt === undefined || expiresAt === null) return { digest, expiresAt: Number.POSITIVE_INFINITY };
  const time = types.isDate(expiresAt) ? expiresAt.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw new RecordError('secrets: expected "expiresAt" to be a Date');
  return { digest, expiresAt: time };
}
