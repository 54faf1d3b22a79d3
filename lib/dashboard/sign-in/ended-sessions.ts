/**
 * Sessions that were ended early. A copy of their cookie must not be accepted, so the server stores them until they
 * would have expired.
 */
import type { Clock } from '../../contracts/clock.js';
import type { Session } from './session-cipher.js';

/** Maximum stored sessions and members, to bound the memory. */
const MAX_ENDED = 10_000;

export class EndedSessions {
  readonly #absolute: number;
  readonly #clock: Clock;
  readonly #max: number;
  /** Ids of sessions, and when each would have expired. */
  readonly #sessions = new Map<string, number>();
  /** For each member, a time: sessions of the member that started at or before this time are ended. */
  readonly #members = new Map<string, number>();
  /** Sessions of any member that started at or before this time are ended. */
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
   * Returns the start time for a new session: now, but always later than the time up to which sessions of this member
   * (or of everybody) were ended, so that the new session is not ended too.
   */
  startTimeFor(member: string): number {
    return Math.max(this.#clock.now(), this.#endedUntil(member) + 1);
  }

  #endedUntil(member: string): number {
    return Math.max(this.#everybodyUntil, this.#members.get(member) ?? Number.NEGATIVE_INFINITY);
  }

  /**
   * Removes sessions that have expired anyway. If there is still no room, signs everybody out: forgetting an ended
   * session would make it valid again.
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
