import { describe, expect, it } from '@jest/globals';
import { EndedSessions, MAX_CLOCK_DIFFERENCE_MS } from '../../../lib/dashboard/sign-in/ended-sessions.js';
import type { Session } from '../../../lib/dashboard/sign-in/session-cipher.js';
import { createManualClock, START } from '../../support/manual-clock.js';

const HOUR = 3_600_000;

function endedSessions(max?: number) {
  const clock = createManualClock();
  return { clock, ended: new EndedSessions(HOUR, clock, max) };
}

function session(id: string, member = 'kim', startedAt = START): Session {
  return { id, member, account: 'acme', startedAt, seenAt: startedAt };
}

describe('the end of all sessions of a member', () => {
  it('is also the end of one that started while the clock was ahead', () => {
    const { ended } = endedSessions();
    const ahead = session('ahead', 'kim', START + MAX_CLOCK_DIFFERENCE_MS + HOUR);
    ended.started(session('early'));
    ended.started(ahead);
    ended.started(session('late'));
    ended.endAllOf('kim');
    expect(ended.hasEnded(ahead)).toBe(true);
  });

  it('includes sessions of clocks that are ahead by the difference that is allowed, and no later ones', () => {
    const { ended } = endedSessions();
    ended.endAllOf('kim');
    const ids = [MAX_CLOCK_DIFFERENCE_MS, MAX_CLOCK_DIFFERENCE_MS + 1].map((ahead) =>
      ended.hasEnded(session('of another process', 'kim', START + ahead)),
    );
    expect(ids).toEqual([true, false]);
  });

  it('is remembered while sessions that have expired are forgotten', () => {
    const { clock, ended } = endedSessions(2);
    ended.end(session('expired'));
    clock.advance(HOUR);
    ended.endAllOf('kim');
    ended.end(session('other', 'lee', START + HOUR));
    expect(ended.hasEnded(session('of kim', 'kim', START + HOUR))).toBe(true);
    expect(ended.hasEnded(session('of max', 'max', START + HOUR))).toBe(false);
  });
});

describe('the limit of what is stored', () => {
  it('does not count sessions that start while none of their member has ended', () => {
    const { ended } = endedSessions(2);
    const sessions = ['a', 'b', 'c', 'd'].map((id) => session(id));
    for (const one of sessions) ended.started(one);
    expect(sessions.map((one) => ended.hasEnded(one))).toEqual([false, false, false, false]);
  });

  it('counts sessions that start after those of their member were ended', () => {
    const { ended } = endedSessions(2);
    ended.endAllOf('kim');
    const [first, second] = [session('first'), session('second')];
    ended.started(first);
    expect(ended.hasEnded(first)).toBe(false);
    ended.started(second);
    expect([ended.hasEnded(first), ended.hasEnded(second)]).toEqual([true, false]);
  });

  it('is kept by forgetting sessions that have expired, and no others', () => {
    const { clock, ended } = endedSessions(3);
    ended.end(session('expired'));
    clock.advance(HOUR);
    ended.endAllOf('kim');
    const fresh = session('fresh', 'kim', START + HOUR);
    ended.started(fresh);
    ended.end(session('other', 'lee', START + HOUR));
    expect(ended.hasEnded(fresh)).toBe(false);
  });
});
