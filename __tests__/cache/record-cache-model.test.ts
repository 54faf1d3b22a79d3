import { afterEach, describe, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Change } from 'keyward';
import { RecordError } from '../../lib/credentials/records/record-error.js';
import {
  BOUNDS,
  type CacheBench,
  createCacheBench,
  facts,
  foundNothing,
  holdTimers,
  settled,
  UNKNOWN,
} from '../support/cache-bench.js';
import { CacheModel, type Ending, type ModelChange } from '../support/cache-model.js';
import { law } from '../support/law.js';

const LIMITS = { timeout: 1_000, maxLookups: 3 };

// Two keys of one record, as while it is rotated, and one each of two others.
const SUBJECTS = {
  d1: { id: 'k1', account: 'a1' },
  d2: { id: 'k1', account: 'a1' },
  d3: { id: 'k2', account: 'a1' },
  d4: { id: 'k3', account: 'a2' },
};
type Key = keyof typeof SUBJECTS;
const KEYS = Object.keys(SUBJECTS) as Key[];

const OUTCOMES = ['found', 'found', 'found', 'unknown', 'disabled', 'revoked', 'throws', 'breaks a rule'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** One of the pending lookups settles: the last one that started, or an earlier one. */
interface End {
  readonly end: Outcome;
  readonly back: number;
}

/** One thing that happens to a cache. */
type Step =
  | End
  | { readonly ask: Key }
  | { readonly change: ModelChange }
  | { readonly feed: 'current'; readonly age: number }
  | { readonly feed: 'lost' }
  | { readonly clock: 'advance' | 'setWall' | 'suspend'; readonly by: number }
  /** So often goes the time by that a lookup may take. */
  | { readonly timeOuts: number };

/** A cache and its model, side by side. */
interface Pair {
  readonly bench: CacheBench;
  readonly model: CacheModel;
  readonly answers: (string | undefined)[];
}

const asking = fc.record({ ask: fc.constantFrom(...KEYS) });
const ending = fc.record({ end: fc.constantFrom(...OUTCOMES), back: fc.nat(3) });
const changing = fc.record({
  change: fc.constantFrom<ModelChange[]>({ key: 'k1' }, { key: 'k2' }, { account: 'a1' }, 'all', 'garbage'),
});
const moments = fc.constantFrom(1, 500, 999, 1_000, 4_999, 5_001, 10_000, 30_001);
const feeding = fc.oneof(
  fc.record({ feed: fc.constant('current' as const), age: fc.oneof(fc.constant(0), moments) }),
  fc.record({ feed: fc.constant('lost' as const) }),
);
const passing = fc.record({ clock: fc.constantFrom('advance' as const, 'suspend' as const), by: moments });
const setting = fc.record({
  clock: fc.constant('setWall' as const),
  by: fc.tuple(moments, fc.constantFrom(-1, 1)).map(([by, sign]) => by * sign),
});

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: asking },
    { weight: 6, arbitrary: ending },
    { weight: 2, arbitrary: changing },
    { weight: 2, arbitrary: feeding },
    { weight: 3, arbitrary: passing },
    { weight: 1, arbitrary: setting },
    { weight: 1, arbitrary: fc.record({ timeOuts: fc.constantFrom(1, 1, 1, 9, 10) }) },
  ),
  { minLength: 1, maxLength: 70, size: 'max' },
);

holdTimers();

describe('the cache gives the same answers as a simple model of its rules, at every step', () => {
  afterEach(() => jest.clearAllTimers());

  for (const size of [1, 2, 4]) {
    law(`X21 with a size of ${size}`, () =>
      fc.asyncProperty(steps, fc.boolean(), async (list, watched) => {
        jest.clearAllTimers();
        const bounds = { ...BOUNDS, max: size, negativeMax: size, ttl: watched ? 20_000 : 10_000 };
        const bench = createCacheBench({ ...LIMITS, bounds, watched });
        const pair = { bench, model: new CacheModel({ ...bounds, ...LIMITS, watched }, bench.clock), answers: [] };
        for (const [at, step] of list.entries()) {
          for (const part of partsOf(step)) {
            take(part, pair);
            await settled();
          }
          assertAlike(pair, at);
        }
      }),
    );
  }
});

/** Time-outs come one after the other, because each is decided a turn of the event loop later. */
function partsOf(step: Step): readonly Step[] {
  return 'timeOuts' in step ? Array.from({ length: step.timeOuts }, () => ({ timeOuts: 1 })) : [step];
}

/** Lets a step happen to both. */
function take(step: Step, { bench, model, answers }: Pair): void {
  if ('timeOuts' in step) {
    model.timeOut();
    jest.advanceTimersByTime(LIMITS.timeout);
  } else if ('ask' in step) {
    model.ask(step.ask);
    const question = answers.push(undefined) - 1;
    void bench.ask(step.ask).then((answer) => {
      answers[question] = answer;
    });
  } else if ('end' in step) {
    end(step, bench, model);
  } else if ('change' in step) {
    model.onChange(step.change);
    bench.cache.listener.onChange(step.change as Change);
  } else if ('feed' in step) {
    for (const listener of [model, bench.cache.listener])
      if (step.feed === 'current') listener.onCaughtUp(step.age);
      else listener.onGap();
  } else {
    bench.clock[step.clock](step.by);
  }
}

function end({ end: outcome, back }: End, bench: CacheBench, model: CacheModel): void {
  const open = [...model.loads.keys()].filter((load) => model.isOpen(load));
  const load = open.at(-1 - (back % open.length)) ?? -1;
  const key = model.loads[load]?.key as Key | undefined;
  if (key === undefined) return;
  const brought = broughtBy(outcome, key, load, bench.clock.now());
  if (typeof brought === 'object') bench.begun[load]?.resolve(brought);
  else bench.begun[load]?.reject(brought === 'throws' ? new Error('down') : new RecordError('apis'));
  model.end(load, brought);
}

function broughtBy(outcome: Outcome, key: Key, load: number, now: number): Ending {
  switch (outcome) {
    case 'found':
      return facts(`${key} by load ${load}`, SUBJECTS[key]);
    case 'unknown':
      return UNKNOWN;
    case 'disabled':
      return foundNothing(outcome, SUBJECTS[key]);
    case 'revoked':
      return foundNothing(outcome, SUBJECTS[key], now);
    default:
      return outcome;
  }
}

/** Plain comparisons: those of Jest would take most of the time. */
function assertAlike({ bench, model, answers }: Pair, at: number): void {
  const differs = answers.findIndex((answer, question) => answer !== model.answers[question]);
  if (differs !== -1) {
    throw new Error(`step ${at}: question ${differs} has ${answers[differs]}, not ${model.answers[differs]}`);
  }
  if (bench.begun.length !== model.loads.length) {
    throw new Error(`step ${at}: ${bench.begun.length} lookups have begun, not ${model.loads.length}`);
  }
}
