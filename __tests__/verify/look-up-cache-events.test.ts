import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Change } from 'keyward';
import { RecordFault } from '../../lib/credentials/record.js';
import { createCacheBench, facts, holdTimers, settled, UNKNOWN, WATCHED } from '../support/cache-bench.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';

holdTimers();

let ear: Eavesdropper;

beforeEach(() => {
  ear = eavesdrop();
});

afterEach(() => {
  ear.stop();
});

function unreadable(): Error {
  return Object.defineProperty(new Error('x'), 'message', {
    get() {
      throw new Error('no message');
    },
  });
}

describe('keyward:look-up-failure', () => {
  const failures = () => ear.heard('keyward:look-up-failure');

  it.each([
    ['an error', new RangeError('down'), 'threw', 'RangeError: down'],
    ['a record that breaks a rule', new RecordFault('apis: bad'), 'record_invalid', 'RecordFault: apis: bad'],
    ['an object that inherits from an error', Object.create(new Error('down')), 'threw', 'a thrown object'],
    ['a text', 'sk_secret', 'threw', 'a thrown string'],
    ['undefined', undefined, 'threw', 'a thrown undefined'],
    ['an error that throws when it is read', unreadable(), 'threw', 'an error that cannot be read'],
    [
      'an error with a symbol for a message',
      Object.assign(new Error(), { message: Symbol('m') }),
      'threw',
      'an error that cannot be read',
    ],
  ])('tells of a resolver that throws %s', async (_what, error, reason, detail) => {
    const { cache } = createCacheBench();
    expect(await cache.lookUp('d1', () => Promise.reject(error))).toEqual({ failed: reason });
    expect(failures()).toEqual([{ of: 'bench', reason, detail }]);
  });

  it('lets the caller cut the credential out', async () => {
    const { cache } = createCacheBench();
    const redact = (text: string) => text.replace('sk_1', '***');
    await cache.lookUp('d1', () => Promise.reject(new Error('bad sk_1')), redact);
    expect(failures()).toEqual([{ of: 'bench', reason: 'threw', detail: 'Error: bad ***' }]);
  });

  it('tells of a time-out, once for all who wait', async () => {
    const bench = createCacheBench();
    void bench.ask();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(failures()).toEqual([{ of: 'bench', reason: 'timed_out', detail: undefined }]);
  });

  it('tells of a look-up too many, each time', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    for (const key of ['d1', 'd2', 'd2']) void bench.ask(key);
    expect(failures()).toEqual(Array(2).fill({ of: 'bench', reason: 'too_many', detail: undefined }));
  });

  it('tells of a key that changed twice while it was looked up', async () => {
    const bench = createCacheBench();
    void bench.ask();
    for (const at of [0, 1]) {
      bench.cache.invalidate('all');
      bench.begun[at]?.resolve(facts('before'));
      await settled();
    }
    expect(failures()).toEqual([{ of: 'bench', reason: 'overtaken', detail: undefined }]);
  });

  it('tells nothing of look-ups that work', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'), 'd1');
    await bench.learn(UNKNOWN, 'd2');
    expect(ear.heard()).toEqual([]);
  });
});

describe('keyward:feed', () => {
  const notices = () => ear.heard('keyward:feed');

  it('tells that a feed was lost', () => {
    createCacheBench(WATCHED).cache.listener.lost();
    expect(notices()).toEqual([{ of: 'bench', outcome: 'lost' }]);
  });

  it.each([
    ['garbage', 'garbage'],
    ['nothing', undefined],
    ['a change of another version', { keyring: 'k1' }],
  ])('tells that a change could not be read: %s', (_what, change) => {
    createCacheBench(WATCHED).cache.listener.change(change as Change);
    expect(notices()).toEqual([{ of: 'bench', outcome: 'garbled' }]);
  });

  it('tells nothing of what can be read', () => {
    const { listener } = createCacheBench(WATCHED).cache;
    for (const change of [{ key: 'k1' }, { accessKey: 'k1' }, { account: 'a1' }, 'all'] as const) {
      listener.change(change);
    }
    listener.current();
    expect(ear.heard()).toEqual([]);
  });
});

describe('where nobody listens', () => {
  it('an error is not even read', async () => {
    ear.stop();
    const read = jest.fn(() => 'message');
    const error = Object.defineProperty(new Error('x'), 'message', { get: read });
    const { cache } = createCacheBench();
    expect(await cache.lookUp('d1', () => Promise.reject(error))).toEqual({ failed: 'threw' });
    expect(read).not.toHaveBeenCalled();
  });

  it('a feed is lost, and garbled, in silence', () => {
    ear.stop();
    const { listener } = createCacheBench(WATCHED).cache;
    listener.lost();
    listener.change('garbage' as unknown as Change);
    expect(ear.heard()).toEqual([]);
  });
});
