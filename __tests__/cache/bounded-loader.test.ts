import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { BoundedLoader } from '../../lib/cache/bounded-loader.js';
import type { LookupSource } from '../../lib/cache/fair-lookup-slots.js';
import type { Subject } from '../../lib/cache/invalidation-scope.js';
import { RecordError } from '../../lib/credentials/records/record-error.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { createManualClock } from '../support/manual-clock.js';

const SUBJECT: Subject = { id: 'k1', account: 'a1' };

/** A loader, and the lookups that it started: they last until the test ends them. */
function createLoader({ isShared = true, maxLookups = 2 } = {}) {
  const started: Deferred<Subject>[] = [];
  const failures: string[] = [];
  const clock = createManualClock();
  const loader = new BoundedLoader<() => Promise<Subject>, Subject, number | string>({
    of: 'test',
    timeout: 1_000,
    maxLookups,
    isShared,
    clock,
    lookUp: (request) => request(),
    found: (_key, _value, { sequence }) => sequence,
    failed: (_key, reason) => {
      failures.push(reason);
      return reason;
    },
  });
  const load = (key: string) =>
    loader.load(key, () => {
      const lookup = deferred<Subject>();
      started.push(lookup);
      return lookup.promise;
    });
  /** Takes every place, asks for one more, and gives them all back. */
  async function runShort(): Promise<void> {
    const pending = Array.from({ length: maxLookups + 1 }, (_, index) => load(`short ${index}`));
    for (const lookup of started) lookup.resolve(SUBJECT);
    await Promise.all(pending);
  }
  return { loader, started, load, runShort, clock, failures };
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('single flight', () => {
  it('returns one promise for a key until its lookup settles', async () => {
    const { started, load } = createLoader();
    const [first, second, other] = [load('a'), load('a'), load('b')];
    expect([first === second, first === other, started.length]).toEqual([true, false, 2]);
    started[0]?.resolve(SUBJECT);
    await first;
    expect(load('a')).not.toBe(first);
  });

  it('finds each lookup while others in the same list settle', async () => {
    const { started, load } = createLoader({ maxLookups: 10_000 });
    const keys = Array.from({ length: 2_000 }, (_, index) => `key ${index}`);
    const pending = keys.map(load);
    // Each list has about 8 of these: one is removed from the start, the middle or the end of its list.
    for (const index of keys.keys()) if (index % 3 === 0) started[index]?.resolve(SUBJECT);
    await Promise.all(pending.filter((_promise, index) => index % 3 === 0));
    const joined = keys.map((key, index) => load(key) === pending[index]);
    expect(joined).toEqual(keys.map((_key, index) => index % 3 !== 0));
    for (const { resolve } of started) resolve(SUBJECT);
    await Promise.all(keys.map(load));
    expect(load('key 1')).not.toBe(pending[1]);
  });

  it.each(['', '\u0100'])('shares the lookup of the key %j', (key) => {
    const { load } = createLoader();
    expect(load(key)).toBe(load(key));
  });

  it('starts a lookup for each request if lookups are not shared', () => {
    const { started, load } = createLoader({ isShared: false });
    void load('a');
    void load('a');
    expect(started.length).toBe(2);
  });

  it('no request joins a lookup that threw synchronously', async () => {
    const { loader } = createLoader();
    const throwing = () => {
      throw new Error('down');
    };
    const first = loader.load('a', throwing);
    expect(loader.load('a', throwing)).not.toBe(first);
    expect(await first).toBe('threw');
  });

  it('the end of a late lookup does not affect its replacement', async () => {
    const { started, load } = createLoader();
    const first = load('a');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await first).toBe('timed_out');
    const second = load('a');
    started[0]?.resolve(SUBJECT);
    await jest.advanceTimersByTimeAsync(0);
    expect(load('a')).toBe(second);
  });
});

describe('an answer that arrives while the event loop is blocked', () => {
  it('is not too late', async () => {
    jest.useRealTimers();
    const failures: string[] = [];
    const loader = new BoundedLoader<unknown, Subject, string>({
      ...{ of: 'test', timeout: 50, maxLookups: 2, isShared: true, clock: createManualClock() },
      lookUp: () => new Promise((resolve) => randomBytes(8, () => resolve(SUBJECT))),
      found: () => 'found',
      failed: (_key, reason) => {
        failures.push(reason);
        return reason;
      },
    });
    const result = loader.load('a', undefined);
    const until = performance.now() + 100;
    while (performance.now() < until);
    expect(await result).toBe('found');
    await new Promise(setImmediate);
    expect(failures).toEqual([]);
  });
});

describe('a lookup that timed out', () => {
  it('has failed once, even if it throws later', async () => {
    const { started, load, failures } = createLoader();
    const result = load('a');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await result).toBe('timed_out');
    started[0]?.reject(new Error('late'));
    await jest.advanceTimersByTimeAsync(0);
    expect(failures).toEqual(['timed_out']);
  });

  it('has failed again if it returns an invalid record, which ends the use of the cached one', async () => {
    const { started, load, failures } = createLoader();
    const result = load('a');
    await jest.advanceTimersByTimeAsync(1_000);
    started[0]?.reject(new RecordError('id: expected a non-empty string'));
    await jest.advanceTimersByTimeAsync(0);
    expect([await result, failures]).toEqual(['timed_out', ['timed_out', 'record_invalid']]);
  });
});

describe('invalidation', () => {
  it('repeats a lookup whose subject matches, with a new number', async () => {
    const { loader, started, load } = createLoader();
    const result = load('a');
    loader.notify({ id: 'k1' });
    started[0]?.resolve(SUBJECT);
    await jest.advanceTimersByTimeAsync(0);
    started[1]?.resolve(SUBJECT);
    expect([await result, loader.nextSequence]).toEqual([2, 3]);
  });

  it('reaches every lookup in flight', async () => {
    const { loader, started, load } = createLoader({ maxLookups: 2_000 });
    const pending = Array.from({ length: 2_000 }, (_, index) => load(`key ${index}`));
    loader.notify('all');
    for (const { resolve } of started.slice()) resolve(SUBJECT);
    await jest.advanceTimersByTimeAsync(0);
    expect(started.length).toBe(4_000);
    for (const { resolve } of started) resolve(SUBJECT);
    await Promise.all(pending);
  });

  it('applies to lookups that are not shared, but not to settled ones', async () => {
    const { loader, started, load } = createLoader({ isShared: false });
    const [settled, pending] = [load('a'), load('a')];
    started[0]?.resolve(SUBJECT);
    await settled;
    loader.notify('all');
    started[1]?.resolve(SUBJECT);
    await jest.advanceTimersByTimeAsync(0);
    expect(started.length).toBe(3);
    started[2]?.resolve(SUBJECT);
    await pending;
  });
});

describe('places', () => {
  const UNKNOWN: Subject = { id: undefined, account: undefined };

  /** Looks unknown keys up, one after the other. */
  async function miss(
    loader: ReturnType<typeof createLoader>['loader'],
    count: number,
    source: LookupSource,
  ): Promise<void> {
    for (let i = 0; i < count; i += 1) await loader.load(`miss ${i}`, async () => UNKNOWN, source);
  }

  /** Asks for lookups that last, and returns how many got a place. */
  async function startedOf({ loader }: ReturnType<typeof createLoader>, keys: string, source: LookupSource) {
    let count = 0;
    const never = () => {
      count += 1;
      return new Promise<Subject>(() => {});
    };
    for (let i = 0; i < 8; i += 1) void loader.load(`${keys} ${i}`, never, source);
    return count;
  }

  const [attacker, customer] = [{ network: '203.0.113.1' }, { network: '198.51.100.1' }];

  it('no network is limited while there are enough places', async () => {
    const bench = createLoader({ maxLookups: 8 });
    await miss(bench.loader, 200, attacker);
    expect(await startedOf(bench, 'new', attacker)).toBe(8);
  });

  it('when places are short, a network whose lookups find nothing gets a quarter, and a known key gets any place', async () => {
    const bench = createLoader({ maxLookups: 8 });
    for (const key of ['known 0', 'known 1']) {
      const found = bench.load(key);
      bench.started.at(-1)?.resolve(SUBJECT);
      await found;
    }
    bench.started.length = 0;
    await bench.runShort();
    await miss(bench.loader, 60, attacker);
    expect(await startedOf(bench, 'new', attacker)).toBe(2);
    expect(await startedOf(bench, 'new too', customer)).toBe(4);
    expect(await startedOf(bench, 'known', attacker)).toBe(2);
  });

  it('places are short for 10 seconds, and then no longer', async () => {
    const bench = createLoader({ maxLookups: 8 });
    await bench.runShort();
    bench.clock.advance(9_999);
    expect(await startedOf(bench, 'new', customer)).toBe(6);
    const again = createLoader({ maxLookups: 8 });
    await again.runShort();
    again.clock.advance(10_000);
    expect(await startedOf(again, 'new', customer)).toBe(8);
  });

  it('a lookup that expires and settles later frees its place once', async () => {
    const bench = createLoader({ maxLookups: 8 });
    await bench.runShort();
    bench.started.length = 0;
    const lookups = Array.from({ length: 6 }, (_, index) => bench.load(`lasting ${index}`));
    await jest.advanceTimersByTimeAsync(10_000);
    for (const lookup of bench.started) lookup.resolve(SUBJECT);
    await Promise.all(lookups);
    await jest.advanceTimersByTimeAsync(0);
    expect(bench.started.length).toBe(6);
    expect(await startedOf(bench, 'new', customer)).toBe(6);
  });
});
