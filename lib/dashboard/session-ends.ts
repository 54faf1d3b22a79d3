/**
 * Sessions that were ended before their time. The cookie of one may still come, from a copy of it, and must not be taken:
 * so the server remembers, until the session would have ended by itself.
 */
import type { Clock } from '../contracts/clock.js';
import type { Session } from './session-seal.js';

/** More than this are not remembered one by one. */
const MAX_ENDED = 10_000;

export class SessionEnds {
  readonly #absolute: number;
  readonly #clock: Clock;
  readonly #most: number;
  /** Ids of sessions, and when each would have ended by itself. */
  readonly #sessions = new Map<string, number>();
  /** Members, and the instant until which every session of theirs is ended. */
  readonly #members = new Map<string, number>();
  #everybody = Number.NEGATIVE_INFINITY;

  /** @param absolute - Milliseconds that a session lives at most. */
  constructor(absolute: number, clock: Clock, most = MAX_ENDED) {
    this.#absolute = absolute;
    this.#clock = clock;
    this.#most = most;
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

  /** When a session that starts now is said to have started: after those of its member that were ended. */
  startOf(member: string): number {
    return Math.max(this.#clock.now(), this.#endedUntil(member) + 1);
  }

  #endedUntil(member: string): number {
    return Math.max(this.#everybody, this.#members.get(member) ?? Number.NEGATIVE_INFINITY);
  }

  /** Forgets what would have ended by itself. Where there is no room even so, everybody is signed out: nobody comes back. */
  #makeRoom(): void {
    if (this.#sessions.size + this.#members.size < this.#most) return;
    const now = this.#clock.now();
    for (const [id, until] of this.#sessions) if (until <= now) this.#sessions.delete(id);
    for (const [member, at] of this.#members) if (at + this.#absolute < now) this.#members.delete(member);
    if (this.#sessions.size + this.#members.size < this.#most) return;
    this.#sessions.clear();
    this.#members.clear();
    this.#everybody = now;
  }
}
