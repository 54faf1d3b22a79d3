import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { RequestHandler } from 'express';
import type { Decision } from 'keyward';
import { pino, stdSerializers } from 'pino';
import { limitLines } from '../../examples/observability/limit-lines.js';
import { listen } from '../../examples/observability/listen.js';
import { correlate, logListeners, pinoOptions } from '../../examples/observability/pino-log.js';
import { flood, type ObservedApi, serveObserved } from '../support/observed-api.js';

describe('logs with pino', () => {
  const { debug, info, error } = pino.levels.values;
  let lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => lines.push(JSON.parse(line)) };
  const logger = pino({ ...pinoOptions, base: null, level: 'debug', serializers: stdSerializers }, stream);

  /** What pino-http does by itself: the whole request, headers and all, is on the line. */
  const logRequest: RequestHandler = (req, res, next) => {
    const child = logger.child({ req });
    if ('x-log' in req.headers) res.on('finish', () => child.info({ res }, 'request completed'));
    next();
  };

  let end: () => void;
  let api: ObservedApi;
  beforeAll(async () => {
    api = await serveObserved({ before: [correlate, logRequest] });
    end = listen(logListeners(logger));
  });
  afterAll(() => {
    end();
    return api.close();
  });
  afterEach(() => {
    lines = [];
  });

  it('writes a line for a request that a gate accepted, with the principal', async () => {
    await api.ask(api.kit.secretKey());
    expect(lines).toMatchObject([
      { level: debug, outcome: 'accepted', kind: 'secret', keyId: expect.any(String), account: 'acc_test' },
    ]);
  });

  it('writes a line for a request that a gate refused, with the reason', async () => {
    await api.ask(api.kit.secretKey({ revoked: true }));
    expect(lines).toMatchObject([{ level: info, outcome: 'refused', code: 'invalid_token', reason: 'revoked' }]);
  });

  it('writes a line for a request that a guard refused, with the guard', async () => {
    await api.ask(api.kit.secretKey({ apis: ['disputes'] }));
    expect(lines).toMatchObject([
      { level: debug, outcome: 'accepted' },
      { level: info, outcome: 'refused', by: 'requireApi(payments)', reason: 'api', path: '/payments' },
    ]);
  });

  it('writes an outage at level error, with its cause', async () => {
    const key = api.kit.secretKey();
    api.kit.outage(true);
    await api.ask(key);
    api.kit.outage(false);
    expect(lines).toMatchObject([
      { level: error, of: 'apiKeys', reason: 'threw' },
      { level: error, outcome: 'unavailable', reason: 'lookup_threw' },
    ]);
  });

  it.each([
    ['loaded', info],
    ['failed', error],
    ['refused', error],
  ] as const)('writes a key set that was %s at its level', (outcome, level) => {
    const change = { issuer: 'https://issuer.test', outcome, reason: undefined, keys: 2, withdrawn: 0 };
    logListeners(logger)['keyward:key-set'](change);
    expect(lines).toMatchObject([{ level, outcome, keys: 2 }]);
  });

  it('writes a gap of a feed at level error', () => {
    logListeners(logger)['keyward:feed']({ of: 'apiKeys', warning: 'gap' });
    expect(lines).toMatchObject([{ level: error, of: 'apiKeys', warning: 'gap' }]);
  });

  it('each line has the id of its request, also if requests share a verification', async () => {
    const token = await api.kit.accessToken({ scopes: ['payments'] });
    const replies = await Promise.all([api.ask(token), api.ask(token), api.ask(token)]);
    const ids = replies.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect(lines.map(({ requestId }) => requestId).sort()).toEqual(ids.sort());
  });

  it('writes no credential, even if whole requests are logged', async () => {
    const secrets = Array.from({ length: 6 }, () => api.kit.secretKey());
    const [bearer, proxy, apiKey, cookie, query, fragment] = secrets;
    await api.ask(bearer, `/payments?api_key=${query}&x=%23${fragment}`, {
      headers: {
        'X-Log': 'yes',
        'Proxy-Authorization': `Bearer ${proxy}`,
        'X-API-Key': `${apiKey}`,
        Cookie: `session=${cookie}`,
      },
    });
    expect(lines).toMatchObject([
      { outcome: 'accepted' },
      { msg: 'request completed', req: { url: '/payments', headers: { authorization: '[redacted]', 'x-log': 'yes' } } },
    ]);
    for (const secret of secrets) expect(JSON.stringify(lines)).not.toContain(secret.slice(-12));
  });
});

describe('a limit of log lines', () => {
  const decision = (outcome: Decision['outcome']) => ({ outcome }) as Decision;
  const write = jest.fn();
  const dropped = jest.fn();
  let now = 0;
  const limit = (perSecond: number) => limitLines({ perSecond, write, dropped, now: () => now });
  afterEach(() => {
    now = 0;
    jest.clearAllMocks();
  });

  it('L12 10,000 concurrent refusals: the lines are limited, and dropped ones are counted', () => {
    const end = listen({ 'keyward:decision': limit(100) });
    flood(10_000);
    expect(write).toHaveBeenCalledTimes(100);
    now = 1_000;
    flood(1);
    end();
    expect(write).toHaveBeenCalledTimes(101);
    expect(dropped.mock.calls).toEqual([['refused', 9_900]]);
  });

  it('drops and reports nothing up to the limit', () => {
    const log = limit(2);
    for (; now < 5_000; now += 500) log(decision('refused'));
    expect(write).toHaveBeenCalledTimes(10);
    expect(dropped).not.toHaveBeenCalled();
  });

  it('counts within one second', () => {
    const log = limit(1);
    log(decision('refused'));
    now = 999;
    log(decision('refused'));
    expect(write).toHaveBeenCalledTimes(1);
    now = 1_000;
    log(decision('refused'));
    expect(write).toHaveBeenCalledTimes(2);
  });

  it('limits each outcome separately', () => {
    const log = limit(1);
    for (const outcome of ['refused', 'refused', 'unavailable', 'unavailable'] as const) log(decision(outcome));
    expect(write.mock.calls).toEqual([[{ outcome: 'refused' }], [{ outcome: 'unavailable' }]]);
  });
});
