/**
 * Limits how often client secrets can be guessed (RFC 6749 §2.3.1: the endpoint MUST be protected against brute force).
 *
 * Failures are counted for each client and network together, and for each network. A network is an IPv4 address or the
 * /64 of an IPv6 address. They are not counted for a client alone, because then anyone who knows a client ID could lock
 * out its owner.
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

/** The number of failures, and the milliseconds until they are reset. */
interface Count {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/** Counts failures. The limiters of `rate-limiter-flexible`, such as `RateLimiterRedis`, implement this. */
export interface FailureCounter {
  get(key: string): Promise<Count | null>;
  penalty(key: string, points?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** Options of a counter, with the names of `rate-limiter-flexible`. */
export interface CounterOptions {
  readonly keyPrefix: string;
  /** The number of failures that are allowed. */
  readonly points: number;
  /** Seconds until the failures are reset. */
  readonly duration: number;
}

/**
 * The option `limits` of `createIssuer`. A failure is an unknown client ID with a secret, or a secret that the client
 * does not have: not an assertion, and not one of the `formerSecrets` of the client.
 */
export interface BruteForceLimitOptions {
  /**
   * Failures that are allowed for one client from one network, 1 to 1,000,000. A success resets them. Beyond them, the
   * client gets 429 from this network. Default: 10.
   */
  readonly perClient?: number | undefined;
  /**
   * Failures that are allowed for one network, 1 to 1,000,000: an IPv4 address, or the /64 network of an IPv6 address.
   * Beyond them, every client with a secret gets 429 from this network. Default: 100.
   */
  readonly perAddress?: number | undefined;
  /** Seconds from the first failure until the failures are reset, 1 to 86,400. Default: 900. */
  readonly window?: number | undefined;
  /**
   * Creates a counter that several instances share: `(options) => new RateLimiterRedis({ storeClient, ...options })`.
   * Default: each instance counts in its own memory. It also does so while the shared counter fails, or needs more than
   * a second.
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

/** Maximum milliseconds for a response of a shared counter. */
const TIMEOUT_MS = 1_000;

/** Maximum number of counters in memory. Without a limit, an attacker with many addresses could exhaust the memory. */
const MAX_KEYS = 100_000;

export class BruteForceLimiter {
  readonly #perClient: Limit;
  readonly #perNetwork: Limit;

  /**
   * Creates a limiter.
   *
   * @param given - `BruteForceLimitOptions`, validated here.
   */
  constructor(given: unknown) {
    const { counter, window: duration, ...points } = readTable('createIssuer: option "limits"', given, OPTIONS);
    const limit = (name: 'perClient' | 'perAddress') =>
      new Limit({ keyPrefix: `keyward:${name}`, points: points[name], duration }, counter);
    this.#perClient = limit('perClient');
    this.#perNetwork = limit('perAddress');
  }

  /**
   * Refuses a client that has too many failures.
   *
   * @returns Whether this client has failures from this network, which a success must reset.
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

  async countFailure(id: string, network: string): Promise<void> {
    await Promise.all([this.#perClient.count(clientAt(id, network)), this.#perNetwork.count(network)]);
  }

  /** Resets the failures of a client that was authenticated. Failures of its network are not reset. */
  async reset(id: string, network: string): Promise<void> {
    await this.#perClient.forget(clientAt(id, network));
  }
}

/**
 * Returns the name of the counter for a client in a network. It is a digest, because an id may be too long for the
 * column of a shared counter, or invalid in its encoding.
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
      throw new TypeError('createIssuer: "limits.counter" must return an object with get(), penalty() and delete()');
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

  async count(key: string): Promise<void> {
    await this.#ask(
      (counter) => counter.penalty(key),
      () => {
        this.#keys.set(key, true, { noDisposeOnSet: true });
        return this.#own.penalty(key);
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
