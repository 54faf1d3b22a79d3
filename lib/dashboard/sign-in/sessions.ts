/** The sessions of members. A session ends after a time limit, or by a sign-out, a new sign-in or the operator. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../contracts/clock.js';
import type { Member } from '../../management/member.js';
import { EndedSessions, MAX_CLOCK_DIFFERENCE_MS } from './ended-sessions.js';
import type { Session, SessionCipher } from './session-cipher.js';

/** How long a session lasts. The defaults are in create-sign-in.ts. */
export interface SessionLimits {
  /** Maximum milliseconds between two requests. */
  readonly idle: number;
  /** Maximum milliseconds in total. */
  readonly absolute: number;
}

const ID_BYTES = 16;

/**
 * Milliseconds after which a response sets a new cookie with the time of the last request. Without this interval,
 * every response would have to set a cookie.
 */
const RENEW_AFTER_MS = 60_000;

export class Sessions {
  readonly #cipher: SessionCipher;
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  readonly #endedSessions: EndedSessions;

  constructor(cipher: SessionCipher, limits: SessionLimits, clock: Clock) {
    this.#cipher = cipher;
    this.#limits = limits;
    this.#clock = clock;
    this.#endedSessions = new EndedSessions(limits.absolute, clock);
  }

  /** Starts a session. @returns The value of its cookie. */
  async start({ id: member, account }: Member): Promise<string> {
    const startedAt = this.#clock.now();
    const id = randomBytes(ID_BYTES).toString('base64url');
    const session = { id, member, account, startedAt, seenAt: startedAt };
    this.#endedSessions.started(session);
    return await this.#cipher.encrypt(session);
  }

  /** Reads the session in a cookie. @returns `undefined` if the session is not valid or has ended. */
  async read(cookie: string | undefined): Promise<Session | undefined> {
    const session = cookie === undefined ? undefined : await this.#cipher.decrypt(cookie);
    if (session === undefined || this.#endedSessions.hasEnded(session)) return undefined;
    const now = this.#clock.now();
    if (Math.max(session.startedAt, session.seenAt) > now + MAX_CLOCK_DIFFERENCE_MS) {
      // The clock was set back since, so the age of the session is unknown. The session is ended, because otherwise it
      // would be accepted again as soon as the clock has caught up.
      this.end(session);
      return undefined;
    }
    const isOver = now >= session.startedAt + this.#limits.absolute || now >= session.seenAt + this.#limits.idle;
    return isOver ? undefined : session;
  }

  /** @returns The value of a new cookie with the current time; `undefined` if the old cookie is still recent enough. */
  async renew(session: Session): Promise<string | undefined> {
    const seenAt = this.#clock.now();
    // With an idle timeout of less than two minutes, `RENEW_AFTER_MS` is too long: the session of an active member
    // could end. The cookie is then renewed after half of the timeout.
    const renewAfter = Math.min(RENEW_AFTER_MS, this.#limits.idle / 2);
    return seenAt - session.seenAt < renewAfter ? undefined : await this.#cipher.encrypt({ ...session, seenAt });
  }

  end(session: Session): void {
    this.#endedSessions.end(session);
  }

  endAllOf(member: string): void {
    this.#endedSessions.endAllOf(member);
  }
}
