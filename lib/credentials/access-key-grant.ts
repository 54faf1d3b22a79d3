/** What an access key may be granted, and the secrets that prove it: what the token endpoint reads of its record. */
import { types } from 'node:util';
import { isScopeToken } from '../protocol/scope.js';
import { type AccessKeyFacts, type AccessKeyRecord, RecordFault, readAccessKeyRecord } from './record.js';

/** The facts of an access key that bear on the tokens it may buy. */
export interface AccessKeyGrant extends AccessKeyFacts {
  readonly secrets: readonly Secret[];
  /** The scopes granted when none is asked for: of those assigned. */
  readonly defaultScopes: readonly string[];
}

/** One live secret of an access key. */
export interface Secret {
  /** SHA-256 in lower-case hex. */
  readonly digest: string;
  /** Milliseconds since 1970; `Infinity` where it does not expire. */
  readonly expiresAt: number;
}

const MAX_SECRETS = 2;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Reads what a resolver returned for an access key that asks for a token.
 *
 * @throws RecordFault where a field is not what `AccessKeyRecord` says, or a rule is broken.
 */
export function readAccessKeyGrant(value: unknown): AccessKeyGrant {
  const facts = readAccessKeyRecord(value);
  const { secrets, defaultScopes } = value as { readonly [field in keyof AccessKeyRecord]: unknown };
  if (!Array.isArray(secrets) || secrets.length === 0 || secrets.length > MAX_SECRETS) {
    throw new RecordFault('secrets: expected one or two');
  }
  if (!Array.isArray(defaultScopes) || ![...defaultScopes].every(isScopeToken)) {
    throw new RecordFault('defaultScopes: expected a list of scope-tokens');
  }
  const granted = facts.scopes.filter((scope) => defaultScopes.includes(scope));
  // Spread last: else V8 of Node 20 makes a shape of its own for each.
  return { secrets: Array.from(secrets, readSecret), defaultScopes: granted, ...facts };
}

function readSecret(value: unknown): Secret {
  const { digest, expiresAt } = (value ?? {}) as { digest?: unknown; expiresAt?: unknown };
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw new RecordFault('secrets: expected digests');
  if (expiresAt === undefined || expiresAt === null) return { digest, expiresAt: Number.POSITIVE_INFINITY };
  const time = types.isDate(expiresAt) ? expiresAt.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw new RecordFault('secrets: expected a Date');
  return { digest, expiresAt: time };
}
