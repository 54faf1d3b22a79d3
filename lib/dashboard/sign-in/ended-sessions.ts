/**
 * Stores which sessions were ended early, for example by a sign-out. Somebody may have a copy of the cookie, so the
 * server refuses such a session until it would have expired.
 */
import type { Clock } from '../../contracts/clock.js';
import type { Session } from './session-cipher.js';

/** Maximum number of stored sessions and members together, so that they cannot use up the memory. */
const MAX_ENDED = 10_000;

export class EndedSessions {
  readonly #absolute: number;
  readonly #clock: Clock;
  readonly #max: number;
  /** For the ID of each ended session, the time at which the session would have expired. */
  readonly #sessions = new Map<string, number>();
  /** For the ID of each member, a time: the member's sessions that started at or before this time are ended. */
  readonly #members = new Map<string, number>();
  /** The sessions of all members that started at or before this time are ended. */
  #everybodyUntil = Number.NEGATIVE_INFINITY;

  /** @param absolute - Maximum milliseconds of a session. */
  constructor(absolute: number, clock: Clock, max = MAX_ENDED) {
    this.#absolute = absolute;
    this.#clock = clock;
    this.#max = max;
  }

  end({ id, startedAt }: Session): void {
    this.#makeRoom();
    this.#sessions.set(id, startedAt + this.#absolute);
  }

  endAllOf(member: string): void {
    this.#makeRoom();
    this.#members.set(member, this.#clock.now());
  }

  hasEnded({ id, member, startedAt }: Session): boolean {
    return this.#sessions.has(id) || startedAt <= this.#endedUntil(member);
  }

  /**
   * Returns the start time for a new session of a member. It is now, but always later than the time up to which the
   * sessions of the member were ended. Otherwise, the new session would be ended too.
   */
  startTimeFor(member: string): number {
    return Math.max(this.#clock.now(), this.#endedUntil(member) + 1);
  }

  #endedUntil(member: string): number {
    return Math.max(this.#everybodyUntil, this.#members.get(member) ?? Number.NEGATIVE_INFINITY);
  }

  /**
   * Forgets ended sessions that have expired by now. If there is still no room, ends the sessions of all members:
   * forgetting a session that has not expired would make its cookie valid again.
   */
  #makeRoom(): void {
    if (this.#sessions.size + this.#members.size < this.#max) return;
    const now = this.#clock.now();
    for (const [id, until] of this.#sessions) if (until <= now) this.#sessions.delete(id);
    for (const [member, at] of this.#members) if (at + this.#absolute < now) this.#members.delete(member);
    if (this.#sessions.size + this.#members.size < this.#max) return;
    this.#sessions.clear();
    this.#members.clear();
    this.#everybodyUntil = now;
  }
}
