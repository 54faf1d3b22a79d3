/**
 * Limits how often client secrets can be guessed (RFC 6749 §2.3.1: the endpoint MUST be protected against brute force).
 *
 * Failed attempts are counted for each pair of client and network, and for each network. A network is an IPv4 address
 * or the /64 of an IPv6 address. Failures of a client in all networks together are not counted: otherwise anyone who
 * knows a client ID could lock out that client.
 */
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Awaitable } from '../contracts/key-resolver.js';
import { digestOf } from '../credentials/digest.js';
import { describeError } from '../errors/describe-error.js';
import { issuerWarnings } from '../events/issuer-warning.js';
import { integer, method, type OptionTable, optional, readTable } from '../options/option-table.js';
import { TokenRequestError } from './token-request-error.js';
import { withTimeout } from './with-timeout.js';

/** The number of failed attempts (`consumedPoints`), and the milliseconds until it is reset (`msBeforeNext`). */
interface Count {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/**
 * Counts failed attempts to authenticate. The limiters of `rate-limiter-flexible`, such as `RateLimiterRedis`,
 * implement this interface.
 */
export interface FailureCounter {
  get(key: string): Promise<Count | null>;
  /**
   * Adds `points` to the count, and starts the count if there is none. `points` is 1 for a wrong secret or an unknown
   * client ID. It is 0 for other refusals, so that their responses take the same time.
   */
  penalty(key: string, points?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/**
 * The options of a counter, which `createIssuer` passes to `limits.counter`. `rate-limiter-flexible` has options with
 * the same names.
 */
export interface CounterOptions {
  readonly keyPrefix: string;
  /** The number of failed attempts that are allowed. */
  readonly points: number;
  /** Seconds from the first failed attempt until the count is reset. */
  readonly duration: number;
}

/**
 * The option `limits` of `createIssuer`. A failure is an attempt with a wrong secret or an unknown client ID. Attempts
 * with an assertion, or with one of the `formerSecrets` of the client, do not count.
 */
export interface BruteForceLimitOptions {
  /**
   * Maximum number of failures of one client from one network: 1 to 1,000,000. After them, requests with this client ID
   * from this network get 429. A successful authentication resets the count. Default: 10.
   */
  readonly perClient?: number | undefined;
  /**
   * Maximum number of failures from one network, which is an IPv4 address or the /64 of an IPv6 address: 1 to
   * 1,000,000. After them, every request with a client secret from this network gets 429. Default: 100.
   */
  readonly perAddress?: number | undefined;
  /**
   * Seconds from the first failure until the count is reset: 1 to 86,400. Default: 900. The option `clock` of
   * `createIssuer` is not used: the seconds are those of the machine, or of the shared counter.
   */
  readonly window?: number | undefined;
  /**
   * Creates a counter that several instances share: `(options) => new RateLimiterRedis({ storeClient, ...options })`.
   * Default: each instance counts in its own memory. If a call of the shared counter fails or takes more than a second,
   * the instance uses its own memory for that call.
   */
  readonly counter?: ((options: CounterOptions) => FailureCounter) | undefined;
}

const OPTIONS = {
  perClient: integer(10, 1, 1_000_000),
  perAddress: integer(100, 1, 1_000_000),
  window: integer(900, 1, 86_400),
  counter: optional(method<(options: CounterOptions) => FailureCounter>()),
} satisfies OptionTable<BruteForceLimitOptions>;

const METHODS = ['get', 'penalty', 'delete'] as const;

/** Milliseconds after which a call of a shared counter counts as failed. */
const TIMEOUT_MS = 1_000;

/**
 * Maximum number of clients, and also of networks, whose failures are counted in memory; beyond it, the count that was
 * used least recently is dropped. Without a limit, an attacker with many addresses could exhaust the memory.
 */
const MAX_KEYS = 100_000;

export class BruteForceLimiter {
  readonly #perClient: Limit;
  readonly #perNetwork: Limit;

  /** @param given - `BruteForceLimitOptions`, which are validated here. */
  constructor(given: unknown) {
    const { counter, window: duration, ...points } = readTable('createIssuer: option "limits"', given, OPTIONS);
    const limit = (name: 'perClient' | 'perAddress') =>
      new Limit({ keyPrefix: `keyward:${name}`, points: points[name], duration }, counter);
    this.#perClient = limit('perClient');
    this.#perNetwork = limit('perAddress');
  }

  /**
   * Refuses a request if its client or its network has too many failures.
   *
   * @returns Whether the client has failures from this network. If it then authenticates, the caller must call `reset`.
   * @throws TokenRequestError 429 with `Retry-After` if there are too many failures.
   */
  async assertOpen(id: string, network: string): Promise<boolean> {
    const counts = [this.#perClient.countOf(clientAt(id, network)), this.#perNetwork.countOf(network)] as const;
    const [ofClient, ofNetwork] = [await counts[0], await counts[1]];
    const wait = Math.max(this.#perClient.waitAfter(ofClient), this.#perNetwork.waitAfter(ofNetwork));
    if (wait === 0) return ofClient !== null;
    const headers = { 'Retry-After': String(Math.ceil(wait / 1_000)) };
    throw new TokenRequestError('slow_down', 'too_many_failures', { headers });
  }

  /** @param points - 1 for a guess; 0 for another refusal, so that both take the same time. */
  async countFailure(id: string, network: string, points: 0 | 1 = 1): Promise<void> {
    await Promise.all([this.#perClient.count(clientAt(id, network), points), this.#perNetwork.count(network, points)]);
  }

  /**
   * Resets the failures of a client that has authenticated. The failures of its network are not reset: otherwise an
   * attacker with one valid client could reset them and try the secrets of other clients without a limit.
   */
  async reset(id: string, network: string): Promise<void> {
    await this.#perClient.forget(clientAt(id, network));
  }
}

/**
 * Returns the key under which the failures of a client from a network are counted. The key is a digest, because a
 * client ID may be too long for the database of a shared counter, or have characters that it cannot store.
 */
function clientAt(id: string, network: string): string {
  return digestOf(`${network} ${id}`);
}

class Limit {
  readonly #points: number;
  readonly #shared: FailureCounter | undefined;
  readonly #own: RateLimiterMemory;
  readonly #keys: LRUCache<string, true>;

  constructor(options: CounterOptions, make: ((options: CounterOptions) => FailureCounter) | undefined) {
    this.#points = options.points;
    this.#shared = make?.(options);
    if (make !== undefined && !METHODS.every((name) => typeof this.#shared?.[name] === 'function')) {
      throw new TypeError(
        'createIssuer: option "limits.counter" must be a function that returns an object with get(), penalty() and delete()',
      );
    }
    this.#own = new RateLimiterMemory(options);
    this.#keys = new LRUCache({ max: MAX_KEYS, dispose: (_value, key) => void this.#own.delete(key) });
  }

  countOf(key: string): Awaitable<Count | null> {
    if (this.#shared === undefined && !this.#keys.has(key)) return null;
    return this.#ask(
      (counter) => counter.get(key),
      () => this.#own.get(key),
    );
  }

  /** Returns the milliseconds until the next attempt is allowed; 0 if it is allowed now. */
  waitAfter(count: Count | null): number {
    return count !== null && count.consumedPoints >= this.#points ? Math.max(count.msBeforeNext, 1) : 0;
  }

  async count(key: string, points: number): Promise<void> {
    await this.#ask(
      (counter) => counter.penalty(key, points),
      () => {
        this.#keys.set(key, true);
        return this.#own.penalty(key, points);
      },
    );
  }

  async forget(key: string): Promise<void> {
    await this.#ask(
      (counter) => counter.delete(key),
      () => this.#own.delete(key),
    );
  }

  async #ask<T>(shared: (counter: FailureCounter) => Promise<T>, own: () => Promise<T>): Promise<T> {
    if (this.#shared === undefined) return own();
    try {
      return await withTimeout(shared(this.#shared), TIMEOUT_MS);
    } catch (error) {
      if (issuerWarnings.hasSubscribers)
        issuerWarnings.publish({ warning: 'limiter_away', detail: describeError(error) });
      return own();
    }
  }
}
