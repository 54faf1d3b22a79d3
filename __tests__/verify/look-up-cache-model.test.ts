import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import type { Change } from 'keyward';
import { RecordFault } from '../../lib/credentials/record.js';
import { foundNothing } from '../../lib/verify/look-up-landing.js';
import {
  BOUNDS,
  type CacheBench,
  createCacheBench,
  facts,
  holdTimers,
  settled,
  UNKNOWN,
} from '../support/cache-bench.js';
import { CacheModel, type Ending, type ModelChange } from '../support/cache-model.js';

jest.setTimeout(600_000);

holdTimers();

const RUNS = Number(process.env.KEYWARD_SOAK_RUNS ?? 25);
const LIMITS = { timeout: 1_000, maxLookups: 3 };

// Two keys of one record, as while it is rolled, and one each of two others.
const SUBJECTS = new Map([
  ['d1', { id: 'k1', account: 'a1' }],
  ['d2', { id: 'k1', account: 'a1' }],
  ['d3', { id: 'k2', account: 'a1' }],
  ['d4', { id: 'k3', account: 'a2' }],
]);
const KEYS = [...SUBJECTS.keys()];
const MOMENTS = [1, 500, 999, 1_000, 4_999, 5_001, 10_000, 30_001];

/** A cache and its model, side by side. */
interface Pair {
  readonly bench: CacheBench;
  readonly answers: (string | undefined)[];
}

type Step = (model: CacheModel, pair: Pair) => void | Promise<void>;

class Command implements fc.AsyncCommand<CacheModel, Pair> {
  readonly #name: string;
  readonly #step: Step;

  constructor(name: string, step: Step) {
    this.#name = name;
    this.#step = step;
  }

  check(): boolean {
    return true;
  }

  async run(model: CacheModel, pair: Pair): Promise<void> {
    await this.#step(model, pair);
    await settled();
    expect(pair.answers).toEqual(model.answers);
    expect(pair.bench.begun).toHaveLength(model.loads.length);
  }

  toString(): string {
    return this.#name;
  }
}

function ask(key: string): Command {
  return new Command(`ask ${key}`, (model, { bench, answers }) => {
    model.ask(key);
    const question = answers.push(undefined) - 1;
    void bench.ask(key).then((answer) => {
      answers[question] = answer;
    });
  });
}

/** One of the last loads that began ends. */
function end(back: number, outcome: string): Command {
  return new Command(`end ${back} back: ${outcome}`, (model, { bench }) => {
    const load = model.loads.length - 1 - back;
    const key = model.loads[load]?.key;
    if (key === undefined) return;
    const ending = endingOf(outcome, key, load);
    if (model.isOpen(load)) {
      if (typeof ending === 'object') bench.begun[load]?.resolve(ending);
      else bench.begun[load]?.reject(ending === 'throws' ? new Error('down') : new RecordFault('apis'));
      model.end(load, ending);
    }
  });
}

function endingOf(outcome: string, key: string, load: number): Ending {
  const subject = SUBJECTS.get(key);
  if (subject === undefined) throw new Error('no such key');
  switch (outcome) {
    case 'found':
      return facts(`${key} by load ${load}`, subject);
    case 'unknown':
      return UNKNOWN;
    case 'disabled':
    case 'revoked':
      return foundNothing(outcome, subject);
    default:
      return outcome === 'throws' ? 'throws' : 'breaks a rule';
  }
}

function change(what: ModelChange): Command {
  return new Command(`change ${JSON.stringify(what)}`, (model, { bench }) => {
    model.change(what);
    bench.cache.listener.change(what as Change);
  });
}

const feed = (says: 'current' | 'lost') =>
  new Command(says, (model, { bench }) => {
    model[says]();
    bench.cache.listener[says]();
  });

const clock = (moves: 'advance' | 'setWall' | 'suspend', by: number) =>
  new Command(`${moves} ${by}`, (_model, { bench }) => bench.clock[moves](by));

const timeOut = new Command('time out', async (model) => {
  model.timeOut();
  await jest.advanceTimersByTimeAsync(LIMITS.timeout);
});

const OUTCOMES = ['found', 'found', 'found', 'unknown', 'disabled', 'revoked', 'throws', 'breaks a rule'];
const CHANGES: readonly ModelChange[] = [{ key: 'k1' }, { key: 'k2' }, { account: 'a1' }, 'all', 'garbage'];
const moments = fc.constantFrom(...MOMENTS);

const commands = fc.commands(
  [
    fc.constantFrom(...KEYS).map(ask),
    fc.constantFrom(...KEYS).map(ask),
    fc.tuple(fc.nat(4), fc.constantFrom(...OUTCOMES)).map(([back, outcome]) => end(back, outcome)),
    fc.tuple(fc.nat(1), fc.constantFrom(...OUTCOMES)).map(([back, outcome]) => end(back, outcome)),
    fc.constantFrom(...CHANGES).map(change),
    fc.constantFrom('current' as const, 'lost' as const).map(feed),
    moments.map((by) => clock('advance', by)),
    fc.tuple(moments, fc.constantFrom(-1, 1)).map(([by, sign]) => clock('setWall', by * sign)),
    moments.map((by) => clock('suspend', by)),
    fc.constant(timeOut),
  ],
  { maxCommands: 80, size: 'max' },
);

describe('the cache answers as the plain model of its rules does, at every step', () => {
  it.each([1, 2, 4])(
    'X21 with a size of %d',
    async (size) => {
      const property = fc.asyncProperty(commands, fc.boolean(), async (steps, watched) => {
        const bounds = { ...BOUNDS, max: size, negativeMax: size, ttl: watched ? 20_000 : 10_000 };
        const bench = createCacheBench({ ...LIMITS, bounds, watched });
        const model = new CacheModel({ ...bounds, ...LIMITS, watched }, bench.clock);
        await fc.asyncModelRun(() => ({ model, real: { bench, answers: [] } }), steps);
      });
      await fc.assert(property, { numRuns: RUNS });
    },
    600_000,
  );
});
