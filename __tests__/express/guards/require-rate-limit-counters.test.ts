import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type Decision,
  digestOf,
  type Principal,
  type RateLimitOptions,
  requireBearer,
  requireRateLimit,
  type TokenPayload,
} from 'keyward';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';
import { bearing, pass, requestOf } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { acceptingVerifier } from '../../support/stub-verifier.js';

const MINUTE = [{ requests: 3, seconds: 60 }];
const COUNT = { remainingPoints: 2, msBeforeNext: 1_500 };

let events: Eavesdropper;
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => {
  events.stop();
  jest.useRealTimers();
});
const failures = () => events.heard('keyward:lookup-failure');

const guardOf = (consume: (key: string) => unknown, options: Partial<RateLimitOptions> = {}) =>
  requireRateLimit({
    counter: () => ({ consume: consume as () => Promise<typeof COUNT> }),
    ...{ default: MINUTE, onOutage: 'refuse' as const },
    ...options,
  });

const gateOf = (principal: Principal) => requireBearer({ accept: [acceptingVerifier(principal)] });
const judged = (
  consume: (key: string) => unknown,
  options: Partial<RateLimitOptions> = {},
  principal = keyPrincipal(),
) => pass(bearing('abc'), gateOf(principal), guardOf(consume, options));

describe('a count', () => {
  it('is of the key, or of the client of a token', async () => {
    const keys: string[] = [];
    const consume = async (key: string) => {
      keys.push(key);
      return COUNT;
    };
    const tokens = [{ iss: 'https://id.test' }, { iss: 'https://other.test' }, {}].map((payload) =>
      tokenPrincipal({ payload: payload as TokenPayload }),
    );
    const bare = tokenPrincipal({ keyId: 'ack_2', payload: undefined as never });
    for (const principal of [keyPrincipal(), keyPrincipal({ kind: 'public', keyId: 'key_2' }), ...tokens, bare]) {
      await pass(bearing('abc'), gateOf(principal), guardOf(consume));
    }
    expect(keys).toEqual([
      'key:key_1',
      'key:key_2',
      ...['https://id.test ack_1', 'https://other.test ack_1', ' ack_1', ' ack_2'].map(
        (name) => `client:${digestOf(name)}`,
      ),
    ]);
  });

  it('is made for each key, if a request passes two gates with different keys', async () => {
    const keys: string[] = [];
    const guard = guardOf(async (key) => {
      keys.push(key);
      return COUNT;
    });
    const [first, second] = ['key_1', 'key_2'].map((keyId) => gateOf(keyPrincipal({ keyId })));
    if (first !== undefined && second !== undefined) await pass(bearing('abc'), first, guard, second, guard, guard);
    expect(keys).toEqual(['key:key_1', 'key:key_2']);
  });

  it('of windows with one counter that has no prefix is made once, and shown for each', async () => {
    const [consume, consumeShared] = [jest.fn(async () => COUNT), jest.fn(async () => COUNT)];
    const shared = { consume: consumeShared };
    const counter = ({ duration }: { readonly duration: number }) => (duration === 60 ? { consume } : shared);
    const windows = [...MINUTE, { requests: 9, seconds: 90 }, { requests: 9, seconds: 91 }];
    const guard = requireRateLimit({ counter, default: windows, onOutage: 'refuse' });
    const { res } = await pass(bearing('abc'), gateOf(keyPrincipal()), guard);
    expect(res.getHeader('RateLimit')).toBe('"60s";r=2;t=2, "90s";r=2;t=2, "91s";r=2;t=2');
    expect([consume.mock.calls.length, consumeShared.mock.calls.length]).toEqual([1, 1]);
  });

  it('is made once in each window by three guards, of which the first and the last share one', async () => {
    const counted: number[] = [];
    const counter = ({ duration }: { readonly duration: number }) => ({
      keyPrefix: 'shared',
      async consume() {
        counted.push(duration);
        return COUNT;
      },
    });
    const guard = (seconds: number) =>
      requireRateLimit({ counter, default: [{ requests: 9, seconds }], onOutage: 'refuse' });
    const chain = [gateOf(keyPrincipal()), guard(60), guard(90), guard(60)];
    for (let request = 1; request <= 2; request += 1) expect((await pass(bearing('abc'), ...chain)).passed).toBe(true);
    expect(counted).toEqual([60, 90, 60, 90]);
  });

  it('is noted without a new object for each request', async () => {
    const set = jest.spyOn(WeakMap.prototype, 'set');
    const chain = [gateOf(keyPrincipal()), guardOf(async () => COUNT)];
    const requests = [bearing('abc'), bearing('abc')];
    for (const request of requests) await pass(request, ...chain);
    const noted = requests.map((request) => set.mock.calls.filter(([key]) => key === request).at(-1)?.[1]);
    set.mockRestore();
    expect(noted[0]).toMatchObject({ key: 'key:key_1', counts: [{ count: COUNT }] });
    expect(noted[1]).toBe(noted[0]);
  });

  describe('by two guards that share the counter of one window', () => {
    const OTHER_WINDOW = { requests: 9, seconds: 90 };
    const over = { remainingPoints: 0, msBeforeNext: 4_000 };

    /** Two guards; the second one has a window more. Each call of `consume` takes the next answer. */
    function guards(onOutage: 'allow' | 'refuse', ...answers: (() => Promise<unknown>)[]) {
      const consumed: string[] = [];
      const counterFor = (name: string) => ({
        keyPrefix: 'shared',
        consume: () => {
          consumed.push(name);
          return (answers.shift() ?? (async () => COUNT))() as Promise<typeof COUNT>;
        },
      });
      const counter = ({ duration }: { readonly duration: number }) => counterFor(`${duration}`);
      const [router, route] = [
        requireRateLimit({ counter, default: MINUTE, onOutage: 'allow' }),
        requireRateLimit({ counter, default: [...MINUTE, OTHER_WINDOW], onOutage }),
      ];
      return { gate: gateOf(keyPrincipal()), router, route, consumed };
    }

    it('is not repeated, and in the response of the second guard too', async () => {
      const { gate, router, route, consumed } = guards('refuse');
      for (let request = 1; request <= 2; request += 1) {
        const { passed, res } = await pass(bearing('abc'), gate, router, route);
        expect(passed).toBe(true);
        expect(res.getHeaders()).toMatchObject({
          ratelimit: '"60s";r=2;t=2, "90s";r=2;t=2',
          'ratelimit-policy': '"60s";q=3;w=60, "90s";q=9;w=90',
        });
      }
      expect(consumed).toEqual(['60', '90', '60', '90']);
    });

    it('refuses the request at the second guard too, if an error handler ignored the refusal', async () => {
      const { gate, router, route, consumed } = guards('allow', () => Promise.reject(over));
      const { req, error } = await pass(bearing('abc'), gate, router);
      const other = await pass(bearing('abc'), gate, router, route);
      const again = await pass(req, route);
      expect([error, again.error]).toMatchObject([{ status: 429 }, { status: 429 }]);
      expect(other.passed).toBe(true);
      expect(consumed).toEqual(['60', '60', '90', '90']);
    });

    it.each([
      ['refuse', 503],
      ['allow', undefined],
    ] as const)('that is unknown stays unknown for the second guard: %s', async (onOutage, status) => {
      const failing = () => Promise.reject(new Error('down'));
      const { gate, router, route, consumed } = guards(onOutage, failing);
      const { req, res, passed } = await pass(bearing('abc'), gate, router);
      expect([passed, res.getHeader('RateLimit')]).toEqual([true, undefined]);
      expect((await pass(bearing('abc'), gate, router, route)).passed).toBe(true);
      const second = await pass(req, route);
      expect((second.error as { status?: number } | undefined)?.status).toBe(status);
      expect(second.res.getHeader('RateLimit')).toBeUndefined();
      expect(consumed).toEqual(['60', '60', '90', '90']);
    });
  });

  it('lets the request pass, and is in the response', async () => {
    const { passed, res } = await judged(async () => COUNT);
    expect(passed).toBe(true);
    expect(res.getHeaders()).toMatchObject({ ratelimit: '"60s";r=2;t=2', 'ratelimit-policy': '"60s";q=3;w=60' });
    expect(failures()).toEqual([]);
    expect(events.heard<Decision>('keyward:decision').map(({ outcome }) => outcome)).toEqual(['accepted']);
  });

  it('that is rejected refuses the request, until its window ends', async () => {
    const { passed, res, error } = await judged(() => Promise.reject({ remainingPoints: 0, msBeforeNext: 4_001 }));
    expect(passed).toBe(false);
    expect(error).toMatchObject({ code: 'too_many_requests', status: 429 });
    expect(res.getHeaders()).toMatchObject({ 'retry-after': '5', ratelimit: '"60s";r=0;t=5' });
    expect(failures()).toEqual([]);
  });

  it('of several windows: the longest wait counts, in any order', async () => {
    const waits = [1_000, 9_000, 5_000];
    const limits = waits.map((wait, index) => ({ requests: 1, seconds: index + 1, wait }));
    const { res } = await pass(
      bearing('abc'),
      gateOf(keyPrincipal({ limits: limits.map(({ requests, seconds }) => ({ requests, seconds })) })),
      requireRateLimit({
        counter: ({ duration }) => ({
          consume: () => Promise.reject({ remainingPoints: 0, msBeforeNext: limits[duration - 1]?.wait }),
        }),
        onOutage: 'refuse',
      }),
    );
    expect(res.getHeader('retry-after')).toBe('9');
  });
});

function raise(error: Error): never {
  throw error;
}

describe('no count', () => {
  const NO_COUNT =
    'consume() of the counter must return a promise of { remainingPoints, msBeforeNext }, both finite numbers';

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an empty object', {}],
    ['no time', { remainingPoints: 1 }],
    ['no number of requests', { msBeforeNext: 1 }],
    ['a time that is not finite', { remainingPoints: 1, msBeforeNext: Number.POSITIVE_INFINITY }],
    ['a number of requests that is a string', { remainingPoints: '1', msBeforeNext: 1 }],
    ['an error with the fields of a count', Object.assign(new Error('x'), COUNT)],
    ['a function with the fields of a count', Object.assign(() => {}, COUNT)],
    [
      'an object with a getter that throws',
      {
        get remainingPoints(): number {
          throw new RangeError();
        },
      },
    ],
    ['an object whose prototype cannot be read', new Proxy({}, { getPrototypeOf: () => raise(new RangeError()) })],
  ])('a counter that resolves to %s', async (_name, found) => {
    const { error, res } = await judged(async () => found);
    expect(error).toMatchObject({ code: 'temporarily_unavailable', status: 503 });
    expect(res.getHeaders()).not.toHaveProperty('ratelimit');
    expect(failures()).toEqual([{ of: 'requireRateLimit', reason: 'threw', detail: NO_COUNT, where: [] }]);
  });

  it.each<[string, () => unknown]>([
    [
      'rejects with an error that has the fields of a count',
      () => Promise.reject(Object.assign(new RangeError(), COUNT)),
    ],
    [
      'throws',
      () => {
        throw new RangeError();
      },
    ],
  ])('a counter that %s: the event has the class of the error and its place', async (_name, consume) => {
    const { error } = await judged(consume);
    expect(error).toMatchObject({ status: 503 });
    const [failure, ...more] = failures() as { readonly detail: string; readonly where: readonly string[] }[];
    expect(more).toEqual([]);
    expect(failure).toMatchObject({ of: 'requireRateLimit', reason: 'threw', detail: 'RangeError' });
    expect(failure?.where.length).toBeGreaterThan(0);
  });

  it.each([
    ['refuse', 'unavailable', 'temporarily_unavailable', false],
    ['allow', 'warning', undefined, true],
  ] as const)('onOutage %s: the decision is %s', async (onOutage, outcome, code, passes) => {
    const { passed } = await judged(() => Promise.reject(new Error('down')), { onOutage });
    expect(passed).toBe(passes);
    expect(events.heard<Decision>('keyward:decision').at(-1)).toMatchObject({
      ...{ outcome, code, by: 'requireRateLimit', reason: 'counter_unavailable', keyId: 'key_1' },
    });
  });

  it('a counter that takes a second: an event without a place, and a later answer changes nothing', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    let answer: (count: typeof COUNT) => void = () => {};
    const judging = judged(
      () =>
        new Promise<typeof COUNT>((resolve) => {
          answer = resolve;
        }),
    );
    await jest.advanceTimersByTimeAsync(999);
    expect(failures()).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect((await judging).error).toMatchObject({ status: 503 });
    answer(COUNT);
    await new Promise(setImmediate);
    expect(failures()).toEqual([{ of: 'requireRateLimit', reason: 'timed_out', detail: undefined, where: [] }]);
  });

  it('an answer in the last moment, while the process was busy, counts', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    let answer: (count: typeof COUNT) => void = () => {};
    const judging = judged(
      () =>
        new Promise<typeof COUNT>((resolve) => {
          answer = resolve;
        }),
    );
    await new Promise(setImmediate);
    jest.advanceTimersByTime(1_000);
    answer(COUNT);
    expect((await judging).passed).toBe(true);
    await new Promise(setImmediate);
    expect(failures()).toEqual([]);
  });

  it.each([
    ['at once', () => Promise.resolve(COUNT)],
    ['later', () => new Promise((resolve) => setImmediate(resolve, COUNT))],
  ])('a counter that answers %s leaves no timer', async (_name, consume) => {
    const set = jest.spyOn(globalThis, 'setTimeout');
    const clear = jest.spyOn(globalThis, 'clearTimeout');
    await judged(consume);
    const timers = set.mock.results.map(({ value }) => value);
    const cleared: unknown[] = clear.mock.calls.map(([timer]) => timer);
    jest.restoreAllMocks();
    expect(timers.filter((timer) => !cleared.includes(timer))).toEqual([]);
  });
});

it('names itself in errors about options', () => {
  expect(() => requireRateLimit({ counter: () => ({ consume: async () => COUNT }), onOutage: 'x' as never })).toThrow(
    new TypeError(`requireRateLimit: option "onOutage" must be 'allow' or 'refuse', got an invalid string`),
  );
});

describe('the guard', () => {
  it('has a name and metadata, but no check', () => {
    const guard = guardOf(async () => COUNT);
    expect([guard.name, 'check' in guard]).toEqual(['requireRateLimit', false]);
    expect(guardMetadataOf(guard)).toEqual({
      ...{ name: 'requireRateLimit', kinds: undefined, scopes: undefined, passesAnonymous: true },
    });
    expect(Object.isFrozen(guardMetadataOf(guard))).toBe(true);
  });

  it('does not count a request without a principal, or without limits', async () => {
    const consume = jest.fn(async () => COUNT);
    const optional = requireBearer({ accept: [acceptingVerifier(keyPrincipal())], optional: true });
    expect((await pass(requestOf(), optional, guardOf(consume))).passed).toBe(true);
    expect((await judged(consume, { default: undefined })).passed).toBe(true);
    expect(consume).not.toHaveBeenCalled();
  });

  it('passes errors of the factory on, for limits of a key', async () => {
    const fault = new Error('no connection');
    const guard = requireRateLimit({
      counter: () => {
        throw fault;
      },
      onOutage: 'allow',
    });
    const { error } = await pass(bearing('abc'), gateOf(keyPrincipal({ limits: MINUTE })), guard);
    expect(error).toBe(fault);
  });

  it('ends the response if the next handler throws', async () => {
    const fault = new Error('handler');
    const { req, res } = await pass(bearing('abc'), gateOf(keyPrincipal()));
    guardOf(async () => COUNT)(req, res, () => {
      throw fault;
    });
    await new Promise(setImmediate);
    expect([res.statusCode, res.writableEnded]).toEqual([500, true]);
    expect(events.heard('keyward:callback-failure')).toMatchObject([{ of: 'requireRateLimit', callback: 'next' }]);
  });
});
