/**
 * Stores which sessions were ended early, for example by a sign-out. Somebody may have a copy of the cookie, so the
 * server refuses such a session until it would have expired.
 */
import type { Clock } from '../../contracts/clock.js';
import type { Session } from './session-cipher.js';

/** Maximum number of stored sessions and members together, so that they cannot use up the memory. */
const MAX_ENDED = 10_000;

/**
 * Milliseconds by which the clocks of the processes that share a session key may differ. If another process started a
 * session within this time after the end of all sessions of its member, it is unknown which came first.
 */
export const MAX_CLOCK_DIFFERENCE_MS = 300_000;

export class EndedSessions {
  readonly #absolute: number;
  readonly #clock: Clock;
  readonly #max: number;
  /** For the ID of each ended session, the time at which it started. */
  readonly #sessions = new Map<string, number>();
  /**
   * For the ID of each member, a time: the member's sessions that started at or before this time are ended, except
   * those in `#newSessions`.
   */
  readonly #members = new Map<string, number>();
  /** Like the times in `#members`, for all members. */
  #everybodyUntil = Number.NEGATIVE_INFINITY;
  /**
   * The sessions, by ID, that this process started after it ended the sessions of their member. Their start times do
   * not show this, because other clocks may be ahead, and the clock of this process may have been set back.
   */
  readonly #newSessions = new Map<string, Session>();
  /** The latest start time of a session that this process started. */
  #latestStart = Number.NEGATIVE_INFINITY;

  /** @param absolute - Maximum milliseconds of a session. */
  constructor(absolute: number, clock: Clock, max = MAX_ENDED) {
    this.#absolute = absolute;
    this.#clock = clock;
    this.#max = max;
  }

  /** Must be called for each session that this process starts. Otherwise, the session may count as ended. */
  started(session: Session): void {
    this.#latestStart = Math.max(this.#latestStart, session.startedAt);
    if (!this.hasEnded(session)) return;
    this.#makeRoom();
    this.#newSessions.set(session.id, session);
  }

  end({ id, startedAt }: Session): void {
    this.#newSessions.delete(id);
    this.#makeRoom();
    this.#sessions.set(id, startedAt);
  }

  endAllOf(member: string): void {
    for (const [id, session] of this.#newSessions) if (session.member === member) this.#newSessions.delete(id);
    this.#makeRoom();
    this.#members.set(member, Math.max(this.#endedUntil(member), this.#latestPossibleStart()));
  }

  hasEnded({ id, member, startedAt }: Session): boolean {
    if (this.#sessions.has(id)) return true;
    return startedAt <= this.#endedUntil(member) && !this.#newSessions.has(id);
  }

  #endedUntil(member: string): number {
    return Math.max(this.#everybodyUntil, this.#members.get(member) ?? Number.NEGATIVE_INFINITY);
  }

  /** Returns the latest start time that a session can have now. */
  #latestPossibleStart(): number {
    return Math.max(this.#clock.now() + MAX_CLOCK_DIFFERENCE_MS, this.#latestStart);
  }

  /**
   * Forgets sessions that have expired by now. If there is still no room, ends the sessions of all members: forgetting
   * an ended session that has not expired would make its cookie valid again.
   */
  #makeRoom(): void {
    if (this.#hasRoom()) return;
    const expired = this.#clock.now() - this.#absolute;
    for (const [id, startedAt] of this.#sessions) if (startedAt <= expired) this.#sessions.delete(id);
    for (const [id, { startedAt }] of this.#newSessions) if (startedAt <= expired) this.#newSessions.delete(id);
    for (const [member, until] of this.#members) if (until <= expired) this.#members.delete(member);
    if (this.#hasRoom()) return;
    this.#everybodyUntil = Math.max(this.#everybodyUntil, this.#latestPossibleStart());
    this.#sessions.clear();
    this.#newSessions.clear();
    this.#members.clear();
  }

  #hasRoom(): boolean {
    return this.#sessions.size + this.#newSessions.size + this.#members.size < this.#max;
  }
}
