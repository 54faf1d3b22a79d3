/**
 * Looks up the access key (the OAuth client) that obtained a token. If the access key is no longer valid, the token is
 * refused. An access key does not verify signatures: the keys for that are in `jwks/`.
 */
import { CacheEntry, FailedLookup, NegativeEntry } from '../cache/cache-entries.js';
import type { CacheBounds } from '../cache/cache-options.js';
import { RecordCache } from '../cache/record-cache.js';
import { UsageReporter } from '../cache/report-usage-to-counters.js';
import type { Change } from '../contracts/change-feed.js';
import { type Clock, type Instant, instantOf } from '../contracts/clock.js';
import type { Refused, Unavailable } from '../contracts/credential-verifier.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import type { UsageCounter } from '../contracts/usage-counter.js';
import type { Environment } from '../credentials/environment.js';
import { type ParsedAccessKeyRecord, readAccessKeyRecord } from '../credentials/records/key-records.js';
import { RecordError } from '../credentials/records/record-error.js';
import { endedAt } from '../credentials/records/validity.js';
import { handleRejection } from '../events/run-callback.js';
import type { TokenClaims } from './claims.js';

export interface AccessKeysOptions {
  readonly resolver: AccessKeyResolver;
  readonly environment: Environment | undefined;
  readonly bounds: CacheBounds | undefined;
  readonly clock: Clock;
}

/** The cache entry of a valid access key, which is the OAuth client that obtained a token. */
export class CachedAccessKey extends CacheEntry {
  readonly facts: ParsedAccessKeyRecord;
  /**
   * Counts the requests with tokens of this access key; `undefined` if the resolver has no `usageOf`, or `usageOf`
   * threw.
   */
  readonly usage: UsageCounter | undefined;

  constructor(facts: ParsedAccessKeyRecord, usage: UsageCounter | undefined) {
    super();
    this.facts = facts;
    this.usage = usage;
  }

  get id(): string {
    return this.facts.id;
  }

  get account(): string {
    return this.facts.account;
  }

  get endsAt(): number {
    return Math.min(this.facts.validity.expiresAt, this.facts.validity.revokedAt);
  }
}

/**
 * Milliseconds after which a lookup of an access key fails. There is no option for it, unlike `timeout` of `apiKeys`.
 */
const TIMEOUT_MS = 1_000;
const MAX_LOOKUPS = 100;

export class AccessKeys {
  readonly #resolver: AccessKeyResolver;
  readonly #environment: Environment | undefined;
  readonly #clock: Clock;
  readonly #cache: RecordCache<string, CachedAccessKey>;
  readonly usage: UsageReporter;

  constructor({ resolver, environment, bounds, clock }: AccessKeysOptions) {
    this.#resolver = resolver;
    this.usage = new UsageReporter('accessKeys', resolver);
    this.#environment = environment;
    this.#clock = clock;
    this.#cache = new RecordCache({
      of: 'accessKeys',
      member: 'accessKey',
      watched: resolver.watch !== undefined,
      timeout: TIMEOUT_MS,
      maxLookups: MAX_LOOKUPS,
      bounds,
      clock,
      lookUp: (id) => this.#lookUp(id),
    });
    handleRejection({ of: 'accessKeys', callback: 'watch' }, resolver.watch?.(this.#cache.listener));
  }

  /**
   * Whether a cached access key is recent enough to be used without a new lookup, and has neither expired nor been
   * revoked.
   */
  isUsable(entry: CachedAccessKey, now: Instant): boolean {
    return this.#cache.isUsable(entry, now) && endedAt(entry.facts.validity, now.wall) === undefined;
  }

  /** Finds the access key of a token, in the cache or by a lookup; or returns why the token cannot be accepted. */
  async find(claims: TokenClaims): Promise<CachedAccessKey | Refused | Unavailable> {
    const keyId = claims.clientId;
    const found = this.#cache.get(keyId, instantOf(this.#clock)) ?? (await this.#cache.load(keyId, keyId));
    if (found instanceof FailedLookup) return { outcome: 'unavailable', reason: `lookup_${found.reason}` };
    if (found instanceof NegativeEntry) return { outcome: 'refused', reason: found.reason, keyId };
    const reason = this.#refusal(found.facts, claims);
    return reason === undefined ? found : { outcome: 'refused', reason, keyId };
  }

  invalidate(change: Change): void {
    this.#cache.invalidate(change);
  }

  #refusal(facts: ParsedAccessKeyRecord, claims: TokenClaims): string | undefined {
    if (this.#environment !== undefined && facts.environment !== this.#environment) return 'other_environment';
    // `tokensNotBefore` of an access key revokes all tokens that were issued before that time. A token of keyward's
    // issuer has the value from the time of its issue as a claim, so no clocks of two machines are compared. Other
    // tokens have only `iat`.
    const since = claims.tokensNotBefore ?? (claims.issuedAt ?? 0) * 1_000;
    if (since < facts.tokensNotBefore) return 'token_superseded';
    if (claims.tokenId !== undefined && facts.revokedTokens?.has(claims.tokenId)) return 'token_revoked';
    return endedAt(facts.validity, this.#clock.now());
  }

  async #lookUp(id: string): Promise<CachedAccessKey | NegativeEntry> {
    const record: unknown = await this.#resolver.resolveAccessKey(id);
    if (record === undefined || record === null) return new NegativeEntry({ id, account: undefined }, 'unknown');
    const facts = readAccessKeyRecord(record);
    if (facts.id !== id)
      throw new RecordError('id: resolveAccessKey returned a record whose ID is not the client ID of the token');
    const ended = endedAt(facts.validity, this.#clock.now());
    if (ended !== undefined) return new NegativeEntry(facts, ended, facts.validity.revokedAt);
    return new CachedAccessKey(facts, this.usage.counterOf(facts.id));
  }
}
