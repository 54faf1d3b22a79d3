import { channel } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type FailureCounter, GuessLimits } from '../../lib/issuer/guess-limits.js';
import { networkOf } from '../../lib/issuer/network-of.js';
import { basic, GRANT, ID, SECRET, type TokenService, tokenService } from '../support/token-service.js';

describe('guessing', () => {
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

  it('T36 10 failures for one id from one address: 429 and Retry-After from there, also for the right secret', async () => {
    await fail(9);
    expect((await ask(ID, 'wrong')).status).toBe(401);
    const response = await ask(ID, SECRET);
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(800);
    expect(await response.json()).toEqual({ error: 'slow_down', error_description: 'Too many failed attempts' });
  });

  it('T36 right secret from elsewhere: still 200', async () => {
    await fail(12);
    expect((await ask(ID, SECRET, '198.51.100.7')).status).toBe(200);
  });

  it('a success forgets the failures of that client there', async () => {
    await fail(9);
    expect((await ask(ID, SECRET)).status).toBe(200);
    await fail(9);
    expect((await ask(ID, SECRET)).status).toBe(200);
  });

  it('counts per address over all ids', async () => {
    for (let i = 0; i < 25; i += 1) await ask(`ack_${i}`, 'wrong');
    expect((await ask(ID, SECRET)).status).toBe(429);
    expect((await ask(ID, SECRET, '192.0.2.2')).status).toBe(200);
  });

  it('does not limit successes', async () => {
    for (let i = 0; i < 40; i += 1) expect((await ask(ID, SECRET)).status).toBe(200);
  });

  it('does not count requests that guess nothing', async () => {
    for (let i = 0; i < 30; i += 1) await service.post(GRANT, { 'x-forwarded-for': '192.0.2.1' });
    expect((await ask(ID, SECRET)).status).toBe(200);
  });
});

describe('GuessLimits with a shared counter', () => {
  const notices: unknown[] = [];
  const listen = (notice: unknown) => notices.push(notice);
  beforeEach(() => channel('keyward:issuer').subscribe(listen));
  afterEach(() => {
    channel('keyward:issuer').unsubscribe(listen);
    notices.length = 0;
  });

  it('counts in it, so that several instances see one count', async () => {
    const counters = new Map<string, RateLimiterMemory>();
    const counter = (options: { keyPrefix: string; points: number; duration: number }) => {
      const known = counters.get(options.keyPrefix) ?? new RateLimiterMemory(options);
      counters.set(options.keyPrefix, known);
      return known;
    };
    const [one, other] = [new GuessLimits({ perClient: 2, counter }), new GuessLimits({ perClient: 2, counter })];
    await one.countFailure('id', 'net');
    await other.countFailure('id', 'net');
    await expect(one.assertOpen('id', 'net')).rejects.toMatchObject({ code: 'slow_down', status: 429 });
    await other.forgive('id', 'net');
    await expect(one.assertOpen('id', 'net')).resolves.toBeUndefined();
    expect(notices).toEqual([]);
  });

  it('F12 counts by itself while it cannot be reached, and says so', async () => {
    const away = () => Promise.reject(new Error('redis://user:password@host refused'));
    const counter = (): FailureCounter => ({ get: away, penalty: away, delete: away });
    const limits = new GuessLimits({ perClient: 1, counter });
    await limits.assertOpen('id', 'net');
    await limits.countFailure('id', 'net');
    await expect(limits.assertOpen('id', 'net')).rejects.toMatchObject({ status: 429 });
    expect(notices[0]).toEqual({ notice: 'limiter_away', detail: 'Error' });
    expect(JSON.stringify(notices)).not.toContain('password');
  });

  it('refuses limits that are none', () => {
    expect(() => new GuessLimits({ perClient: 0 })).toThrow(
      new TypeError('createIssuer: option "limits": option "perClient" must be a number from 1 to 1000000, got number'),
    );
  });
});

describe('networkOf', () => {
  it.each([
    [undefined, ''],
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1', 'fe80:0:0:0::/64'],
  ])('counts %s under %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
