import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { clientNetwork } from '../../lib/http/client-network.js';
import { BruteForceLimiter, type CounterOptions, type FailureCounter } from '../../lib/issuer/brute-force-limiter.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import {
  basic,
  digestOf,
  GRANT,
  ID,
  record,
  SECRET,
  type TokenService,
  tokenService,
} from '../support/token-service.js';

const EXPIRED = { digest: digestOf('expired'), expiresAt: new Date(0) };
/** Secrets that were right once, of a client that has these fields. */
const OUTDATED: readonly (readonly [what: string, traits: Parameters<typeof record>[0], secret: string])[] = [
  ['a former secret', { formerSecrets: [digestOf('former')] }, 'former'],
  ['a secret whose grace period is over', { secrets: [...record().secrets, EXPIRED] }, 'expired'],
  ['a good secret of a disabled key', { disabled: true }, SECRET],
  ['a good secret of a revoked key', { revokedAt: new Date(0) }, SECRET],
];

describe('guesses of client secrets', () => {
  let service: TokenService;
  beforeEach(async () => {
    service = await tokenService({ limits: { perClient: 10, perAddress: 25 } }, [
      (req, _res, next) => {
        Object.defineProperty(req, 'ip', { value: req.headers['x-forwarded-for'] ?? '192.0.2.1' });
        next();
      },
    ]);
  });
  afterEach(() => service.close());

  const ask = async (id: string, secret: string, from = '192.0.2.1') =>
    service.post(GRANT, { ...basic(id, secret), 'x-forwarded-for': from });
  const fail = async (times: number, id = ID, from = '192.0.2.1') => {
    for (let i = 0; i < times; i += 1) await ask(id, 'wrong', from);
  };

  it('T36 after 10 failures for one id from one address: 429 and Retry-After there, also for the correct secret', async () => {
    await fail(9);
    expect((await ask(ID, 'wrong')).status).toBe(401);
    const response = await ask(ID, SECRET);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(await response.json()).toEqual({
      error: 'slow_down',
      error_description: 'Too many failed attempts; retry after the number of seconds in the Retry-After header',
    });
  });

  it('the event of a refusal after too many failures names the reason', async () => {
    await fail(10);
    const events = eavesdrop();
    await ask(ID, SECRET);
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ status: 429, reason: 'too_many_failures' }]);
  });

  it('T36 the correct secret from another address: still 200', async () => {
    await fail(12);
    expect((await ask(ID, SECRET, '198.51.100.7')).status).toBe(200);
  });

  it('a success resets the failures of that client from that address', async () => {
    await fail(9);
    expect((await ask(ID, SECRET)).status).toBe(200);
    await fail(9);
    expect((await ask(ID, SECRET)).status).toBe(200);
  });

  it('a success does not reset the failures of its address, so one valid client gives no more guesses', async () => {
    for (let i = 0; i < 23; i += 1) await ask(`ack_${i}`, 'wrong');
    await fail(1);
    expect((await ask(ID, SECRET)).status).toBe(200);
    await ask('ack_24', 'wrong');
    expect((await ask(ID, SECRET)).status).toBe(429);
  });

  it('counts per address over all ids', async () => {
    for (let i = 0; i < 25; i += 1) await ask(`ack_${i}`, 'wrong');
    expect((await ask(ID, SECRET)).status).toBe(429);
    expect((await ask(ID, SECRET, '192.0.2.2')).status).toBe(200);
  });

  it('counts the addresses of one network together', async () => {
    for (let i = 0; i < 25; i += 1) await ask(`ack_${i}`, 'wrong', `2001:db8:1:2::${i}`);
    expect((await ask(ID, SECRET, '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await ask(ID, SECRET, '2001:db8:1:3::1')).status).toBe(200);
  });

  it('does not limit successes', async () => {
    for (let i = 0; i < 40; i += 1) expect((await ask(ID, SECRET)).status).toBe(200);
  });

  it.each(OUTDATED)('does not count an outdated secret as a guess: %s', async (_what, traits, secret) => {
    service.table.set('ack_stale', record({ id: 'ack_stale', ...traits }));
    for (let i = 0; i < 40; i += 1) {
      const { status } = await ask('ack_stale', secret);
      expect(status).toBe(401);
    }
    expect((await ask(ID, SECRET)).status).toBe(200);
    if (secret !== SECRET) expect((await ask('ack_stale', SECRET)).status).toBe(200);
  });

  it('counts guesses of the secret of a disabled or unknown client', async () => {
    service.table.set('ack_off', record({ id: 'ack_off', disabled: true }));
    for (const id of ['ack_off', 'ack_unknown']) {
      await fail(10, id);
      expect((await ask(id, SECRET)).status).toBe(429);
    }
  });

  it('does not count requests without a guess', async () => {
    for (let i = 0; i < 30; i += 1) await service.post(GRANT, { 'x-forwarded-for': '192.0.2.1' });
    expect((await ask(ID, SECRET)).status).toBe(200);
  });
});

describe('BruteForceLimiter with a shared counter', () => {
  let events: Eavesdropper;
  beforeEach(() => {
    events = eavesdrop();
  });
  afterEach(() => events.stop());

  /** Counters in one place, as several instances have them, and what they are asked. */
  function sharedCounter() {
    const counters = new Map<string, RateLimiterMemory>();
    const asked: [what: string, key: string][] = [];
    const counter = (options: CounterOptions): FailureCounter => {
      const kept = counters.get(options.keyPrefix) ?? new RateLimiterMemory(options);
      counters.set(options.keyPrefix, kept);
      const recorded = <T>(what: string, key: string, answer: Promise<T>) => {
        asked.push([what, `${options.keyPrefix}:${key}`]);
        return answer;
      };
      return {
        get: (key) => recorded('get', key, kept.get(key)),
        penalty: (key, points) => recorded(`penalty ${points}`, key, kept.penalty(key, points)),
        delete: (key) => recorded('delete', key, kept.delete(key)),
      };
    };
    return { counter, asked };
  }

  it('counts in it, so that several instances see one count', async () => {
    const { counter } = sharedCounter();
    const [one, other] = [
      new BruteForceLimiter({ perClient: 2, counter }),
      new BruteForceLimiter({ perClient: 2, counter }),
    ];
    await one.countFailure('id', 'net');
    await other.countFailure('id', 'net');
    await expect(one.assertOpen('id', 'net')).rejects.toMatchObject({ code: 'slow_down', status: 429 });
    await other.reset('id', 'net');
    await expect(one.assertOpen('id', 'net')).resolves.toBe(false);
    expect(events.heard()).toEqual([]);
  });

  it('calls it twice for a success, and a third time only if there is something to reset', async () => {
    const { counter, asked } = sharedCounter();
    const service = await tokenService({ limits: { counter } });
    const asks: string[] = [];
    for (const secret of [SECRET, 'wrong', SECRET, SECRET]) {
      asked.length = 0;
      await service.post(GRANT, basic(ID, secret));
      asks.push(asked.map(([what]) => what).join(' '));
    }
    await service.close();
    expect(asks).toEqual(['get get', 'get get penalty 1 penalty 1', 'get get delete', 'get get']);
  });

  it.each([
    ['a wrong secret', {}, 'wrong', 1] as const,
    ['an unknown client', undefined, SECRET, 1] as const,
    ...OUTDATED.map((row) => [...row, 0] as const),
    ['a good secret from another address', { allowedAddresses: ['192.0.2.0/24'] }, SECRET, 0] as const,
  ])(
    'T16 calls it as often for each refusal, so that all take the same time: %s',
    async (_what, traits, secret, points) => {
      const { counter, asked } = sharedCounter();
      const service = await tokenService({ limits: { counter } });
      if (traits !== undefined) service.table.set('ack_other', record({ id: 'ack_other', ...traits }));
      const { status } = await service.post(GRANT, basic('ack_other', secret));
      await service.close();
      expect(status).toBe(401);
      expect(asked.map(([what]) => what)).toEqual(['get', 'get', `penalty ${points}`, `penalty ${points}`]);
    },
  );

  const longest = 'i'.repeat(256);
  it.each([
    ['an id of 256 characters', longest, '192.0.2.1'],
    ['an id with NUL', 'ack_\0', '192.0.2.1'],
    ['an id with spaces, colons and letters of every kind', 'a b:c é \u{1F511} %00 \uD800', '2001:db8::1'],
    ['an address that is as long as a header', ID, 'x'.repeat(8_000)],
    ['an address with NUL', ID, '192.0.2.1\0'],
  ])('uses keys that fit into every counter: %s', async (_what, id, address) => {
    const { counter, asked } = sharedCounter();
    const limits = new BruteForceLimiter({ counter });
    const network = clientNetwork(address);
    await limits.countFailure(id, network);
    expect(await limits.assertOpen(id, network)).toBe(true);
    await limits.reset(id, network);
    expect(await limits.assertOpen(id, network)).toBe(false);
    for (const [, key] of asked) expect(key).toMatch(/^[\w:./]{1,100}$/);
  });

  it.each<[string, [id: string, network: string], [id: string, network: string]]>([
    ['ids', ['ack_1', 'net'], ['ack_2', 'net']],
    ['networks', ['ack_1', 'one'], ['ack_1', 'other']],
    ['ids that differ after 255 characters', [`${longest.slice(1)}a`, 'net'], [`${longest.slice(1)}b`, 'net']],
    ['ids that a decoder could mix up', ['ack_%00', 'net'], ['ack_\0', 'net']],
  ])('counts %s separately', async (_what, one, other) => {
    const { counter } = sharedCounter();
    const limits = new BruteForceLimiter({ perClient: 1, counter });
    await limits.countFailure(...one);
    await expect(limits.assertOpen(...one)).rejects.toMatchObject({ status: 429 });
    expect(await limits.assertOpen(...other)).toBe(false);
  });

  it.each([0, 1, 400, 1_000])('has Retry-After of one second if %d ms are left', async (msBeforeNext) => {
    const count = async () => ({ consumedPoints: 10, msBeforeNext });
    const limits = new BruteForceLimiter({ counter: () => ({ get: count, penalty: count, delete: async () => true }) });
    const headers = { 'Retry-After': '1' };
    await expect(limits.assertOpen('id', 'net')).rejects.toMatchObject({ status: 429, headers });
  });

  it('uses an answer of a counter that arrived while the event loop was blocked', async () => {
    const get = () =>
      new Promise<{ consumedPoints: number; msBeforeNext: number }>((resolve) =>
        randomBytes(8, () => resolve({ consumedPoints: 10, msBeforeNext: 5_000 })),
      );
    const limits = new BruteForceLimiter({
      perClient: 1,
      counter: () => ({ get, penalty: get, delete: async () => true }),
    });
    const checked = limits.assertOpen('id', 'net');
    const until = performance.now() + 1_100;
    while (performance.now() < until);
    await expect(checked).rejects.toMatchObject({ code: 'slow_down', status: 429 });
    expect(events.heard()).toEqual([]);
  });

  it('counts in its own memory if a counter does not answer within a second', async () => {
    const never = () => new Promise<never>(() => {});
    const limits = new BruteForceLimiter({
      perClient: 1,
      counter: () => ({ get: never, penalty: never, delete: never }),
    });
    await limits.countFailure('id', 'net');
    await expect(limits.assertOpen('id', 'net')).rejects.toMatchObject({ code: 'slow_down', status: 429 });
    expect(events.heard()).toContainEqual({ warning: 'limiter_away', detail: 'TimeoutError' });
  });

  it.each([
    ['nothing', () => undefined],
    ['a promise', async () => new RateLimiterMemory({ points: 1, duration: 1 })],
    ['an object without delete()', () => ({ get: async () => null, penalty: async () => undefined })],
  ])('refuses a function that returns %s', (_what, counter) => {
    expect(() => new BruteForceLimiter({ counter })).toThrow(TypeError);
    expect(() => new BruteForceLimiter({ counter })).toThrow('"limits.counter"');
  });

  it.each<[string, object, readonly CounterOptions[]]>([
    [
      'by default',
      {},
      [
        { keyPrefix: 'keyward:perClient', points: 10, duration: 900 },
        { keyPrefix: 'keyward:perAddress', points: 100, duration: 900 },
      ],
    ],
    [
      'as set',
      { perClient: 3, perAddress: 30, window: 60 },
      [
        { keyPrefix: 'keyward:perClient', points: 3, duration: 60 },
        { keyPrefix: 'keyward:perAddress', points: 30, duration: 60 },
      ],
    ],
  ])('gives the limits to the function that creates it: %s', (_what, limits, expected) => {
    const made: CounterOptions[] = [];
    const counter = (options: CounterOptions) => {
      made.push(options);
      return new RateLimiterMemory(options);
    };
    new BruteForceLimiter({ ...limits, counter });
    expect(made).toEqual(expected);
  });

  it('waits a second for it, and leaves no timer after its answer', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const cleared = jest.spyOn(globalThis, 'clearTimeout');
    const get = async () => null;
    const limits = new BruteForceLimiter({ counter: () => ({ get, penalty: get, delete: get }) });
    await limits.assertOpen('id', 'net');
    const started = timers.mock.results.map(({ value }) => value);
    expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toEqual([1_000, 1_000]);
    expect(cleared.mock.calls.map(([timer]) => timer)).toEqual(started);
    jest.restoreAllMocks();
  });

  it('has counted a failure when the refusal is sent', async () => {
    const order: string[] = [];
    const penalty = async () => {
      for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
      order.push('counted');
      return { consumedPoints: 1, msBeforeNext: 1_000 };
    };
    const counter = (): FailureCounter => ({ get: async () => null, penalty, delete: async () => true });
    const service = await tokenService({ limits: { counter } }, [
      (_req, res, next) => {
        res.once('finish', () => order.push('sent'));
        next();
      },
    ]);
    expect((await service.post(GRANT, basic(ID, 'wrong'))).status).toBe(401);
    await service.close();
    expect(order).toEqual(['counted', 'counted', 'sent']);
  });

  it('F12 counts in memory while it cannot be reached, with an event', async () => {
    const away = () => Promise.reject(Object.assign(new Error('redis://user:password@host'), { code: 'ECONNREFUSED' }));
    const counter = (): FailureCounter => ({ get: away, penalty: away, delete: away });
    const limits = new BruteForceLimiter({ perClient: 1, counter });
    await limits.assertOpen('id', 'net');
    await limits.countFailure('id', 'net');
    await expect(limits.assertOpen('id', 'net')).rejects.toMatchObject({ status: 429 });
    await limits.reset('id', 'net');
    expect(await limits.assertOpen('id', 'net')).toBe(false);
    expect(events.heard()[0]).toEqual({ warning: 'limiter_away', detail: 'Error ECONNREFUSED' });
    expect(JSON.stringify(events.heard())).not.toContain('password');
  });
});

describe('BruteForceLimiter in memory', () => {
  const isOpen = (limits: BruteForceLimiter, id: string) =>
    limits.assertOpen(id, 'net').then(
      () => true,
      () => false,
    );

  it('allows 10 failures of a client and 100 of a network by default', async () => {
    const limits = new BruteForceLimiter({});
    for (let i = 0; i < 9; i += 1) await limits.countFailure('ack_0', 'net');
    expect(await isOpen(limits, 'ack_0')).toBe(true);
    await limits.countFailure('ack_0', 'net');
    expect([await isOpen(limits, 'ack_0'), await isOpen(limits, 'ack_new')]).toEqual([false, true]);
    for (let i = 10; i < 99; i += 1) await limits.countFailure(`ack_${i}`, 'net');
    expect(await isOpen(limits, 'ack_new')).toBe(true);
    await limits.countFailure('ack_99', 'net');
    expect(await isOpen(limits, 'ack_new')).toBe(false);
  });

  it('causes no event of a shared counter that is away', async () => {
    const events = eavesdrop();
    const limits = new BruteForceLimiter({ perClient: 1 });
    await limits.countFailure('id', 'net');
    const isOpenBefore = await isOpen(limits, 'id');
    await limits.reset('id', 'net');
    events.stop();
    expect([isOpenBefore, await isOpen(limits, 'id'), events.heard()]).toEqual([false, true, []]);
  });

  it('T37 failures for more ids than its limit: the oldest are removed, so that memory is limited', async () => {
    const limits = new BruteForceLimiter({ perClient: 2, perAddress: 1_000_000 });
    const isShutAfterAnother = async (id: string) => {
      await limits.countFailure(id, 'net');
      return limits.assertOpen(id, 'net').then(
        () => false,
        () => true,
      );
    };
    await limits.countFailure('first', 'net');
    for (let i = 0; i < 100_000; i += 1) await limits.countFailure(`ack_${i}`, 'net');
    expect(await isShutAfterAnother('ack_99999')).toBe(true);
    expect(await isShutAfterAnother('first')).toBe(false);
  });

  it.each([
    ['perClient', 1_000_000],
    ['perAddress', 1_000_000],
    ['window', 86_400],
  ])('accepts 1 to %s of at most %d', (name, most) => {
    for (const value of [1, most]) expect(() => new BruteForceLimiter({ [name]: value })).not.toThrow();
    for (const value of [0, most + 1, 1.5]) {
      expect(() => new BruteForceLimiter({ [name]: value })).toThrow(
        `"${name}" must be a whole number from 1 to ${most}`,
      );
    }
  });

  it('refuses invalid limits', () => {
    expect(() => new BruteForceLimiter({ perClient: 0 })).toThrow(
      new TypeError(
        'createIssuer: option "limits": option "perClient" must be a whole number from 1 to 1000000, got 0',
      ),
    );
  });
});
