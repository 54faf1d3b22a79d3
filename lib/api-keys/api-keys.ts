/** Verifies API keys: finds the record of a key with the resolver, and makes the principal from it. */

import { CacheEntry, FailedLookup, NegativeEntry, NO_SUBJECT } from '../cache/cache-entries.js';
import { RecordCache } from '../cache/record-cache.js';
import { UsageReporter } from '../cache/report-usage-to-counters.js';
import type { Change, Invalidatable } from '../contracts/change-feed.js';
import { type Instant, instantOf } from '../contracts/clock.js';
import {
  type AcceptedWithEntry,
  builtIn,
  type Claim,
  type CredentialEntry,
  type CredentialVerifier,
  type Declined,
  ENTRY,
  type OutcomeWithEntry,
  type Refused,
} from '../contracts/credential-verifier.js';
import type { UsageCounter } from '../contracts/usage-counter.js';
import { includesAddress } from '../credentials/address-list.js';
import type { KeyKind } from '../credentials/credential-kind.js';
import type { Environment } from '../credentials/environment.js';
import type { KeyFormat, KeyReading } from '../credentials/keyward-format.js';
import type { KeyPrincipal } from '../credentials/principal.js';
import { type KeyRecord, readKeyRecord } from '../credentials/records/key-records.js';
import { RecordError } from '../credentials/records/record-error.js';
import { endedAt, type Validity } from '../credentials/records/validity.js';
import { handleRejection, ignoreRejection, runCallback } from '../events/run-callback.js';
import type { PresentedCredential } from '../http/presented-credential.js';
import { type ApiKeysOptions, readApiKeysOptions } from './api-keys-options.js';
import { keyPrincipalOf, principalInterners } from './key-principal.js';

/** The cache entry of a valid API key. */
class CachedKey extends CacheEntry implements CredentialEntry<KeyPrincipal> {
  readonly principal: KeyPrincipal;
  gate: object | undefined;
  /**
   * When a planned revocation takes effect, in milliseconds since 1970; `undefined` if none is planned. The key ends at
   * `principal.expiresAt`, the earlier of expiry and revocation. This field only says which of the two it was, for the
   * reason of the refusal: `revoked` or `expired`.
   */
  readonly revokedAt: number | undefined;
  /** Counts the requests of the key; `undefined` if the resolver has no `usageOf`, or `usageOf` threw. */
  readonly counter: UsageCounter | undefined;
  /** When `recordUse` was last called for the key, on the monotonic clock. */
  recordedAt = Number.NEGATIVE_INFINITY;

  constructor(principal: KeyPrincipal, { revokedAt }: Validity, counter: UsageCounter | undefined) {
    super();
    this.principal = principal;
    this.revokedAt = Number.isFinite(revokedAt) ? revokedAt : undefined;
    this.counter = counter;
  }

  get id(): string {
    return this.principal.keyId;
  }

  get account(): string {
    return this.principal.account;
  }

  get endsAt(): number {
    return (this.principal.expiresAt ?? Number.POSITIVE_INFINITY) * 1_000;
  }

  isRevoked(now: number): boolean {
    return this.revokedAt !== undefined && this.revokedAt <= now;
  }
}

/** The input of a lookup: a presented key, with the kind and environment that the format has read from it. */
interface KeyLookup {
  readonly credential: PresentedCredential;
  readonly reading: KeyReading;
}

/** Minimum milliseconds between two calls of `recordUse` for one key. */
const RECORD_EVERY = 60_000;

/**
 * Parsed if there is no record, so that an unknown key takes as long as a key that has ended. Otherwise the response
 * time would show which keys existed before.
 */
const ENDED_RECORD: KeyRecord = Object.freeze({
  id: 'none',
  kind: 'secret',
  account: 'none',
  environment: 'live',
  apis: 'all',
  revokedAt: new Date(0),
});
const RECORD_USE = { of: 'apiKeys', callback: 'recordUse' } as const;
const WATCH = { of: 'apiKeys', callback: 'watch' } as const;
const DECLINED: Declined = Object.freeze({ outcome: 'declined' });

/**
 * Makes the verifier of API keys (docs/spec.md §5.1).
 *
 * A key that is unknown, revoked, expired, disabled or mistyped is refused; a key of another kind or environment is
 * declined, so that the next verifier is asked. If the resolver fails, takes too long or returns an invalid record, the
 * request gets 503.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import { apiKeys, requireBearer } from 'keyward';
 * import { openStore } from 'keyward/store';
 *
 * const store = await openStore('file:./keyward.db');
 * const keys = apiKeys({ resolver: store, kinds: ['secret', 'public'], environment: 'live' });
 * const gate = requireBearer({ accept: [keys] });
 * ```
 */
export function apiKeys<K extends KeyKind>(
  options: ApiKeysOptions<K>,
): CredentialVerifier<KeyPrincipal<K>> & Invalidatable;
export function apiKeys(options: ApiKeysOptions): CredentialVerifier & Invalidatable {
  const { resolver, kinds, environments, format, apis, clock, ...limits } = readApiKeysOptions(options);
  const cache = new RecordCache<KeyLookup, CachedKey>({ of: 'apiKeys', member: 'key', clock, lookUp, ...limits });
  const interners = principalInterners();
  const usage = new UsageReporter('apiKeys', resolver);
  const recordsUse = resolver.recordUse !== undefined;
  const countsUse = resolver.usageOf !== undefined;

  function verify(credential: PresentedCredential): OutcomeWithEntry | Promise<OutcomeWithEntry> {
    // The scheme `DPoP` is for tokens that are bound to a key pair. An API key is not bound to one, so it is never
    // accepted with this scheme.
    if (credential.scheme !== 'Bearer') return DECLINED;
    const now = instantOf(clock);
    const cached = cache.get(credential.cacheKey, now);
    // A key that ended while it was cached is looked up like an unknown key. An immediate refusal would show, by its
    // response time, that the key was valid before.
    const accepted = cached instanceof CachedKey ? accept(cached, credential, now) : undefined;
    if (accepted !== undefined) return accepted;

    if (credential.isCompact || !credential.isWellFormed) return DECLINED;
    const reading = format.read(credential.reveal());
    if (reading === undefined || reading === null) return DECLINED;
    if (reading === 'malformed') return { outcome: 'refused', reason: 'key_malformed' };
    if (!kinds.includes(reading.kind)) {
      // A custom `format` may return a promise by mistake. A promise has no `kind`, so the key is declined, and the
      // rejection of the promise is handled, because it would otherwise end the process.
      ignoreRejection(reading);
      return { outcome: 'declined', reason: 'kind_not_accepted' };
    }
    if (!environments.includes(reading.environment)) return { outcome: 'declined', reason: 'other_environment' };
    if (!(cached instanceof NegativeEntry)) return verifyLater(credential, reading);
    return usage.refused(refused(cached.reason, cached.id));
  }

  async function verifyLater(credential: PresentedCredential, reading: KeyReading): Promise<OutcomeWithEntry> {
    const found = await cache.load(credential.cacheKey, { credential, reading }, credential);
    if (found instanceof FailedLookup) return { outcome: 'unavailable', reason: `lookup_${found.reason}` };
    if (found instanceof NegativeEntry) return usage.refused(refused(found.reason, found.id));
    const now = instantOf(clock);
    const accepted = accept(found, credential, now);
    return accepted ?? usage.refused(refused(found.isRevoked(now.wall) ? 'revoked' : 'expired', found.id));
  }

  async function lookUp({ credential, reading }: KeyLookup): Promise<CachedKey | NegativeEntry> {
    const { kind, environment } = reading;
    const { digest } = credential;
    const reveal = () => credential.reveal();
    const record: unknown = await resolver.resolveKey({ digest, kind, environment, reveal });
    if (record === undefined || record === null) {
      readKeyRecord(ENDED_RECORD);
      return new NegativeEntry(NO_SUBJECT, 'unknown');
    }
    const parsed = readKeyRecord(record);
    if (parsed.kind !== kind)
      throw new RecordError('kind: resolveKey returned a record whose kind is not the kind of the presented key');
    if (parsed.environment !== environment) {
      throw new RecordError(
        'environment: resolveKey returned a record whose environment is not the environment of the presented key',
      );
    }
    const ended = endedAt(parsed.validity, clock.now());
    if (ended !== undefined) return new NegativeEntry(parsed, ended, parsed.validity.revokedAt);
    const counter = countsUse ? usage.counterOf(parsed.id) : undefined;
    return new CachedKey(keyPrincipalOf(parsed, apis, interners), parsed.validity, counter);
  }

  /**
   * Accepts a key that is cached or was just looked up, and records and counts its use.
   *
   * @returns `undefined` if the key has ended.
   */
  function accept(key: CachedKey, credential: PresentedCredential, now: Instant): AcceptedWithEntry | undefined {
    const { principal, counter } = key;
    // `expiresAt` is in seconds, so the clock is converted to seconds: `expiresAt * 1_000` could have a rounding error.
    if (principal.expiresAt !== undefined && principal.expiresAt <= now.wall / 1_000) return undefined;
    // If `recordUse` or the counter fails, an event is published, but the key is still accepted.
    if (recordsUse) recordUse(key, credential, now);
    if (counter !== undefined) usage.accepted(counter, principal, credential);
    return { outcome: 'accepted', principal, [ENTRY]: key };
  }

  /**
   * Records the use of a key at most once per `RECORD_EVERY`. A use from an address that the gate will refuse is not
   * recorded.
   */
  function recordUse(key: CachedKey, credential: PresentedCredential, { monotonic }: Instant): void {
    if (monotonic - key.recordedAt < RECORD_EVERY) return;
    const { digest, from } = credential;
    const { allowedAddresses } = key.principal;
    if (allowedAddresses !== undefined && !includesAddress(allowedAddresses, from)) return;
    key.recordedAt = monotonic;
    runCallback(RECORD_USE, () => resolver.recordUse?.(digest, from));
  }

  function invalidate(change: Change): void {
    cache.invalidate(change);
  }

  handleRejection(WATCH, resolver.watch?.(cache.listener));
  return builtIn({ kinds, claims: claimsOf(format, kinds, environments), invalidate }, verify);
}

function refused(reason: string, keyId: string | undefined): Refused {
  return { outcome: 'refused', reason, keyId };
}

function claimsOf(
  format: KeyFormat,
  kinds: readonly KeyKind[],
  environments: readonly Environment[],
): readonly Claim[] {
  return kinds.flatMap((kind) => environments.map((place) => ({ of: format, what: `${place} ${kind} keys` })));
}
