import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { memoryReplayCache } from 'keyward';
import { ClockSteps } from '../../lib/cache/clock-steps.js';
import { replayId } from '../../lib/contracts/replay-cache.js';
import { law } from '../support/law.js';
import { createManualClock, START } from '../support/manual-clock.js';

const LIFETIME = 60_000;

function stepped() {
  const clock = createManualClock();
  const steps = new ClockSteps(clock, LIFETIME);
  steps.hadPassed(START);
  return { clock, steps, isPassed: (ahead: number) => steps.hadPassed(clock.now() + ahead) };
}

describe('the wall clock is set back', () => {
  it('what had expired before has passed, what had not has not', () => {
    const { clock, isPassed } = stepped();
    clock.advance(200_000);
    clock.setWall(-180_000);
    expect(isPassed(180_000)).toBe(true);
    expect(isPassed(180_001)).toBe(false);
  });

  it('the time before goes on by the monotonic clock, until everything from before has expired', () => {
    const { clock, isPassed } = stepped();
    clock.advance(200_000);
    clock.setWall(-180_000);
    isPassed(0);
    clock.advance(100_000);
    expect([isPassed(140_000), isPassed(140_001)]).toEqual([true, false]);
    clock.advance(140_001);
    expect(isPassed(1)).toBe(false);
  });

  it('a step that is corrected at once refuses only what expired while it lasted', () => {
    const { clock, isPassed } = stepped();
    clock.advance(1_000_000);
    clock.setWall(600_000);
    isPassed(0);
    clock.advance(1_000);
    clock.setWall(-600_000);
    expect([isPassed(60_000), isPassed(598_000), isPassed(599_999), isPassed(600_001)]).toEqual([
      ...[false, false, true, false],
    ]);
  });

  it('one second is not noticed', () => {
    const { clock, isPassed } = stepped();
    clock.advance(10_000);
    clock.setWall(-1_000);
    expect(isPassed(500)).toBe(false);
    clock.setWall(-1);
    expect(isPassed(500)).toBe(true);
  });
});

it('a suspended machine and a clock that is set forward refuse nothing', () => {
  const { clock, isPassed } = stepped();
  clock.suspend(3_600_000);
  expect(isPassed(1)).toBe(false);
  clock.setWall(7_200_000);
  expect(isPassed(1)).toBe(false);
});

const STEP = fc.oneof(
  fc.record({ advance: fc.integer({ min: 0, max: 150_000 }) }),
  fc.record({ setWall: fc.integer({ min: -200_000, max: 200_000 }) }),
  fc.record({ use: fc.integer({ min: 0, max: 19 }) }),
);

law('nothing is used twice, however the wall clock is set', () =>
  fc.property(fc.array(STEP, { maxLength: 40 }), (happened) => {
    const clock = createManualClock();
    const steps = new ClockSteps(clock, LIFETIME);
    const cache = memoryReplayCache({ clock });
    const used = new Set<number>();
    for (const step of happened) {
      if ('advance' in step) clock.advance(step.advance);
      else if ('setWall' in step) clock.setWall(step.setWall);
      else {
        const expiresAt = START + step.use * 30_000;
        const left = expiresAt - clock.now();
        const hadPassed = steps.hadPassed(expiresAt);
        if (left <= 0 || left > LIFETIME || hadPassed) continue;
        if (!cache.firstUse(replayId('c'.repeat(43), String(step.use)), Math.ceil(left / 1_000) + 10)) continue;
        expect(used.has(step.use)).toBe(false);
        used.add(step.use);
      }
    }
  }),
);
