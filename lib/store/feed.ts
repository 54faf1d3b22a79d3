/**
 * The change feed: every change takes the next position as the last statement of the transaction that makes it, so that
 * the order of positions is the order of commits, and what a poll has not seen comes after what it has.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Change, FeedListener } from '../contracts/change-feed.js';
import type { Engine } from './engine.js';
import { giveNotice } from './give-notice.js';
import type { Found } from './look-ups.js';
import { StoreError, storeErrorOf } from './store-error.js';
import type { ChangeRow, Tables } from './tables.js';

/** Steps that one poll takes over one by one; of more, everything cached is dropped at once. */
const MOST_STEPS = 1_000;
/** Steps that are kept for those who come late. Who comes later yet finds its last step gone, and drops everything. */
const KEPT_STEPS = 10_000;
const PRUNE_EVERY = 1_000;

type Step = Pick<ChangeRow, 'position' | 'id' | 'member' | 'subject'>;

/** Writes a change down, as the last statement of its transaction: the row of the head puts commits in order. */
export async function appendChange(engine: Engine, tx: Transaction<Tables>, change: Change): Promise<void> {
  const { position } = await tx
    .updateTable('feed_head')
    .set(({ eb }) => ({ position: eb('position', '+', 1) }))
    .returning('position')
    .executeTakeFirstOrThrow();
  await tx
    .insertInto('changes')
    .values({ position, id: randomUUID(), ...columnsOf(change) })
    .execute();
  if (position % PRUNE_EVERY === 0)
    await tx
      .deleteFrom('changes')
      .where('position', '<', position - KEPT_STEPS)
      .execute();
  await engine.announce(tx);
}

/** Reads the feed of an engine, and tells its listeners. */
export class Feed {
  readonly #engine: Engine;
  readonly #listeners = new Set<FeedListener>();
  #end: (() => void) | undefined;
  #last: Step | undefined;
  #version: string | undefined;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #isReachable = true;
  #isStopped = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Starts polling, if it has not begun. */
  start(): void {
    this.#end ??= this.#engine.follow(() => this.#poll());
  }

  stop(): void {
    this.#isStopped = true;
    this.#end?.();
    this.#listeners.clear();
  }

  watch(listener: FeedListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Tells of a change that this process has just committed, without waiting for the poll that will find it too. */
  tell(change: Change): void {
    for (const listener of this.#listeners) listener.change(change);
  }

  /**
   * Looks something up, where nothing older is read than what the feed has told of: behind one URL there may be a node
   * that lags, and what it says of a key that was revoked elsewhere would be kept as if it were true.
   *
   * @throws StoreError `store_unavailable` where the node that answered was behind.
   */
  async lookUp<R>(find: () => Promise<Found<R> | undefined>): Promise<R | undefined> {
    // From before it is asked: what is told meanwhile need not be in the answer.
    const told = this.#last?.position ?? 0;
    const found = await find();
    if (found !== undefined && found.position < told) {
      throw new StoreError('store_unavailable', 'what answered is behind what was read before');
    }
    return found?.record;
  }

  /** Whoever asks for a poll gets one that begins after it asked. */
  #poll(): Promise<void> {
    if (this.#polling !== undefined) {
      this.#pollAgain = true;
      return this.#polling;
    }
    this.#polling = this.#pollUntilDone().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #pollUntilDone(): Promise<void> {
    do {
      this.#pollAgain = false;
      try {
        await this.#pollOnce();
        if (!this.#isReachable) giveNotice('reachable');
        this.#isReachable = true;
      } catch (error) {
        if (this.#isStopped) return;
        if (this.#isReachable) giveNotice('unreachable', storeErrorOf(error).message);
        this.#isReachable = false;
      }
    } while (this.#pollAgain);
  }

  async #pollOnce(): Promise<void> {
    const start = performance.now();
    const version = this.#engine.version();
    if (version === undefined || version !== this.#version || this.#last === undefined) {
      this.#take(await this.#read());
      this.#version = version;
    }
    // What was committed while it was under way need not be in it.
    const age = performance.now() - start;
    for (const listener of this.#listeners) listener.current(age);
  }

  /** The step that was seen last, and those after it; or the newest alone, where they cannot be told one by one. */
  async #read(): Promise<readonly Step[]> {
    const steps = this.#engine.reader.selectFrom('changes').select(['position', 'id', 'member', 'subject']);
    if (this.#last !== undefined) {
      const since = steps.where('position', '>=', this.#last.position).orderBy('position');
      // The one that was seen last, and one too many.
      const found = await since.limit(1 + MOST_STEPS + 1).execute();
      const isSameFeed = found[0]?.id === this.#last.id;
      if (isSameFeed && found.length <= 1 + MOST_STEPS) return found;
      if (!isSameFeed) giveNotice('replaced', 'the step that was read last is gone');
    }
    return await steps.orderBy('position', 'desc').limit(1).execute();
  }

  #take(steps: readonly Step[]): void {
    const [first] = steps;
    if (this.#last !== undefined && first?.id === this.#last.id) {
      for (const step of steps.slice(1)) this.tell(changeOf(step));
    } else {
      this.tell('all');
    }
    this.#last = steps.at(-1);
  }
}

function columnsOf(change: Change): Pick<ChangeRow, 'member' | 'subject'> {
  if (change === 'all') return { member: 'all', subject: null };
  if ('key' in change) return { member: 'key', subject: change.key };
  if ('accessKey' in change) return { member: 'accessKey', subject: change.accessKey };
  return { member: 'account', subject: change.account };
}

function changeOf({ member, subject }: Step): Change {
  if (subject === null || member === 'all') return 'all';
  if (member === 'key') return { key: subject };
  return member === 'account' ? { account: subject } : { accessKey: subject };
}
