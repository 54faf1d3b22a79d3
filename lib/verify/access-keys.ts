/** The access keys that bought the tokens: a token dies with its access key. */
import type { Change } from '../contracts/change-feed.js';
import type { Clock } from '../contracts/clock.js';
import type { AccessKeyResolver } from '../contracts/key-resolver.js';
import type { Environment } from '../credentials/kind.js';
import { type AccessKeyFacts, endedAt, RecordFault, readAccessKeyRecord } from '../credentials/record.js';
import type { CacheBounds } from './cache-options.js';
import { type Instant, instantOf } from './freshness.js';
import { LookUpCache } from './look-up-cache.js';
import { type Entry, type Found, foundNothing, landedWell } from './look-up-landing.js';
import type { TokenClaims } from './token-claims.js';
import type { Refused, Unavailable } from './verifier.js';

export interface AccessKeysOptions {
  readonly resolver: AccessKeyResolver;
  readonly environment: Environment | undefined;
  readonly bounds: CacheBounds | undefined;
  readonly clock: Clock;
}

/** What an access key grants a token, or why it does not. */
export type Grant =
  | { readonly accessKey: Entry<AccessKeyFacts>; readonly withheld: undefined }
  | { readonly accessKey: undefined; readonly withheld: Refused | Unavailable };

const TIMEOUT = 1_000;
const MAX_LOOKUPS = 100;

export class AccessKeys {
  readonly #resolver: AccessKeyResolver;
  readonly #environment: Environment | undefined;
  readonly #clock: Clock;
  readonly #cache: LookUpCache<AccessKeyFacts>;

  constructor({ resolver, environment, bounds, clock }: AccessKeysOptions) {
    this.#resolver = resolver;
    this.#environment = environment;
    this.#clock = clock;
    this.#cache = new LookUpCache({
      of: 'accessKeys',
      member: 'accessKey',
      watched: resolver.watch !== undefined,
      timeout: TIMEOUT,
      maxLookups: MAX_LOOKUPS,
      bounds,
      clock,
    });
    resolver.watch?.(this.#cache.listener);
  }

  /** Whether what is known of an access key may be believed now without a look-up, and the key still holds. */
  serves(entry: Entry<AccessKeyFacts>, now: Instant): boolean {
    return this.#cache.serves(entry, now) && endedAt(entry.facts.life, now.wall) === undefined;
  }

  /** Finds the access key of a token, and judges whether it still grants anything. */
  async grantOf(claims: TokenClaims): Promise<Grant> {
    const id = claims.clientId;
    const now = instantOf(this.#clock);
    const miss = this.#cache.recallMiss(id, now);
    if (miss !== undefined) return refused(miss.reason, id);
    const entry = this.#cache.recall(id, now);
    const landing = entry === undefined ? await this.#cache.lookUp(id, () => this.#load(id)) : landedWell(entry);
    if (landing.failed !== undefined) return withheld({ outcome: 'unavailable', reason: `look_up_${landing.failed}` });
    if (landing.miss !== undefined) return refused(landing.miss.reason, id);
    const reason = this.#refusal(landing.entry.facts, claims);
    return reason === undefined ? { accessKey: landing.entry, withheld: undefined } : refused(reason, id);
  }

  invalidate(change: Change): void {
    this.#cache.invalidate(change);
  }

  #refusal(facts: AccessKeyFacts, claims: TokenClaims): string | undefined {
    if (this.#environment !== undefined && facts.environment !== this.#environment) return 'other_environment';
    if ((claims.issuedAt ?? 0) * 1_000 < facts.tokensNotBefore) return 'token_superseded';
    return endedAt(facts.life, this.#clock.now());
  }

  async #load(id: string): Promise<Found<AccessKeyFacts>> {
    const record: unknown = await this.#resolver.resolveAccessKey(id);
    if (record === undefined || record === null) {
      return foundNothing('unknown', { id, account: undefined });
    }
    const facts = readAccessKeyRecord(record);
    if (facts.id !== id) throw new RecordFault('id: not that of the token');
    const subject = { id, account: facts.account };
    const ended = endedAt(facts.life, this.#clock.now());
    return ended === undefined ? { facts, subject } : foundNothing(ended, subject);
  }
}

function refused(reason: string, keyId: string): Grant {
  return withheld({ outcome: 'refused', reason, keyId });
}

function withheld(outcome: Refused | Unavailable): Grant {
  return { accessKey: undefined, withheld: outcome };
}
