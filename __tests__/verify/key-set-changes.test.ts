import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { KeySetChange } from 'keyward';
import { eavesdrop } from '../support/eavesdrop.js';
import { type FetchedKeys, serveKeys } from '../support/fetched-keys.js';
import { json, status } from '../support/issuer-server.js';
import { createKey, ISSUER, jwkOf } from '../support/token-forge.js';

const [one, two] = [createKey('ES256', 'one'), createKey('ES256', 'two')];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

let issuer: FetchedKeys;
beforeEach(async () => {
  issuer = await serveKeys(jwkOf(one));
});
afterEach(() => issuer.close());

describe('an unknown kid', () => {
  it('makes one fetch in thirty seconds', async () => {
    await issuer.held('one');
    for (const wait of [0, 1, 30 * SECOND - 2]) {
      issuer.clock.advance(wait);
      expect(await issuer.keys.find('two')).toBeUndefined();
      expect(issuer.fetches()).toBe(2);
    }
    issuer.clock.advance(1);
    issuer.server.publish(jwkOf(one), jwkOf(two));
    expect([(await issuer.held('two')).kid, issuer.fetches()]).toEqual(['two', 3]);
  });

  it('makes none right after the set was fetched for it', async () => {
    expect(await issuer.keys.find('two')).toBeUndefined();
    expect(issuer.fetches()).toBe(1);
  });

  it('makes none during a back-off', async () => {
    await issuer.held('one');
    issuer.server.answer(status(500));
    issuer.clock.advance(5 * MINUTE);
    await issuer.held('one');
    await untilFetched(2);
    expect([await issuer.keys.find('two'), issuer.fetches()]).toEqual([undefined, 2]);
  });

  it.each([
    ['for another unknown kid', 0],
    ['because the set has come of age', 5 * MINUTE],
  ])('joins the fetch that is under way %s', async (_name, age) => {
    await issuer.held('one');
    issuer.server.publish(jwkOf(one), jwkOf(two));
    issuer.clock.advance(age);
    const found = await Promise.all([issuer.keys.find('one'), issuer.keys.find('two'), issuer.keys.find('two')]);
    expect([found.map((key) => key?.kid), issuer.fetches()]).toEqual([['one', 'two', 'two'], 2]);
  });

  it('is nobody, where a kid is missing and there are several keys', async () => {
    expect((await issuer.held(undefined)).kid).toBe('one');
    issuer.server.publish(jwkOf(one), jwkOf(two));
    issuer.clock.advance(10 * MINUTE);
    expect(await issuer.keys.find(undefined)).toBeUndefined();
  });
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

  it('with other material for a kid withdraws the old key', async () => {
    const old = await issuer.held('one');
    issuer.server.publish(jwkOf(createKey('ES256', 'one')));
    issuer.clock.advance(10 * MINUTE);
    expect([(await issuer.held('one')) === old, old.withdrawn]).toEqual([false, true]);
  });
});

describe('where the set is', () => {
  it('is found once, and anew when the set has come of age, since it may have moved', async () => {
    await issuer.held('one');
    await issuer.keys.find('unknown');
    expect([issuer.locate.mock.calls.length, issuer.fetches()]).toEqual([1, 2]);
    issuer.clock.advance(10 * MINUTE);
    await issuer.held('one');
    expect([issuer.locate.mock.calls.length, issuer.fetches()]).toEqual([2, 3]);
  });

  it('is asked with the signal that ends the fetch too, after two seconds', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    await issuer.held('one');
    expect(timeout.mock.calls).toEqual([[2_000]]);
    expect(issuer.locate.mock.calls).toEqual([[timeout.mock.results[0]?.value]]);
    timeout.mockRestore();
  });
});

describe('events', () => {
  async function heardOf(act: () => Promise<unknown>) {
    const events = eavesdrop();
    await act();
    const heard = events.heard<KeySetChange>('keyward:key-set');
    events.stop();
    return heard;
  }
  const loaded = { issuer: ISSUER, outcome: 'loaded', reason: undefined };

  it('tell of a set that was loaded, and how many keys went', async () => {
    expect(await heardOf(() => issuer.held('one'))).toEqual([{ ...loaded, keys: 1, withdrawn: 0 }]);
    issuer.server.publish(jwkOf(two), jwkOf(createKey('ES256', 'three')));
    issuer.clock.advance(10 * MINUTE);
    expect(await heardOf(() => issuer.held('two'))).toEqual([{ ...loaded, keys: 2, withdrawn: 1 }]);
  });

  it.each([
    ['failed', () => issuer.server.answer(status(500)), 'status 500'],
    ['refused', () => issuer.server.answer(json({ keys: [] })), 'no usable key'],
    ['refused', () => issuer.server.answer(json([])), 'no JWK Set'],
  ])('tell of a set that was not taken: %s', async (outcome, prepare, reason) => {
    prepare();
    const expected = { issuer: ISSUER, outcome, reason, keys: 0, withdrawn: 0 };
    expect(await heardOf(issuer.retryAfter)).toEqual([expected]);
  });

  it('do not quote an error that is not of the house', async () => {
    issuer.locate.mockRejectedValue(new Error('https://user:secret@issuer.test'));
    const expected = { issuer: ISSUER, outcome: 'failed', reason: 'failed', keys: 0, withdrawn: 0 };
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
