import { beforeEach, describe, expect, it } from '@jest/globals';
import { FeedCheckpoints } from '../../lib/cache/feed-checkpoints.js';
import { elapsed, type Instant, instantOf } from '../../lib/contracts/clock.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';

let clock: ManualClock;
let checkpoints: FeedCheckpoints;
beforeEach(() => {
  clock = createManualClock();
  checkpoints = new FeedCheckpoints(clock);
});

const now = () => instantOf(clock);
const entry = (sequence = 1) => ({ ...now(), sequence });

type LookedUp = ReturnType<typeof entry>;
const sinceConfirmed = (looked: LookedUp, at: Instant) =>
  checkpoints.sinceConfirmed(looked.sequence, elapsed(looked, at), at);
const sinceKnown = (looked: LookedUp, at: Instant) => checkpoints.sinceKnown(looked.sequence, elapsed(looked, at), at);

describe('entries confirmed by a feed', () => {
  it('an entry that no checkpoint covers was confirmed by its own lookup', () => {
    const looked = entry();
    clock.advance(700);
    expect([sinceConfirmed(looked, now()), sinceKnown(looked, now())]).toEqual([700, 700]);
  });

  it.each([
    ['now', undefined, 300],
    ['a while ago', 200, 500],
    ['in a time to come, which is now', -200, 300],
  ])('a checkpoint as of %s confirms earlier lookups', (_, age, since) => {
    const looked = entry();
    clock.advance(1_000);
    checkpoints.caughtUp(age);
    clock.advance(300);
    expect(sinceConfirmed(looked, now())).toBe(since);
  });

  it('a checkpoint that is older than the latest is ignored', () => {
    const looked = entry();
    clock.advance(1_000);
    checkpoints.caughtUp(100);
    checkpoints.caughtUp(600);
    expect(sinceConfirmed(looked, now())).toBe(100);
    checkpoints.caughtUp(50);
    expect(sinceConfirmed(looked, now())).toBe(50);
  });

  it('a checkpoint from before a lookup does not change the age of the entry', () => {
    checkpoints.caughtUp();
    clock.advance(500);
    const looked = entry();
    clock.advance(100);
    expect(sinceConfirmed(looked, now())).toBe(100);
  });

  it('after a gap, earlier lookups are not confirmed again; the last checkpoint before it still counts', () => {
    const [old, fresh] = [entry(1), entry(2)];
    clock.advance(1_000);
    checkpoints.caughtUp();
    clock.advance(100);
    checkpoints.gap(2);
    expect([sinceConfirmed(old, now()), sinceKnown(old, now())]).toEqual([1_100, 100]);
    clock.advance(100);
    checkpoints.caughtUp();
    expect([old, fresh].map((looked) => sinceConfirmed(looked, now()))).toEqual([1_200, 0]);
    expect(sinceKnown(old, now())).toBe(200);
  });

  it('a second gap keeps the last checkpoint before the first one', () => {
    const looked = entry();
    clock.advance(1_000);
    checkpoints.caughtUp();
    checkpoints.gap(2);
    checkpoints.gap(2);
    clock.advance(100);
    expect(sinceKnown(looked, now())).toBe(100);
  });
});
