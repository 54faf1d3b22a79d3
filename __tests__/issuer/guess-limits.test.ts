import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type CounterOptions, type FailureCounter, GuessLimits } from '../../lib/issuer/guess-limits.js';
import { networkOf } from '../../lib/issuer/network-of.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { basic, digestOf, GRANT, ID, SECRET, type TokenService, tokenService } from '../support/token-service.js';

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
  let events: Eavesdropper;
  beforeEach(() => {
    events = eavesdrop();
  });
  afterEach(() => events.stop());

  /** Counters in one place, as several instances have them, and what they are asked. */
  function sharedCounter() {
    const counters = new Map<string, RateLimiterMemory>();
    const asked: [what: keyof FailureCounter, key: string][] = [];
    const counter = (options: CounterOptions): FailureCounter => {
      const kept = counters.get(options.keyPrefix) ?? new RateLimiterMemory(options);
      counters.set(options.keyPrefix, kept);
      const told = <T>(what: keyof FailureCounter, key: string, answer: Promise<T>) => {
        asked.push([what, `${options.keyPrefix}:${key}`]);
        return answer;
      };
      return {
        get: (key) => told('get', key, kept.get(key)),
        penalty: (key) => told('penalty', key, kept.penalty(key)),
        delete: (key) => told('delete', key, kept.delete(key)),
      };
    };
    return { counter, asked };
  }

  it('counts in it, so that several instances see one count', async () => {
    const { counter } = sharedCounter();
    const [one, other] = [new GuessLimits({ perClient: 2, counter }), new GuessLimits({ perClient: 2, counter })];
    await one.countFailure('id', 'net');
    await other.countFailure('id', 'net');
    await expect(one.assertOpen('id', 'net')).rejects.toMatchObject({ code: 'slow_down', status: 429 });
    await other.forgive('id', 'net');
    await expect(one.assertOpen('id', 'net')).resolves.toBe(false);
    expect(events.heard()).toEqual([]);
  });

  it('asks it twice for a success, and a third time only where there is something to forgive', async () => {
    const { counter, asked } = sharedCounter();
    const service = await tokenService({ limits: { counter } });
    const asks: string[] = [];
    for (const secret of [SECRET, 'wrong', SECRET, SECRET]) {
      asked.length = 0;
      await service.post(GRANT, basic(ID, secret));
      asks.push(asked.map(([what]) => what).join(' '));
    }
    await service.close();
    expect(asks).toEqual(['get get', 'get get penalty penalty', 'get get delete', 'get get']);
  });

  const longest = 'i'.repeat(256);
  it.each([
    ['an id of 256 characters', longest, '192.0.2.1'],
    ['an id with NUL', 'ack_\0', '192.0.2.1'],
    ['an id with spaces, colons and letters of every sort', 'a b:c é \u{1F511} %00 \uD800', '2001:db8::1'],
    ['an address that is as long as a header', ID, 'x'.repeat(8_000)],
    ['an address with NUL', ID, '192.0.2.1\0'],
  ])('hands it keys that fit into every counter: %s', async (_what, id, address) => {
    const { counter, asked } = sharedCounter();
    const limits = new GuessLimits({ counter });
    const network = networkOf(address);
    await limits.countFailure(id, network);
    expect(await limits.assertOpen(id, network)).toBe(true);
    await limits.forgive(id, network);
    expect(await limits.assertOpen(id, network)).toBe(false);
    for (const [, key] of asked) expect(key).toMatch(/^[\w:./]{1,100}$/);
  });

  it.each<[string, [id: string, network: string], [id: string, network: string]]>([
    ['ids', ['ack_1', 'net'], ['ack_2', 'net']],
    ['networks', ['ack_1', 'one'], ['ack_1', 'other']],
    ['ids that differ after 255 characters', [`${longest.slice(1)}a`, 'net'], [`${longest.slice(1)}b`, 'net']],
    ['ids that a decoder could mix up', ['ack_%00', 'net'], ['ack_\0', 'net']],
  ])('counts %s apart', async (_what, one, other) => {
    const { counter } = sharedCounter();
    const limits = new GuessLimits({ perClient: 1, counter });
    await limits.countFailure(...one);
    await expect(limits.assertOpen(...one)).rejects.toMatchObject({ status: 429 });
    expect(await limits.assertOpen(...other)).toBe(false);
  });

  it('F12 counts by itself while it cannot be reached, and says so', async () => {
    const away = () => Promise.reject(Object.assign(new Error('redis://user:password@host'), { code: 'ECONNREFUSED' }));
    const counter = (): FailureCounter => ({ get: away, penalty: away, delete: away });
    const limits = new GuessLimits({ perClient: 1, counter });
    await limits.assertOpen('id', 'net');
    await limits.countFailure('id', 'net');
    await expect(limits.assertOpen('id', 'net')).rejects.toMatchObject({ status: 429 });
    await limits.forgive('id', 'net');
    expect(await limits.assertOpen('id', 'net')).toBe(false);
    expect(events.heard()[0]).toEqual({ notice: 'limiter_away', detail: 'Error ECONNREFUSED' });
    expect(JSON.stringify(events.heard())).not.toContain('password');
  });
});

describe('GuessLimits in memory', () => {
  it('T37 failures over more ids than it keeps: the oldest are forgotten, so that memory is bounded', async () => {
    const limits = new GuessLimits({ perClient: 2, perAddress: 1_000_000 });
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
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['192.0.2.1:8443', digestOf('192.0.2.1:8443')],
    ['unknown', digestOf('unknown')],
  ])('counts %s under %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
