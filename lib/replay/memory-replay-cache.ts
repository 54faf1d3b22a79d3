/**
 * A replay cache in the memory of this process. It limits the number of ids in total, and the number for each DPoP key
 * or client.
 */
import { hash } from 'node:crypto';
import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import type { ReplayCache } from '../contracts/replay-cache.js';
import { KeywardError } from '../errors/keyward-error.js';
import { integer, type OptionTable, readTable } from '../options/option-table.js';

/** Options of `memoryReplayCache`. */
export interface MemoryReplayCacheOptions {
  /** Maximum ids in memory, 1 to 16,000,000. Default: 1,000,000, which take 100 to 260 MB. */
  readonly max?: number | undefined;
  /**
   * Maximum ids of one DPoP key, or of one client that sends assertions, 1 to 16,000,000, so that one of them cannot fill
   * the cache for all others. Above this maximum the answer is 503. Default: 100,000.
   */
  readonly maxPerClient?: number | undefined;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const OPTIONS = {
  max: integer(1_000_000, 1, 16_000_000),
  maxPerClient: integer(100_000, 1, 16_000_000),
  clock: clockOption,
} satisfies OptionTable<MemoryReplayCacheOptions>;

/** A DPoP key, or a client that sends assertions. */
interface Client {
  readonly name: string;
  /** Its ids in memory. */
  count: number;
}

/** The digests of ids that are deleted in the same second, and the client of each id at the same index. */
interface Bucket {
  readonly digests: string[];
  readonly clients: Client[];
}

/**
 * Number of characters at the start of an id that identify the client. All ids of one client start with the same 43
 * characters, and 12 of them are enough. V8 copies a slice of 12 characters; a longer slice would keep the whole id in
 * memory.
 */
const CLIENT_LENGTH = 12;

/**
 * Makes a replay cache in memory, for one process. `accessTokens({ dpop })` makes one itself, unless `dpop.replay` is
 * given.
 *
 * If the cache is full, in total or for this client, `firstUse` throws a `KeywardError` with the code
 * `replay_cache_full`. The request then gets 503, because a proof that was not checked must not be accepted.
 *
 * @returns A cache whose `firstUse` answers synchronously.
 * @throws TypeError for an option that is unknown or of the wrong type.
 * @example
 * ```ts
 * import { accessTokens, memoryReplayCache } from 'keyward';
 *
 * const replay = memoryReplayCache({ max: 200_000, maxPerClient: 20_000 });
 * const dpop = { origin: 'https://api.example', replay };
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: 'api', dpop });
 * ```
 */
export function memoryReplayCache(options: MemoryReplayCacheOptions = {}): ReplayCache {
  const { max, maxPerClient, clock } = readTable('memoryReplayCache', options, OPTIONS);
  const digests = new Set<string>();
  const clients = new Map<string, Client>();
  /**
   * The buckets by the second in which their ids are deleted. The seconds are from the monotonic clock: if the wall
   * clock is set forward, no id is deleted too early.
   */
  const buckets = new Map<number, Bucket>();
  let sweptAt = Number.NEGATIVE_INFINITY;

  function firstUse(id: string, seconds: number): boolean {
    const now = Math.floor(clock.monotonic() / 1_000);
    if (now !== sweptAt) sweep(now);
    const digest = hash('sha256', id, 'binary');
    if (digests.has(digest)) return false;
    const name = id.slice(0, CLIENT_LENGTH);
    const client = clients.get(name) ?? { name, count: 0 };
    if (digests.size >= max || client.count >= maxPerClient) {
      throw new KeywardError(
        'replay_cache_full',
        digests.size >= max
          ? 'the replay cache is full; increase the option "max" of memoryReplayCache()'
          : 'this client has reached its limit in the replay cache; increase the option "maxPerClient" of memoryReplayCache()',
      );
    }
    digests.add(digest);
    if (client.count === 0) clients.set(name, client);
    client.count += 1;
    const bucket = bucketOf(now + Math.ceil(seconds) + 1);
    bucket.digests.push(digest);
    bucket.clients.push(client);
    return true;
  }

  function bucketOf(second: number): Bucket {
    const known = buckets.get(second);
    if (known !== undefined) return known;
    const bucket = { digests: [], clients: [] };
    buckets.set(second, bucket);
    return bucket;
  }

  function sweep(now: number): void {
    sweptAt = now;
    for (const [second, bucket] of buckets) {
      if (second > now) continue;
      buckets.delete(second);
      for (const digest of bucket.digests) digests.delete(digest);
      for (const client of bucket.clients) {
        client.count -= 1;
        if (client.count === 0) clients.delete(client.name);
      }
    }
  }

  return Object.freeze({ firstUse });
}
