/**
 * How often a client's secret may be guessed (RFC 6749 §2.3.1: the endpoint MUST be protected against brute force).
 *
 * Failures are counted per client and network, and per network. Never per client alone: whoever knows an Identifier
 * could then lock its owner out.
 */
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Awaitable } from '../contracts/key-resolver.js';
import { digestOf } from '../credentials/digest.js';
import { issuerNotices } from '../events/issuer-notice.js';
import { Options } from '../options/options.js';
import { causeOf } from './cause-of.js';
import { TokenRefusal } from './token-refusal.js';

/** So many failures, and the milliseconds until they are forgotten. */
interface Count {
  readonly consumedPoints: number;
  readonly msBeforeNext: number;
}

/** Counts failures: what every limiter of `rate-limiter-flexible` does. */
export interface FailureCounter {
  get(key: string): Promise<Count | null>;
  penalty(key: string, points?: number): Promise<unknown>;
  delete(key: string): Promise<unknown>;
}

/** What a counter is made with; the names are those of `rate-limiter-flexible`. */
export interface CounterOptions {
  readonly keyPrefix: string;
  /** Failures allowed. */
  readonly points: number;
  /** Seconds until they are forgotten. */
  readonly duration: number;
}

/** The option `limits` of `createIssuer`. */
export interface GuessLimitOptions {
  /** Failures of one client from one network: 10. */
  readonly perClient?: number | undefined;
  /** Failures from one network: 100. */
  readonly perAddress?: number | undefined;
  /** Seconds until they are forgotten: 900. */
  readonly window?: number | undefined;
  /**
   * Makes a counter that several instances share: `(options) => new RateLimiterRedis({ storeClient, ...options })`.
   * While it cannot be reached, each instance counts by itself. In memory, unless given.
   */
  readonly counter?: ((options: CounterOptions) => FailureCounter) | undefined;
}

/** Counters in memory keep so many keys: addresses are free, memory is not. */
const MAX_KEYS = 100_000;

export class GuessLimits {
  readonly #perClient: Limit;
  readonly #perNetwork: Limit;

  constructor(given: GuessLimitOptions) {
    const names = ['perClient', 'perAddress', 'window', 'counter'];
    const options = new Options('createIssuer: option "limits"', given, names);
    const duration = options.integer('window', 900, 1, 86_400);
    const make = options.has('counter') ? options.method<(o: CounterOptions) => FailureCounter>('counter') : undefined;
    const limit = (name: 'perClient' | 'perAddress', fallback: number) =>
      new Limit(
        { keyPrefix: `keyward:${name}`, points: options.integer(name, fallback, 1, 1_000_000), duration },
        make,
      );
    this.#perClient = limit('perClient', 10);
    this.#perNetwork = limit('perAddress', 100);
  }

  /**
   * @returns Whether failures of the client there are counted: a success has them to forgive.
   * @throws TokenRefusal where a client may not be tried from a network for now: 429 and `Retry-After`.
   */
  async assertOpen(id: string, network: string): Promise<boolean> {
    const counts = [this.#perClient.countOf(clientAt(id, network)), this.#perNetwork.countOf(network)] as const;
    const [ofClient, ofNetwork] = [await counts[0], await counts[1]];
    const wait = Math.max(this.#perClient.waitAfter(ofClient), this.#perNetwork.waitAfter(ofNetwork));
    if (wait === 0) return ofClient !== null;
    const headers = { 'Retry-After': String(Math.ceil(wait / 1_000)) };
    throw new TokenRefusal('slow_down', 'too_many_failures', { headers });
  }

  async countFailure(id: string, network: string): Promise<void> {
    await Promise.all([this.#perClient.count(clientAt(id, network)), this.#perNetwork.count(network)]);
  }

  /** A client that proves itself has its own failures forgotten; those of its network stay. */
  async forgive(id: string, network: string): Promise<void> {
    await this.#perClient.forget(clientAt(id, network));
  }
}

/** A digest, since an id may be anything: longer than the column of a shared counter, or not fit for its encoding. */
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

  /** Milliseconds until what has so many failures may be tried again; 0 where it may. */
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
      return await shared(this.#shared);
    } catch (error) {
      if (issuerNotices.hasSubscribers) issuerNotices.publish({ notice: 'limiter_away', detail: causeOf(error) });
      return own();
    }
  }
}
