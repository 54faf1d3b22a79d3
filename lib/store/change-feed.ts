/**
 * The change feed: a table of changes to keys and accounts. Each process polls it to learn what other processes
 * changed, and invalidates its cache.
 *
 * A transaction that writes a change takes the next position from the row of `feed_head`. The update locks the row
 * until the commit, so changes are committed in the order of their positions. A poll that reads a position has
 * therefore not missed a lower one.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import type { Change, FeedListener } from '../contracts/change-feed.js';
import { runCallback } from '../events/run-callback.js';
import type { Engine } from './engine.js';
import type { LookedUp } from './find-credential.js';
import { publishWarning } from './publish-warning.js';
import { StoreError, storeErrorOf } from './store-error.js';
import type { ChangeRow, Tables } from './tables.js';

/**
 * The maximum number of changes that a poll handles one by one. If there are more, everything cached is invalidated.
 */
const MAX_STEPS = 1_000;
/**
 * The minimum number of changes that stay in the table. If the last change that a process has read was deleted, the
 * process cannot know what it missed, and invalidates everything cached.
 */
const RETAINED_STEPS = 10_000;
const PRUNE_EVERY = 1_000;

/** Names the callback in the event on `keyward:callback-failure` that is published if a listener throws. */
const LISTENER = { of: 'store', callback: 'listener' } as const;

type Step = Pick<ChangeRow, 'position' | 'id' | 'member' | 'subject'>;

/**
 * Writes a change to the feed. Call it at the end of a transaction, because it locks the row of `feed_head` until the
 * commit, and every other transaction that writes a change waits for this lock.
 */
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
      .where('position', '<', position - RETAINED_STEPS)
      .execute();
  await engine.announce(tx);
}

/** Polls the feed of an engine, and notifies the listeners. */
export class Feed {
  readonly #engine: Engine;
  readonly #listeners = new Set<FeedListener>();
  #end: (() => void) | undefined;
  #last: Step | undefined;
  #version: string | undefined;
  #replacements = 0;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #isReachable = true;
  #isStopped = false;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Starts polling. Later calls do nothing. */
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

  /**
   * Notifies the listeners of a change. It is called for each change that a poll finds, and immediately for a change
   * that this process commits, because the next poll would be too late: a revoked key must be refused at once.
   */
  notify(change: Change): void {
    for (const listener of this.#listeners) runCallback(LISTENER, () => listener.onChange(change));
  }

  /**
   * Looks up a record, and throws if the answer is older than the last change that this process has read. One URL may
   * lead to several database nodes, of which one may be a replica that lags behind. Without this check, its outdated
   * record of a revoked key would be cached as current, and a new key would be refused as unknown.
   *
   * @throws StoreError `store_unavailable` if the node that answered lags behind.
   */
  async lookUp<R>(find: () => Promise<LookedUp<R>>): Promise<R | undefined> {
    // The position is read before the query. If it were read afterwards, a change that a poll finds during the query
    // would make a correct answer look outdated.
    const positionBefore = this.#last?.position ?? 0;
    const { record, position } = await find();
    if (position < positionBefore) {
      throw new StoreError(
        'store_unavailable',
        'the database replica returned older data than the change feed; try again',
      );
    }
    return record;
  }

  /**
   * Polls the feed. If a poll is already running, a second poll follows it, because the running poll may miss the
   * latest commits. The promise resolves after the last poll.
   */
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
        // The first attempt may fail because its connection was closed, or timed out while the process was blocked. The
        // second attempt uses another connection, so that a single broken connection is not reported as an outage.
        await this.#pollOnce().catch(() => this.#pollOnce());
        if (!this.#isReachable) publishWarning('reachable');
        this.#isReachable = true;
      } catch (error) {
        if (this.#isStopped) return;
        if (this.#isReachable) publishWarning('unreachable', storeErrorOf(error).message);
        this.#isReachable = false;
      }
    } while (this.#pollAgain);
  }

  async #pollOnce(): Promise<void> {
    const start = performance.now();
    const version = await this.#engine.version();
    if (this.#replacements !== this.#engine.replacements) {
      // Without a last change, `#take` invalidates everything cached: in the new database file, the cached rows may be
      // missing or different.
      this.#replacements = this.#engine.replacements;
      this.#last = undefined;
      publishWarning(
        'replaced',
        'the database file or its write-ahead log was replaced, so the file was opened again and all cached records were invalidated',
      );
    }
    if (version === undefined || version !== this.#version || this.#last === undefined) {
      this.#take(await this.#read());
      this.#version = version;
    }
    // The result of the poll may lack a commit that was made during the poll, so it is only as new as the start of the
    // poll.
    const age = performance.now() - start;
    for (const listener of this.#listeners) runCallback(LISTENER, () => listener.onCaughtUp(age));
  }

  /**
   * Returns the last known change and all newer changes. If there are too many, if the last known change was deleted,
   * or if no change is known yet, it returns only the newest change, so that `#take` invalidates everything cached.
   */
  async #read(): Promise<readonly Step[]> {
    const steps = this.#engine.feed.selectFrom('changes').select(['position', 'id', 'member', 'subject']);
    if (this.#last !== undefined) {
      const since = steps.where('position', '>=', this.#last.position).orderBy('position');
      // The limit counts the last known change, MAX_STEPS newer changes, and one more. If this extra change is found,
      // there are too many changes.
      const found = await since.limit(1 + MAX_STEPS + 1).execute();
      const isSameFeed = found[0]?.id === this.#last.id;
      if (isSameFeed && found.length <= 1 + MAX_STEPS) return found;
      if (!isSameFeed)
        publishWarning(
          'replaced',
          'the last change that this process has read is no longer in the change feed, so all cached records were invalidated',
        );
    }
    return await steps.orderBy('position', 'desc').limit(1).execute();
  }

  #take(steps: readonly Step[]): void {
    const [first] = steps;
    if (this.#last !== undefined && first?.id === this.#last.id) {
      for (const step of steps.slice(1)) this.notify(changeOf(step));
    } else {
      this.notify('all');
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
  if (subject === null) return 'all';
  if (member === 'key') return { key: subject };
  return member === 'account' ? { account: subject } : { accessKey: subject };
}
