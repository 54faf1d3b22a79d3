import { beforeEach, describe, expect, it } from '@jest/globals';
import { type LookupSlot, LookupSlots, type LookupSource, UNCOUNTED } from '../../lib/cache/fair-lookup-slots.js';

const [attacker, customer] = [{ network: '203.0.113.1' }, { network: '198.51.100.1' }];

const MAX = 8;
let slots: LookupSlots;
let taken = 0;
beforeEach(() => {
  slots = new LookupSlots(MAX);
  taken = 0;
});

/** Asks for a slot for each of some keys, as a loader does, and returns those that it got. */
function take(
  count: number,
  source: LookupSource | undefined = customer,
  now = 0,
  isKnown = false,
): readonly LookupSlot[] {
  const got: LookupSlot[] = [];
  for (let i = 0; i < count; i += 1) {
    const isFull = taken >= MAX;
    const isShort = isFull || now < slots.shortUntil;
    const slot = isShort ? slots.take(source, now, isFull, isKnown) : UNCOUNTED;
    if (slot === undefined) continue;
    taken += 1;
    got.push(slot);
  }
  return got;
}

function free(given: readonly LookupSlot[]): void {
  for (const slot of given) slots.free(slot);
  taken -= given.length;
}

/** More lookups than there are slots, of which many find nothing. */
function flood(source: LookupSource = attacker, misses = 50, now = 0): void {
  free(take(9, source, now));
  for (let i = 0; i < misses; i += 1) slots.missed(source);
}

it('gives every slot to any key, and again when it is free', () => {
  const got = take(9);
  expect(got.length).toBe(8);
  free(got.slice(0, 3));
  expect(take(8).length).toBe(3);
});

describe('when slots are short', () => {
  it('a network whose lookups find nothing gets a quarter, and others more', () => {
    flood();
    expect([take(8, attacker).length, take(8, customer).length]).toEqual([2, 4]);
  });

  it('a network whose lookups find keys is not limited', () => {
    flood(attacker, 49);
    expect(take(8, attacker).length).toBe(6);
  });

  it.each([
    ['of many networks', customer],
    ['of no network', undefined],
  ])('new keys %s get three quarters', (_of, source) => {
    flood();
    expect(take(8, source).length).toBe(6);
  });

  it('a known key gets any slot', () => {
    flood();
    expect(take(8, attacker).length).toBe(2);
    expect(take(8, attacker, 0, true).length).toBe(6);
  });

  it('slots that are free again can be taken again', () => {
    flood();
    free(take(8, attacker));
    expect(take(8, attacker).length).toBe(2);
  });

  it('this lasts for ten seconds after the last lookup that got no slot', () => {
    flood();
    free(take(8, attacker, 9_000));
    free(take(2, attacker, 18_999));
    expect(take(2, attacker, 18_999).length).toBe(2);
    expect(take(8, attacker, 19_000).length).toBe(6);
  });

  it('the counts of networks start again when slots are short again', () => {
    flood();
    flood(attacker, 0, 20_000);
    expect(take(8, attacker, 20_000).length).toBe(6);
  });

  it('the counts of networks start again as soon as slots were no longer short', () => {
    flood();
    flood(attacker, 0, 10_000);
    expect(take(8, attacker, 10_000).length).toBe(6);
  });
});
