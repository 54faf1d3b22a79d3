import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KeySetFetch } from 'keyward';
import { KeysUnavailableError } from '../../../lib/tokens/jwks/key-set.js';
import { eavesdrop } from '../../support/eavesdrop.js';
import { type FetchedKeys, serveKeys } from '../../support/fetched-keys.js';
import { json, status } from '../../support/issuer-server.js';
import { createKey, ISSUER, jwkOf } from '../../support/token-forge.js';

const [one, two] = [createKey('ES256', 'one'), createKey('ES256', 'two')];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let issuer: FetchedKeys;
beforeEach(async () => {
  issuer = await serveKeys(jwkOf(one));
});
afterEach(() => issuer.close());

describe('an unknown kid', () => {
  it('causes one fetch in six seconds', async () => {
    await issuer.held('one');
    for (const wait of [0, 1, 6 * SECOND - 2]) {
      issuer.clock.advance(wait);
      expect(await issuer.keys.find('two')).toBeUndefined();
      expect(issuer.fetches()).toBe(2);
    }
    issuer.clock.advance(1);
    issuer.server.publish(jwkOf(one), jwkOf(two));
    expect([(await issuer.held('two')).kid, issuer.fetches()]).toEqual(['two', 3]);
  });

  it('causes none right after the set was fetched for it', async () => {
    expect(await issuer.keys.find('two')).toBeUndefined();
    expect(issuer.fetches()).toBe(1);
  });

  it('causes none during a back-off, and the request gets 503', async () => {
    await issuer.held('one');
    issuer.server.answer(status(500));
    issuer.clock.advance(5 * MINUTE);
    await issuer.held('one');
    await untilFetched(2);
    await expect(issuer.keys.find('two')).rejects.toEqual(new KeysUnavailableError(1));
    expect(issuer.fetches()).toBe(2);
  });

  it('causes one after a back-off, also within six seconds of the last one', async () => {
    await issuer.held('one');
    expect(await issuer.keys.find('two')).toBeUndefined();
    issuer.clock.advance(6 * SECOND);
    issuer.server.answer(status(500));
    await expect(issuer.keys.find('two')).rejects.toEqual(new KeysUnavailableError(1));
    issuer.server.publish(jwkOf(one), jwkOf(two));
    issuer.clock.advance(SECOND);
    expect([(await issuer.held('two')).kid, issuer.fetches()]).toEqual(['two', 4]);
  });

  it('counts a back-off from the beginning of the fetch that failed', async () => {
    await issuer.held('one');
    issuer.server.answer((req, res) => {
      issuer.clock.advance(2 * SECOND);
      status(500)(req, res);
    });
    await expect(issuer.keys.find('two')).rejects.toEqual(new KeysUnavailableError(1));
    issuer.server.publish(jwkOf(two));
    expect([(await issuer.held('two')).kid, issuer.fetches()]).toEqual(['two', 3]);
  });

  it.each([
    ['for another unknown kid', 0],
    ['because the set has come of age', 5 * MINUTE],
  ])('joins the pending fetch %s', async (_name, age) => {
    await issuer.held('one');
    issuer.server.publish(jwkOf(one), jwkOf(two));
    issuer.clock.advance(age);
    const found = await Promise.all([issuer.keys.find('one'), issuer.keys.find('two'), issuer.keys.find('two')]);
    expect([found.map((key) => key?.kid), issuer.fetches()]).toEqual([['one', 'two', 'two'], 2]);
  });

  it('is refused if there are several keys and no kid', async () => {
    expect((await issuer.held(undefined)).kid).toBe('one');
    issuer.server.publish(jwkOf(one), jwkOf(two));
    issuer.clock.advance(10 * MINUTE);
    expect(await issuer.keys.find(undefined)).toBeUndefined();
  });
});

it('the only key, after it was tried, is looked for again from six seconds after the set was loaded', async () => {
  const tried = await issuer.held(undefined);
  issuer.server.publish(jwkOf(two));
  issuer.clock.advance(6 * SECOND - 1);
  expect([await issuer.keys.find(undefined, tried), issuer.fetches()]).toEqual([undefined, 1]);
  issuer.clock.advance(1);
  expect([(await issuer.keys.find(undefined, tried))?.kid, issuer.fetches()]).toEqual(['two', 2]);
});

describe('a new set', () => {
  it('keeps the keys that are in both, and withdraws the others', async () => {
    issuer.server.publish(jwkOf(one), jwkOf(two));
    const [first, second] = [await issuer.held('one'), await issuer.held('two')];
    const third = createKey('ES256', 'three');
    issuer.server.publish(jwkOf(third), jwkOf(one));
    issuer.clock.advance(10 * MINUTE);
    expect(await issuer.held('one')).toBe(first);
    expect([first.withdrawn, second.withdrawn, (await issuer.held('three')).withdrawn]).toEqual([false, true, false]);
  });

  it('with another key for a kid withdraws the old key', async () => {
    const old = await issuer.held('one');
    issuer.server.publish(jwkOf(createKey('ES256', 'one')));
    issuer.clock.advance(10 * MINUTE);
    expect([(await issuer.held('one')) === old, old.withdrawn]).toEqual([false, true]);
  });
});

describe('the URL of the set', () => {
  it('is located once, and again when the set expires, because it may have moved', async () => {
    await issuer.held('one');
    await issuer.keys.find('unknown');
    expect([issuer.locate.mock.calls.length, issuer.fetches()]).toEqual([1, 2]);
    issuer.clock.advance(10 * MINUTE);
    await issuer.held('one');
    expect([issuer.locate.mock.calls.length, issuer.fetches()]).toEqual([2, 3]);
  });

  it('is located again after five minutes also if unknown kids keep the set young', async () => {
    await issuer.held('one');
    for (const [wait, located] of [
      [4 * MINUTE, 1],
      [MINUTE, 2],
      [4 * MINUTE, 2],
      [MINUTE - 1, 2],
      [6 * SECOND, 3],
    ] as const) {
      issuer.clock.advance(wait);
      expect([await issuer.keys.find('unknown'), issuer.locate.mock.calls.length]).toEqual([undefined, located]);
    }
  });

  it('is located with the signal that also aborts the fetch, after two seconds', async () => {
    const late = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
    const sent = jest.spyOn(globalThis, 'fetch');
    await issuer.held('one');
    expect(timeout.mock.calls).toEqual([[2_000]]);
    const [signal] = issuer.locate.mock.calls[0] ?? [];
    expect([issuer.locate.mock.calls, sent.mock.calls[0]?.[1]?.signal]).toEqual([[[signal]], signal]);
    late.abort();
    await new Promise(setImmediate);
    expect(signal?.aborted).toBe(true);
    jest.restoreAllMocks();
  });
});

describe('events', () => {
  async function heardOf(act: () => Promise<unknown>) {
    const events = eavesdrop();
    await act();
    const heard = events.heard<KeySetFetch>('keyward:key-set');
    events.stop();
    return heard;
  }
  const loaded = { issuer: ISSUER, outcome: 'loaded', reason: undefined };

  it('report a loaded set, and the number of withdrawn keys', async () => {
    expect(await heardOf(() => issuer.held('one'))).toEqual([{ ...loaded, keys: 1, withdrawn: 0 }]);
    issuer.server.publish(jwkOf(two), jwkOf(createKey('ES256', 'three')));
    issuer.clock.advance(10 * MINUTE);
    expect(await heardOf(() => issuer.held('two'))).toEqual([{ ...loaded, keys: 2, withdrawn: 1 }]);
  });

  it.each([
    ['failed', () => issuer.server.answer(status(500)), 'the response has status 500'],
    ['refused', () => issuer.server.answer(json({ keys: [] })), 'the key set has no key that can verify signatures'],
    [
      'refused',
      () => issuer.server.answer(json([])),
      'the key set is not a JWK Set; expected an object whose "keys" is an array',
    ],
  ])('report a refused set: %s', async (outcome, prepare, reason) => {
    prepare();
    const expected = { issuer: ISSUER, outcome, reason, keys: 0, withdrawn: 0 };
    expect(await heardOf(issuer.retryAfter)).toEqual([expected]);
  });

  it('do not contain messages of foreign errors', async () => {
    issuer.locate.mockRejectedValue(new Error('https://user:secret@issuer.test'));
    const expected = { issuer: ISSUER, outcome: 'failed', reason: 'the request failed', keys: 0, withdrawn: 0 };
    expect(await heardOf(issuer.retryAfter)).toEqual([expected]);
  });
});

/** Real time, until a fetch in the background has ended. */
async function untilFetched(count: number): Promise<void> {
  const events = eavesdrop();
  while (issuer.fetches() < count || events.heard('keyward:key-set').length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  events.stop();
}
