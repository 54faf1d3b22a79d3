import { beforeEach, describe, expect, it } from '@jest/globals';
import { CacheEntries, CacheEntry, NegativeEntry } from '../../lib/cache/cache-entries.js';

const BOUNDS = { max: 10, ttl: 1_000, negativeTtl: 1_000, negativeMax: 10, staleIfError: 0 };
const NOW = 10_000;

class GoodEntry extends CacheEntry {
  readonly id = 'k1';
  readonly account = 'a1';
  readonly endsAt: number;

  constructor(sequence: number, endsAt = Number.POSITIVE_INFINITY) {
    super();
    this.sequence = sequence;
    this.endsAt = endsAt;
  }
}

function negative(sequence: number, reason = 'expired', revokedAt?: number): NegativeEntry {
  return Object.assign(new NegativeEntry({ id: 'k1', account: 'a1' }, reason, revokedAt), { sequence });
}

describe.each([
  ['indexed at once', true],
  ['indexed when needed', false],
])('CacheEntries, %s', (_when, isIndexed) => {
  let entries: CacheEntries<GoodEntry>;
  const write = (found: GoodEntry | NegativeEntry, isExpired = false) => entries.write('d1', found, NOW, isExpired);
  /** What is cached for the key: the good and the negative entry. */
  const cached = () => [entries.good.peek('d1'), entries.negative.peek('d1')];

  beforeEach(() => {
    entries = new CacheEntries(BOUNDS, isIndexed);
  });

  it('keep one entry of a key, good or negative', () => {
    const [first, second, third] = [new GoodEntry(1), negative(2), new GoodEntry(3)];
    expect([write(first), ...cached()]).toEqual([first, first, undefined]);
    expect([write(second), ...cached()]).toEqual([second, undefined, second]);
    expect([write(third), ...cached()]).toEqual([third, third, undefined]);
  });

  it('keep the result of the later lookup', () => {
    const [later, earlier] = [new GoodEntry(2), negative(1)];
    write(later);
    expect([write(earlier), ...cached()]).toEqual([later, later, undefined]);
  });

  it('do not keep the result of a lookup that missed changes, but return it', () => {
    const found = new GoodEntry(1);
    expect([write(found, true), ...cached()]).toEqual([found, undefined, undefined]);
  });

  it('keep a revocation, even of an earlier or expired lookup, and whatever a later lookup finds', () => {
    const revoked = negative(1, 'revoked', NOW);
    write(new GoodEntry(2));
    expect([write(revoked, true), entries.good.peek('d1')]).toEqual([revoked, undefined]);
    expect(write(new GoodEntry(3))).toBe(revoked);
    expect(entries.good.peek('d1')).toBeUndefined();
    expect(entries.negative.peek('d1')).toMatchObject({ reason: 'revoked', sequence: 3 });
    expect([entries.revoked('d1', NOW), entries.revoked('d1', NOW - 1), entries.revoked('d2', NOW)]).toEqual([
      ...[revoked, undefined, undefined],
    ]);
  });

  it('keep a revocation in the future like any other result', () => {
    write(negative(1, 'expired', NOW + 1));
    const good = new GoodEntry(2);
    expect([write(good), ...cached()]).toEqual([good, good, undefined]);
  });

  it.each([
    ['in the past', NOW - 1, NOW - 1],
    ['now', NOW, NOW],
    ['in the future, which is not why it is refused', NOW + 1, Number.NEGATIVE_INFINITY],
    ['never', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  ])('note for a refused credential when it ended, as an earlier lookup found: %s', (_what, endsAt, noted) => {
    write(new GoodEntry(1, endsAt));
    write(negative(2));
    expect(entries.negative.peek('d1')?.endsAt).toBe(noted);
    write(negative(3));
    expect(entries.negative.peek('d1')?.endsAt).toBe(noted);
  });

  it.each([
    ['all', 'all', true],
    ['its id', { id: 'k1' }, true],
    ['another id', { id: 'k2' }, false],
    ['its account', { account: 'a1' }, true],
    ['another account', { account: 'a2' }, false],
  ] as const)('are invalidated by a change of %s: %3$s', (_what, scope, isGone) => {
    const good = new GoodEntry(1);
    write(good);
    entries.write('d2', negative(2), NOW, false);
    entries.invalidate(scope);
    expect([entries.good.size, entries.negative.size]).toEqual(isGone ? [0, 0] : [1, 1]);
    expect(good.isCached).toBe(!isGone);
  });

  it('keep revocations when everything is invalidated', () => {
    const revoked = negative(1, 'revoked', NOW);
    write(revoked);
    entries.invalidate('all');
    expect(entries.revoked('d1', NOW)).toBe(revoked);
  });
});
