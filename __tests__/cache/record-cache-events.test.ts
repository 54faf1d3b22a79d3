import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Change } from 'keyward';
import { FailedLookup } from '../../lib/cache/cache-entries.js';
import { RecordError } from '../../lib/credentials/records/record-error.js';
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

describe('keyward:lookup-failure', () => {
  const failures = () => ear.heard('keyward:lookup-failure');

  it.each([
    ['an error', new RangeError('down'), 'threw', 'RangeError'],
    ['a record that breaks a rule', new RecordError('apis: bad'), 'record_invalid', 'apis: bad'],
    [
      'an object that inherits from an error',
      Object.create(new Error('down')),
      'threw',
      'a thrown value of type object',
    ],
    ['a text', 'sk_secret', 'threw', 'a thrown value of type string'],
    ['undefined', undefined, 'threw', 'a thrown value of type undefined'],
    ['an error that throws when it is read', unreadable(), 'threw', 'Error'],
    ['an error with a symbol for a message', Object.assign(new Error(), { message: Symbol('m') }), 'threw', 'Error'],
  ])('reports a resolver that throws %s', async (_what, error, reason, detail) => {
    const { cache } = createCacheBench();
    expect(await cache.load('d1', () => Promise.reject(error))).toMatchObject({ reason });
    expect(failures()).toEqual([{ of: 'bench', reason, detail, where: expect.any(Array) }]);
  });

  it('reports a timeout, once for all waiting requests', async () => {
    const bench = createCacheBench();
    void bench.ask();
    void bench.ask();
    await jest.advanceTimersByTimeAsync(20_000);
    expect(failures()).toEqual([{ of: 'bench', reason: 'timed_out', detail: undefined, where: [] }]);
  });

  it('reports each lookup above the limit', async () => {
    const bench = createCacheBench({ maxLookups: 1 });
    for (const key of ['d1', 'd2', 'd2']) void bench.ask(key);
    expect(failures()).toEqual(Array(2).fill({ of: 'bench', reason: 'too_many', detail: undefined, where: [] }));
  });

  it('reports a key that changed twice during its lookup', async () => {
    const bench = createCacheBench();
    void bench.ask();
    for (const at of [0, 1]) {
      bench.cache.invalidate('all');
      bench.begun[at]?.resolve(facts('before'));
      await settled();
    }
    expect(failures()).toEqual([{ of: 'bench', reason: 'superseded', detail: undefined, where: [] }]);
  });

  it('reports no successful lookup', async () => {
    const bench = createCacheBench();
    await bench.learn(facts('first'), 'd1');
    await bench.learn(UNKNOWN, 'd2');
    expect(ear.heard()).toEqual([]);
  });
});

describe('keyward:feed', () => {
  const warnings = () => ear.heard('keyward:feed');

  it('reports a gap of a feed', () => {
    createCacheBench(WATCHED).cache.listener.onGap();
    expect(warnings()).toEqual([{ of: 'bench', warning: 'gap' }]);
  });

  it.each([
    ['garbage', 'garbage'],
    ['nothing', undefined],
    ['a change of another version', { keyring: 'k1' }],
  ])('reports an invalid change: %s', (_what, change) => {
    createCacheBench(WATCHED).cache.listener.onChange(change as Change);
    expect(warnings()).toEqual([{ of: 'bench', warning: 'invalid_change' }]);
  });

  it('reports no valid change', () => {
    const { listener } = createCacheBench(WATCHED).cache;
    for (const change of [{ key: 'k1' }, { accessKey: 'k1' }, { account: 'a1' }, 'all'] as const) {
      listener.onChange(change);
    }
    listener.onCaughtUp();
    expect(ear.heard()).toEqual([]);
  });
});

describe('without subscribers', () => {
  it('an error is not even read', async () => {
    ear.stop();
    const read = jest.fn(() => 'message');
    const error = Object.defineProperty(new Error('x'), 'stack', { get: read });
    const { cache } = createCacheBench();
    expect(await cache.load('d1', () => Promise.reject(error))).toEqual(new FailedLookup('threw'));
    expect(read).not.toHaveBeenCalled();
  });

  it('without listeners, a gap and an invalid change cause no event', () => {
    ear.stop();
    const { listener } = createCacheBench(WATCHED).cache;
    listener.onGap();
    listener.onChange('garbage' as unknown as Change);
    expect(ear.heard()).toEqual([]);
  });
});
