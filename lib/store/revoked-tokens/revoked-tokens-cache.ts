/**
 * A cache of tokens that were revoked one by one, before they expired.
 *
 * An access key may have many revoked tokens, so a lookup does not read all of them. The revocations of an access key
 * are numbered, and a process reads only the numbers that it has not read yet. A revocation is final, so it can stay in
 * memory until its token expires.
 */
import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { type Clock, systemClock } from '../../contracts/clock.js';
import type { RevokedTokens } from '../../credentials/records/read-revoked-tokens.js';
import { StoreError } from '../store-error.js';
import type { Tables } from '../tables.js';

/**
 * Milliseconds for which a revocation is kept in memory after the `exp` of its token. The clock of a resource server
 * may be behind: without this margin, the server would accept the revoked token again.
 */
export const KEEP_AFTER_EXPIRY = 600_000;
/**
 * Maximum number of rows that one query reads. SQLite blocks the event loop during the query, so requests are served
 * between two queries.
 */
const PAGE = 2_000;
/**
 * Approximate maximum of revocations in memory. If there are more, the cache drops the access keys that were looked up
 * longest ago, and reads their revocations again when they are needed.
 */
const MAX_IN_MEMORY = 500_000;
/** Minimum milliseconds between two deletions of expired revocations of an access key from memory. */
const PRUNE_EVERY = 60_000;

/** The revoked tokens of one access key that this process has read: a map from `jti` to expiry. */
interface Known {
  readonly tokens: Map<string, number>;
  /** All revocations up to this number were read. */
  through: number;
  /**
   * Revocations of tokens that expired at this time or earlier were not read or were deleted from memory. In
   * milliseconds since 1970, by the wall clock.
   */
  leftOutUntil: number;
  prunedAt: number;
}

/** Caches the revoked tokens that this process has read, by access key. */
export class RevokedTokensCache {
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * Makes the next lookups read all revocations again. Called when the change feed reports that anything may have
   * changed: a backup may have been restored, in which the same numbers belong to other revocations.
   */
  forgetNumbers(): void {
    for (const [id, known] of this.#known) this.#known.set(id, unnumbered(known));
  }

  /**
   * Returns the revoked tokens of an access key.
   *
   * @param number - The column `tokens_revoked` of the access key: the number of its latest revocation. The cache is up
   *   to date if it has read the revocations up to this number.
   * @returns `undefined` if none of its tokens was revoked.
   */
  async of(db: Kysely<Tables>, id: string, number: number): Promise<RevokedTokens | undefined> {
    let known = this.#known.get(id) ?? this.#unread();
    if (known.through === 0 && known.tokens.size === 0 && number === 0) return undefined;
    const expired = this.#clock.now() - KEEP_AFTER_EXPIRY;
    // If the wall clock was set back, tokens whose revocations were left out may be valid again.
    if (known.through > number || expired < known.leftOutUntil) known = unnumbered(known);
    this.#known.delete(id);
    this.#known.set(id, known);
    if (known.through === number) return known.tokens;
    known.leftOutUntil = expired;
    await this.#readNew(db, id, number, known);
    this.#prune(id);
    return known.tokens;
  }

  #unread(): Known {
    const prunedAt = this.#clock.monotonic();
    return { tokens: new Map(), through: 0, leftOutUntil: Number.NEGATIVE_INFINITY, prunedAt };
  }

  async #readNew(db: Kysely<Tables>, id: string, number: number, known: Known): Promise<void> {
    for (let isMore = true; isMore; ) {
      const rows = await db
        .selectFrom('keys')
        .leftJoin('revoked_tokens', (join) => join.onRef('key_id', '=', 'keys.id').on('number', '>', known.through))
        .select(['keys.tokens_revoked', 'revoked_tokens.number', 'revoked_tokens.jti', 'revoked_tokens.expires_at'])
        .where('keys.id', '=', id)
        .orderBy('number')
        .limit(PAGE)
        .execute();
      // One URL may lead to several database nodes. This answer may come from a replica that lags behind the node from
      // which `number` was read.
      if ((rows[0]?.tokens_revoked ?? 0) < number) {
        throw new StoreError(
          'store_unavailable',
          'the database replica returned older data than an earlier read; try again',
        );
      }
      // Expired revocations are left out here. If the query left them out, it would read more than `PAGE` rows.
      for (const { jti, expires_at } of rows)
        if (jti !== null && expires_at !== null && expires_at > known.leftOutUntil) known.tokens.set(jti, expires_at);
      isMore = rows.length === PAGE;
      // Another lookup of the same access key may have read newer rows in the meantime, so `through` must not decrease.
      const last = rows.at(-1);
      const read = isMore ? (last?.number ?? 0) : (last?.tokens_revoked ?? 0);
      known.through = Math.max(known.through, read);
      if (isMore) await setImmediate();
    }
  }

  /** Deletes expired revocations, and drops other access keys if there are too many revocations in memory. */
  #prune(id: string): void {
    const at = this.#clock.monotonic();
    const known = this.#known.get(id);
    if (known !== undefined && at - known.prunedAt >= PRUNE_EVERY) {
      known.prunedAt = at;
      for (const [jti, expiresAt] of known.tokens) if (expiresAt <= known.leftOutUntil) known.tokens.delete(jti);
    }
    let size = 0;
    for (const { tokens } of this.#known.values()) size += tokens.size;
    for (const [oldest, { tokens }] of this.#known) {
      if (size <= MAX_IN_MEMORY || oldest === id) break;
      size -= tokens.size;
      this.#known.delete(oldest);
    }
  }
}

/**
 * Returns a copy whose revocations are all read again. The revocations in memory stay, because they are final. It is a
 * copy, so that a lookup that is still reading into the former object does not change the numbers of the copy.
 */
function unnumbered(known: Known): Known {
  return { ...known, through: 0 };
}
