import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  type KeyPrincipal,
  type Principal,
  type RateCounterOptions,
  type RateLimitOptions,
  requireBearer,
  requireRateLimit,
} from 'keyward';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { A5, answerOf, U0 } from '../../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../../support/eavesdrop.js';
import { bearing, pass } from '../../support/passage.js';
import { keyPrincipal, tokenPrincipal } from '../../support/principals.js';
import { type Reply, type ServedApp, serveApp } from '../../support/served-app.js';
import { parseList } from '../../support/structured-fields.js';
import { acceptingVerifier } from '../../support/stub-verifier.js';

const memory = (options: RateCounterOptions) => new RateLimiterMemory(options);
const THREE_A_MINUTE = [{ requests: 3, seconds: 60 }];

let ear: Eavesdropper;
beforeEach(() => {
  ear = eavesdrop();
});
afterEach(() => ear.stop());

const open: ServedApp[] = [];
afterAll(() => Promise.all(open.map((app) => app.close())));

/** Serves `/` behind a gate that takes the credential for the id of a key, and a guard. */
async function serve(
  options: Partial<RateLimitOptions>,
  principalOf: (credential: string) => Principal = (keyId) => keyPrincipal({ keyId }),
): Promise<ServedApp> {
  const guard = requireRateLimit({ counter: memory, default: THREE_A_MINUTE, onOutage: 'refuse', ...options });
  return await mounted((app, handler) => void app.get('/', gateOf(principalOf), guard, handler));
}

async function mounted(mount: Parameters<typeof serveApp>[0]): Promise<ServedApp> {
  const app = await serveApp(mount);
  open.push(app);
  return app;
}

function gateOf(principalOf: (credential: string) => Principal, optional = false) {
  const verify = (credential: { reveal(): string }) =>
    ({ outcome: 'accepted', principal: principalOf(credential.reveal()) }) as const;
  return requireBearer({ accept: [{ verify }], optional });
}

async function statuses(app: ServedApp, credential: string, times: number): Promise<readonly number[]> {
  const found: number[] = [];
  for (let turn = 0; turn < times; turn += 1) found.push((await app.ask('/', credential)).status);
  return found;
}

const secondsIn = ({ headers }: Reply) => Number(headers['retry-after']);

describe('allowed requests', () => {
  it('G15 N requests pass, and N + 1 gets RL', async () => {
    const app = await serve({});
    expect(await statuses(app, 'key_1', 3)).toEqual([200, 200, 200]);
    const over = await app.ask('/', 'key_1');
    expect(over.status).toBe(429);
    expect(over.headers).toMatchObject({ 'cache-control': 'no-store', 'ratelimit-policy': '"60s";q=3;w=60' });
    expect(over.headers).not.toHaveProperty('www-authenticate');
    expect(over.headers.ratelimit).toMatch(/^"60s";r=0;t=\d+$/);
    expect(secondsIn(over)).toBeGreaterThan(0);
    expect(secondsIn(over)).toBeLessThanOrEqual(60);
    expect(app.handled()).toBe(3);
    expect(ear.heard('keyward:decision').at(-1)).toMatchObject({
      ...{ outcome: 'refused', by: 'requireRateLimit', code: 'too_many_requests', reason: 'rate_limit' },
      keyId: 'key_1',
    });
  });

  it('G15 each key has its own count, and so has a client whose id is that of a key', async () => {
    const app = await serve({}, (credential) =>
      credential.startsWith('token')
        ? tokenPrincipal({ keyId: 'key_1', clientId: 'key_1' })
        : keyPrincipal({ keyId: credential }),
    );
    expect(await statuses(app, 'key_1', 4)).toEqual([200, 200, 200, 429]);
    expect(await statuses(app, 'key_2', 4)).toEqual([200, 200, 200, 429]);
    // Two tokens of one client share their limit.
    expect([...(await statuses(app, 'token-1', 2)), ...(await statuses(app, 'token-2', 2))]).toEqual([
      200, 200, 200, 429,
    ]);
  });

  it('G15 the limits of a record replace the default', async () => {
    const app = await serve({}, (keyId) =>
      keyPrincipal({ keyId, limits: keyId === 'key_1' ? [{ requests: 1, seconds: 60 }] : undefined }),
    );
    expect(await statuses(app, 'key_1', 2)).toEqual([200, 429]);
    expect(await statuses(app, 'key_2', 4)).toEqual([200, 200, 200, 429]);
  });

  it('G15 a key with neither limits nor a default is not counted', async () => {
    const made: RateCounterOptions[] = [];
    const counter = (options: RateCounterOptions) => {
      made.push(options);
      return memory(options);
    };
    const app = await serve({ counter, default: undefined });
    expect(await statuses(app, 'key_1', 5)).toEqual([200, 200, 200, 200, 200]);
    expect(made).toEqual([]);
  });

  it('G15 two windows: each counts every request, and the response has the longer wait', async () => {
    const counted: string[] = [];
    const counter = (options: RateCounterOptions) => {
      const limiter = memory(options);
      return {
        consume(key: string) {
          counted.push(`${options.points}/${options.duration}`);
          return limiter.consume(key);
        },
      };
    };
    const app = await serve({ counter, default: [...THREE_A_MINUTE, { requests: 4, seconds: 3_600 }] });
    expect(await statuses(app, 'key_1', 3)).toEqual([200, 200, 200]);
    const overFirst = await app.ask('/', 'key_1');
    expect([overFirst.status, secondsIn(overFirst) <= 60]).toEqual([429, true]);
    expect(overFirst.headers.ratelimit).toMatch(/^"60s";r=0;t=\d+, "3600s";r=0;t=\d+$/);
    const overBoth = await app.ask('/', 'key_1');
    expect([overBoth.status, secondsIn(overBoth) > 3_500]).toEqual([429, true]);
    expect(counted.filter((window) => window === '3/60')).toHaveLength(5);
    expect(counted.filter((window) => window === '4/3600')).toHaveLength(5);
  });

  it('G15 the counter is made once for each window', async () => {
    const made: RateCounterOptions[] = [];
    const counter = (options: RateCounterOptions) => {
      made.push(options);
      return memory(options);
    };
    const limits = () => [{ requests: 5, seconds: 10 }];
    const app = await serve({ counter }, (keyId) => keyPrincipal({ keyId, limits: limits() }));
    await statuses(app, 'key_1', 2);
    await statuses(app, 'key_2', 2);
    expect(made).toEqual([
      { keyPrefix: 'keyward:requests:3/60', points: 3, duration: 60 },
      { keyPrefix: 'keyward:requests:5/10', points: 5, duration: 10 },
    ]);
  });
});

describe('mounting', () => {
  const gate = gateOf((keyId) => keyPrincipal({ keyId }));

  it('G17 mounted twice, a request counts once', async () => {
    const guard = requireRateLimit({ counter: memory, default: THREE_A_MINUTE, onOutage: 'refuse' });
    const app = await mounted((served, handler) => {
      served.use(gate, guard);
      served.get('/', guard, handler);
    });
    expect(await statuses(app, 'key_1', 4)).toEqual([200, 200, 200, 429]);
  });

  it('G17 two guards with one limit, on router and route, count a request once', async () => {
    const shared = memory({ keyPrefix: 'shared', points: 3, duration: 60 });
    const guard = () => requireRateLimit({ counter: () => shared, default: THREE_A_MINUTE, onOutage: 'refuse' });
    const app = await mounted((served, handler) => {
      served.use(gate, guard());
      served.get('/', guard(), handler);
    });
    expect(await statuses(app, 'key_1', 4)).toEqual([200, 200, 200, 429]);
  });

  const withPrefix = (keyPrefix: string) => memory({ keyPrefix, points: 3, duration: 60 });
  const withoutPrefix = (keyPrefix: string) => {
    const own = withPrefix(keyPrefix);
    return { consume: (key: string) => own.consume(key) };
  };

  it.each([
    ['with one limit and different prefixes', withPrefix],
    ['whose counters have no prefix', withoutPrefix],
  ])('two guards %s both count a request', async (_which, counterOf) => {
    const [all, route] = [counterOf('all'), counterOf('route')];
    const guard = (counter: typeof all) =>
      requireRateLimit({ counter: () => counter, default: THREE_A_MINUTE, onOutage: 'refuse' });
    const app = await mounted((served, handler) => {
      served.use('/', gate);
      served.use('/route', guard(route));
      served.get(['/', '/route'], guard(all), handler);
    });
    for (let turn = 0; turn < 2; turn += 1) expect((await app.ask('/route', 'key_1')).status).toBe(200);
    expect(await statuses(app, 'key_1', 2)).toEqual([200, 429]);
  });

  it('G17 a stricter limit on the route counts only its requests', async () => {
    const guard = (requests: number) =>
      requireRateLimit({ counter: memory, default: [{ requests, seconds: 60 }], onOutage: 'refuse' });
    const app = await mounted((served, handler) => {
      served.use(gate, guard(5));
      served.get('/', guard(2), handler);
      served.get('/cheap', handler);
    });
    expect((await app.ask('/cheap', 'key_1')).status).toBe(200);
    expect(await statuses(app, 'key_1', 3)).toEqual([200, 200, 429]);
    expect([(await app.ask('/cheap', 'key_1')).status, (await app.ask('/cheap', 'key_1')).status]).toEqual([200, 429]);
  });
});

describe('a counter that fails', () => {
  const refusing = () => ({ consume: () => Promise.reject(new Error('redis://:secret-canary@127.0.0.1 is down')) });
  const throwing = () => ({
    consume: (): never => {
      throw new Error('secret-canary');
    },
  });
  const garbled = () => ({ consume: () => Promise.resolve({ remainingPoints: 'many' } as never) });

  it.each([
    ['rejects', refusing],
    ['throws', throwing],
    ['returns what is no count', garbled],
  ])('G18 that %s: allowed with an event, or A5', async (_how, counter) => {
    const allowing = await serve({ counter, onOutage: 'allow' });
    const allowed = await allowing.ask('/', 'key_1');
    expect(allowed.status).toBe(200);
    expect(allowed.headers).not.toHaveProperty('ratelimit');
    expect(ear.heard('keyward:decision')).toContainEqual(
      expect.objectContaining({ outcome: 'warning', by: 'requireRateLimit', reason: 'counter_unavailable' }),
    );
    expect(ear.heard('keyward:lookup-failure')).toContainEqual(
      expect.objectContaining({ of: 'requireRateLimit', reason: 'threw' }),
    );
    const strict = await serve({ counter, onOutage: 'refuse' });
    expect(answerOf(await strict.ask('/', 'key_1'))).toEqual(A5);
    expect(JSON.stringify(ear.heard())).not.toContain('secret-canary');
  });

  it('G18 that never answers is waited for a second', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const guard = requireRateLimit({
        counter: () => ({ consume: () => new Promise(() => {}) }),
        default: THREE_A_MINUTE,
        onOutage: 'refuse',
      });
      const passing = pass(bearing('abc'), requireBearer({ accept: [acceptingVerifier(keyPrincipal())] }), guard);
      await jest.advanceTimersByTimeAsync(1_000);
      expect((await passing).error).toMatchObject({ status: 503 });
      expect(ear.heard('keyward:lookup-failure')).toContainEqual(expect.objectContaining({ reason: 'timed_out' }));
    } finally {
      jest.useRealTimers();
    }
  });

  it('G18 one window fails and the other is over its limit: RL', async () => {
    const counter = (options: RateCounterOptions) => (options.duration === 60 ? memory(options) : refusing());
    const app = await serve({
      counter,
      default: [
        { requests: 1, seconds: 60 },
        { requests: 9, seconds: 90 },
      ],
      onOutage: 'allow',
    });
    expect(await statuses(app, 'key_1', 2)).toEqual([200, 429]);
  });
});

describe('a request without a principal', () => {
  it('G19 passes behind an optional gate, and is not counted', async () => {
    const guard = requireRateLimit({ counter: memory, default: THREE_A_MINUTE, onOutage: 'refuse' });
    const app = await mounted((served, handler) => {
      const gate = gateOf((keyId) => keyPrincipal({ keyId }), true);
      served.get('/', gate, guard, handler);
    });
    for (let turn = 0; turn < 5; turn += 1) expect((await app.ask('/')).status).toBe(200);
    expect(await statuses(app, 'key_1', 4)).toEqual([200, 200, 200, 429]);
  });

  it('G19 gets U0 by a gate that is not optional', async () => {
    const app = await serve({});
    expect(answerOf(await app.ask('/'))).toEqual(U0);
  });

  it('G19 without a gate the guard fails closed', async () => {
    const guard = requireRateLimit({ counter: memory, default: THREE_A_MINUTE, onOutage: 'allow' });
    const { passed, error } = await pass(bearing('abc'), guard);
    expect([passed, String(error)]).toEqual([
      false,
      'Error: keyward: requireRateLimit ran before requireBearer accepted the request; mount requireBearer before requireRateLimit on this route',
    ]);
  });
});

describe('a response that another middleware started while the counter was asked', () => {
  it('is not broken off', async () => {
    const counter = () => ({
      consume: async () => {
        await wait(20);
        return { remainingPoints: 1, msBeforeNext: 1 };
      },
    });
    const guard = requireRateLimit({ counter, default: THREE_A_MINUTE, onOutage: 'refuse' });
    const api = await mounted((app) => {
      app.use((_req, res, next) => {
        res.write('too ');
        next();
      });
      app.get(
        '/',
        gateOf((keyId) => keyPrincipal({ keyId })),
        guard,
        (_req, res) => void res.end('slow'),
      );
    });
    expect(await api.ask('/', 'abc')).toMatchObject({ status: 200, body: 'too slow' });
  });
});

describe('the header fields', () => {
  it('G20 parse by RFC 9651 on every counted response', async () => {
    const app = await serve({
      default: [
        { requests: 2, seconds: 10 },
        { requests: 1_000_000_000, seconds: 604_800 },
      ],
    });
    for (const [remaining, status] of [
      [1, 200],
      [0, 200],
      [0, 429],
    ] as const) {
      const reply = await app.ask('/', 'key_1');
      expect(reply.status).toBe(status);
      expect(parseList(reply.headers['ratelimit-policy'] ?? '')).toEqual([
        { value: '10s', parameters: { q: 2, w: 10 } },
        { value: '604800s', parameters: { q: 1_000_000_000, w: 604_800 } },
      ]);
      const [short, long] = parseList(reply.headers.ratelimit ?? '');
      expect(short).toEqual({ value: '10s', parameters: { r: remaining, t: expect.any(Number) } });
      expect(long).toMatchObject({ value: '604800s', parameters: { t: expect.any(Number) } });
    }
  });
});

describe('the options', () => {
  const good: RateLimitOptions = { counter: memory, onOutage: 'allow' };

  it.each<[string, object]>([
    ['counter', { counter: undefined }],
    ['counter', { counter: new RateLimiterMemory({ points: 1, duration: 1 }) }],
    ['onOutage', { onOutage: undefined }],
    ['onOutage', { onOutage: 'pass' }],
    ['default', { default: [] }],
    ['default', { default: [{ requests: 0, seconds: 1 }] }],
    ['default', { default: [{ requests: 1, seconds: 604_801 }] }],
    ['default', { default: [{ requests: 1.5, seconds: 1 }] }],
    ['default', { default: [{ requests: 1, seconds: 1, burst: 2 }] }],
    [
      'default',
      {
        default: [
          { requests: 1, seconds: 1 },
          { requests: 2, seconds: 1 },
        ],
      },
    ],
    ['points', { points: 3 }],
  ])('throws for a wrong %s: %j', (name, wrong) => {
    expect(() => requireRateLimit({ ...good, ...wrong })).toThrow(TypeError);
    expect(() => requireRateLimit({ ...good, ...wrong })).toThrow(`"${name}"`);
  });

  it('throws at start for a factory that returns no limiter', () => {
    const options = { ...good, default: THREE_A_MINUTE, counter: () => ({}) as never };
    expect(() => requireRateLimit(options)).toThrow(
      'option "counter" must be a function that returns an object with consume()',
    );
  });

  it('a principal with invalid limits is unavailable', async () => {
    const broken = keyPrincipal({ limits: [{ requests: 'many', seconds: 1 }] as unknown as KeyPrincipal['limits'] });
    const { error } = await pass(bearing('abc'), requireBearer({ accept: [acceptingVerifier(broken)] }));
    expect(error).toMatchObject({ status: 503 });
  });
});
