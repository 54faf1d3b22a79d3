import { expect, it } from '@jest/globals';
import { CacheEntry, NegativeEntry } from '../../lib/cache/cache-entries.js';
import { RecordCache } from '../../lib/cache/record-cache.js';
import { instantOf } from '../../lib/contracts/clock.js';
import { createManualClock, START } from '../support/manual-clock.js';

class EndingEntry extends CacheEntry {
  readonly id = 'k1';
  readonly account = 'a1';
  readonly endsAt = START + 1_000;
}

it('a credential that ended is looked up again if the wall clock is set back before its end', async () => {
  const clock = createManualClock();
  let found: EndingEntry | NegativeEntry = new EndingEntry();
  const cache = new RecordCache<undefined, EndingEntry>({
    ...{ of: 'test', member: 'key', watched: false, timeout: 1_000, maxLookups: 8, clock },
    bounds: { max: 10, ttl: 10_000, negativeTtl: 10_000, negativeMax: 10, staleIfError: 0 },
    lookUp: async () => found,
  });
  await cache.load('d1', undefined);
  clock.advance(1_000);
  found = new NegativeEntry({ id: 'k1', account: 'a1' }, 'expired');
  await cache.load('d1', undefined);
  expect(cache.get('d1', instantOf(clock))).toBe(found);
  clock.setWall(-1);
  expect(cache.get('d1', instantOf(clock))).toBeUndefined();
  clock.setWall(1);
  expect(cache.get('d1', instantOf(clock))).toBe(found);
});
