import { beforeEach, describe, expect, it } from '@jest/globals';
import { FeedWords } from '../../lib/verify/feed-words.js';
import { instantOf } from '../../lib/verify/freshness.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';

let clock: ManualClock;
let words: FeedWords;
beforeEach(() => {
  clock = createManualClock();
  words = new FeedWords(clock);
});

const now = () => instantOf(clock);
const entry = (sequence = 1) => ({ ...now(), sequence });

describe('what a feed says of entries', () => {
  it('an entry that it says nothing of was confirmed by its own look-up', () => {
    const looked = entry();
    clock.advance(700);
    expect([words.sinceConfirmed(looked, now()), words.sinceKnown(looked, now())]).toEqual([700, 700]);
  });

  it.each([
    ['now', undefined, 300],
    ['a while ago', 200, 500],
    ['in a time to come, which is now', -200, 300],
  ])('a word as of %s confirms what was looked up before it', (_, age, since) => {
    const looked = entry();
    clock.advance(1_000);
    words.current(age);
    clock.advance(300);
    expect(words.sinceConfirmed(looked, now())).toBe(since);
  });

  it('a word that is older than the latest takes nothing back', () => {
    const looked = entry();
    clock.advance(1_000);
    words.current(100);
    words.current(600);
    expect(words.sinceConfirmed(looked, now())).toBe(100);
    words.current(50);
    expect(words.sinceConfirmed(looked, now())).toBe(50);
  });

  it('a word from before a look-up leaves it as old as it is', () => {
    words.current();
    clock.advance(500);
    const looked = entry();
    clock.advance(100);
    expect(words.sinceConfirmed(looked, now())).toBe(100);
  });

  it('after a loss it confirms nothing that was looked up before, which is known as of its last word', () => {
    const [old, fresh] = [entry(1), entry(2)];
    clock.advance(1_000);
    words.current();
    clock.advance(100);
    words.lost(2);
    expect([words.sinceConfirmed(old, now()), words.sinceKnown(old, now())]).toEqual([1_100, 100]);
    clock.advance(100);
    words.current();
    expect([old, fresh].map((looked) => words.sinceConfirmed(looked, now()))).toEqual([1_200, 0]);
    expect(words.sinceKnown(old, now())).toBe(200);
  });

  it('a second loss leaves the last word before the first one', () => {
    const looked = entry();
    clock.advance(1_000);
    words.current();
    words.lost(2);
    words.lost(2);
    clock.advance(100);
    expect(words.sinceKnown(looked, now())).toBe(100);
  });
});
