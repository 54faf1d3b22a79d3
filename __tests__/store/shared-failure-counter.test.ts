import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { CounterOptions, FailureCounter } from '../../lib/issuer/brute-force-limiter.js';
import { canariesOf, printed } from '../support/canaries.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { basic, GRANT, ID, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const PASSWORD = 'redis-password-canary';
const PER_CLIENT = 3;

/** What an instance of Redis holds for the limiter, and whether it can be reached. */
class Redis {
  isAway = false;
  readonly #counters = new Map<string, RateLimiterMemory>();
  /** Every call that it received. */
  readonly calls: unknown[][] = [];

  readonly counter = (options: CounterOptions): FailureCounter => {
    const ask = async <T>(what: 'get' | 'penalty' | 'delete', key: string, points?: number): Promise<T> => {
      if (this.isAway) throw Object.assign(new Error(`redis://:${PASSWORD}@127.0.0.1:6379`), { code: 'ECONNREFUSED' });
      this.calls.push([what, options.keyPrefix, key]);
      const counter = this.#counters.get(options.keyPrefix) ?? new RateLimiterMemory(options);
      this.#counters.set(options.keyPrefix, counter);
      return (await (what === 'penalty' ? counter.penalty(key, points) : counter[what](key))) as T;
    };
    return {
      get: (key) => ask('get', key),
      penalty: (key, points) => ask('penalty', key, points),
      delete: (key) => ask('delete', key),
    };
  };

  flushAll(): void {
    this.#counters.clear();
  }
}

describe('a token endpoint whose guesses are counted in Redis', () => {
  let redis: Redis;
  let service: TokenService;
  let events: Eavesdropper;

  beforeEach(async () => {
    events = eavesdrop();
    redis = new Redis();
    service = await tokenService({ limits: { perClient: PER_CLIENT, counter: redis.counter } });
  });

  afterEach(async () => {
    events.stop();
    await service.close();
  });

  const ask = async (secret: string) => (await service.post(GRANT, basic(ID, secret))).status;
  const guess = async (times: number) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < times; turn += 1) statuses.push(await ask('wrong'));
    return statuses;
  };
  const away = () => events.heard('keyward:issuer').filter(({ warning }) => warning === 'limiter_away');

  it('F12 down at the start: tokens are issued, this process limits guesses, with an event; when it is up, it counts', async () => {
    redis.isAway = true;
    expect(await ask(SECRET)).toBe(200);
    expect(await guess(PER_CLIENT + 1)).toEqual([401, 401, 401, 429]);
    expect(away()[0]).toEqual({ warning: 'limiter_away', detail: 'Error ECONNREFUSED' });
    redis.isAway = false;
    events.clear();
    expect(await ask(SECRET)).toBe(200);
    expect(await guess(PER_CLIENT + 1)).toEqual([401, 401, 401, 429]);
    expect(away()).toEqual([]);
  });

  it('F12 down later: tokens are issued, and this process limits guesses from then on', async () => {
    expect([await ask(SECRET), ...(await guess(PER_CLIENT - 1))]).toEqual([200, 401, 401]);
    redis.isAway = true;
    expect(await ask(SECRET)).toBe(200);
    expect(await guess(PER_CLIENT + 1)).toEqual([401, 401, 401, 429]);
    expect(away().length).toBeGreaterThan(0);
  });

  it('F12 FLUSHALL: tokens are issued, and the count of guesses starts again', async () => {
    expect(await guess(PER_CLIENT + 1)).toEqual([401, 401, 401, 429]);
    redis.flushAll();
    expect(await ask(SECRET)).toBe(200);
    expect(await guess(PER_CLIENT + 1)).toEqual([401, 401, 401, 429]);
    expect(away()).toEqual([]);
  });

  it('P13 Redis dump: no secret, and no client ID', async () => {
    await guess(2);
    await ask(SECRET);
    expect(redis.calls.length).toBeGreaterThan(4);
    expect(canariesOf([SECRET, ID, service.url]).heardIn(printed(redis.calls))).toEqual([]);
  });

  it('L07 Redis URL: its password is in no event and no response', async () => {
    redis.isAway = true;
    const response = await service.post(GRANT, basic(ID, 'wrong'));
    const said = [events.heard(), await response.text(), Object.fromEntries(response.headers)];
    expect(away().length).toBeGreaterThan(0);
    expect(canariesOf([PASSWORD]).heardIn(printed(said))).toEqual([]);
  });
});
