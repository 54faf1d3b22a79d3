import type { Found } from './cache-bench.js';
import type { ManualClock } from './manual-clock.js';

/** What a lookup of the model ends with. */
export type Ending = Found | 'throws' | 'breaks a rule';

/** What a change of the model reaches; garbage reaches everything. */
export type ModelChange = { readonly key: string } | { readonly account: string } | 'all' | 'garbage';

export interface ModelBounds {
  readonly watched: boolean;
  readonly max: number;
  readonly negativeMax: number;
  readonly ttl: number;
  readonly negativeTtl: number;
  readonly staleIfError: number;
  readonly maxLookups: number;
}

interface Instant {
  readonly wall: number;
  readonly monotonic: number;
}

interface Known {
  readonly key: string;
  readonly found: Found;
  readonly number: number;
  readonly startedAt: Instant;
  failedAt: Instant | undefined;
}

interface ModelLookup {
  readonly key: string;
  readonly waiters: number[];
  number: number;
  startedAt: Instant;
  changesSeen: readonly ModelChange[];
  again: boolean;
  timeouts: number;
  ended: boolean;
}

/** A word of the feed: lookups up to this number had begun when it was lost before. */
interface Word {
  readonly at: Instant;
  readonly lostAfter: number;
}

/** Design rules 6 to 8 again, as lists that are searched: what a lookup cache must answer, and when it must ask. */
export class CacheModel {
  /** The answer to each question, in words; `undefined` while its lookup is pending. */
  readonly answers: (string | undefined)[] = [];
  /** The lookup that each load belongs to, in the order in which they began. */
  readonly loads: ModelLookup[] = [];
  readonly #endedLoads = new Set<number>();
  readonly #bounds: ModelBounds;
  readonly #clock: ManualClock;
  /** Least recently used first. */
  #good: Known[] = [];
  #misses: Known[] = [];
  #revoked: Known[] = [];
  #lookups: ModelLookup[] = [];
  #number = 0;
  #lostAfter = 0;
  #word: Word | undefined;
  #wordBeforeLoss: Word | undefined;

  constructor(bounds: ModelBounds, clock: ManualClock) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  ask(key: string): void {
    const question = this.answers.push(undefined) - 1;
    const [miss, entry] = [use(this.#misses, key), use(this.#good, key)];
    const isFresh = miss !== undefined && this.#since(miss.startedAt) < this.#bounds.negativeTtl;
    if (isFresh) this.answers[question] = wordsOf(miss.found);
    else if (entry !== undefined && this.#isServed(entry)) this.answers[question] = wordsOf(entry.found);
    else this.#lookUp(key, question);
  }

  /** Whether a load, by its number, has begun and not ended. */
  isOpen(load: number): boolean {
    return this.loads[load] !== undefined && !this.#endedLoads.has(load);
  }

  /** A load ends. */
  end(load: number, ending: Ending): void {
    const lookup = this.loads[load];
    if (lookup === undefined) return;
    this.#endedLoads.add(load);
    if (ending === 'throws') this.#fail(lookup, 'threw');
    else if (ending === 'breaks a rule') {
      this.#good = this.#good.filter(({ key }) => key !== lookup.key);
      // It uses the revocation of the key also if it is late, when nobody waits for the answer.
      this.#revokedBy(lookup.key);
      this.#fail(lookup, 'record_invalid');
    } else if (!lookup.changesSeen.some((change) => matches(change, ending))) this.#settle(lookup, ending);
    else if (lookup.again) this.#fail(lookup, 'superseded');
    else {
      lookup.again = true;
      this.#start(lookup);
    }
  }

  onChange(change: ModelChange): void {
    for (const lookup of this.#pending()) lookup.changesSeen = [...lookup.changesSeen, change];
    this.#good = this.#good.filter(({ found }) => !matches(change, found));
    this.#misses = this.#misses.filter(({ found }) => !matches(change, found));
  }

  onCaughtUp(age = 0): void {
    const { wall, monotonic } = this.#now();
    const at = { wall: wall - age, monotonic: monotonic - age };
    if (this.#word === undefined || this.#since(at) <= this.#since(this.#word.at)) {
      this.#word = { at, lostAfter: this.#lostAfter };
    }
  }

  onGap(): void {
    this.#wordBeforeLoss = this.#word ?? this.#wordBeforeLoss;
    this.#word = undefined;
    this.#lostAfter = this.#number;
  }

  /** As much time as a lookup may take goes by. */
  timeOut(): void {
    for (const lookup of this.#lookups.filter(({ ended }) => !ended)) {
      lookup.timeouts += 1;
      if (lookup.timeouts === 1) this.#answer(lookup, () => this.#staleOr(lookup.key, 'timed_out'));
    }
  }

  #lookUp(key: string, question: number): void {
    const shared = this.#pending().find((lookup) => lookup.key === key && lookup.timeouts === 0);
    if (shared !== undefined) {
      shared.waiters.push(question);
    } else if (this.#pending().length >= this.#bounds.maxLookups) {
      this.answers[question] = this.#staleOr(key, 'too_many');
    } else {
      const idle = { number: 0, startedAt: this.#now(), changesSeen: [], again: false, timeouts: 0, ended: false };
      const lookup: ModelLookup = { ...idle, key, waiters: [question] };
      this.#lookups.push(lookup);
      this.#start(lookup);
    }
  }

  #start(lookup: ModelLookup): void {
    this.#number += 1;
    lookup.number = this.#number;
    lookup.startedAt = this.#now();
    lookup.changesSeen = [];
    this.loads.push(lookup);
  }

  #settle(lookup: ModelLookup, found: Found): void {
    const { key, number, startedAt } = lookup;
    lookup.ended = true;
    const isOf = (known: Known) => known.key === key;
    const { max, negativeMax } = this.#bounds;
    const heard: Known = { key, found, number, startedAt, failedAt: undefined };
    if (found.text === undefined && found.revokedAt <= this.#clock.now() && this.#revokedBy(key) === undefined) {
      this.#revoked = [...this.#revoked.filter((known) => !isOf(known)), heard].slice(-negativeMax);
    }
    const revoked = this.#revokedBy(key);
    const before = [...this.#good, ...this.#misses].find(isOf);
    const stands = before !== undefined && before.number > number ? before : undefined;
    if (revoked !== undefined || (stands === undefined && lookup.timeouts < 10)) {
      this.#good = this.#good.filter((known) => !isOf(known));
      this.#misses = this.#misses.filter((known) => !isOf(known));
      const known = { ...heard, found: revoked?.found ?? found };
      if (known.found.text === undefined) this.#misses = [...this.#misses, known].slice(-negativeMax);
      else this.#good = [...this.#good, known].slice(-max);
    }
    this.#answer(lookup, () => wordsOf((revoked ?? stands ?? heard).found));
  }

  #fail(lookup: ModelLookup, reason: string): void {
    lookup.ended = true;
    this.#answer(lookup, () => this.#staleOr(lookup.key, reason));
  }

  #answer(lookup: ModelLookup, answer: () => string): void {
    for (const question of lookup.waiters.splice(0)) this.answers[question] = answer();
  }

  #staleOr(key: string, reason: string): string {
    const revoked = this.#revokedBy(key);
    if (revoked !== undefined) return wordsOf(revoked.found);
    const entry = this.#good.find((known) => known.key === key);
    if (entry === undefined || this.#sinceHeld(entry) > this.#bounds.staleIfError) return `failed: ${reason}`;
    entry.failedAt = this.#now();
    return wordsOf(entry.found);
  }

  /** The revocation of a key, if it has come by the wall clock. */
  #revokedBy(key: string): Known | undefined {
    const known = use(this.#revoked, key);
    const isDue = known?.found.text === undefined && (known?.found.revokedAt ?? 0) <= this.#clock.now();
    return isDue ? known : undefined;
  }

  #isServed(entry: Known): boolean {
    const { ttl, staleIfError, watched } = this.#bounds;
    const isYoung = this.#since(entry.startedAt) < ttl;
    if (isYoung && (!watched || this.#sinceWord(entry, this.#word) <= 5_000)) return true;
    const waits = entry.failedAt !== undefined && this.#since(entry.failedAt) < 1_000;
    return waits && this.#sinceHeld(entry) <= staleIfError;
  }

  #sinceHeld(entry: Known): number {
    return Math.min(this.#sinceWord(entry, this.#word), this.#sinceWord(entry, this.#wordBeforeLoss));
  }

  #sinceWord(entry: Known, word: Word | undefined): number {
    const own = this.#since(entry.startedAt);
    return word !== undefined && entry.number > word.lostAfter ? Math.min(own, this.#since(word.at)) : own;
  }

  #pending(): readonly ModelLookup[] {
    return this.#lookups.filter(({ ended, timeouts }) => !ended && timeouts < 10);
  }

  #since(instant: Instant): number {
    return Math.max(this.#clock.now() - instant.wall, this.#clock.monotonic() - instant.monotonic);
  }

  #now(): Instant {
    return { wall: this.#clock.now(), monotonic: this.#clock.monotonic() };
  }
}

function matches(change: ModelChange, { subject }: Found): boolean {
  if (typeof change === 'string') return true;
  return 'key' in change ? change.key === subject.id : change.account === subject.account;
}

/** Finds what is known of a key, and makes it the last to go. */
function use(known: Known[], key: string): Known | undefined {
  const at = known.findIndex((candidate) => candidate.key === key);
  const [used] = at === -1 ? [] : known.splice(at, 1);
  if (used !== undefined) known.push(used);
  return used;
}

function wordsOf(found: Found): string {
  return found.text ?? `refused: ${found.reason}`;
}
