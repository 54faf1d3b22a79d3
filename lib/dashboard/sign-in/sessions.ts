/** Sessions of members. They start with a sign-in, and end by time, by a sign-out or by the operator. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../contracts/clock.js';
import type { Member } from '../../management/member.js';
import { EndedSessions } from './ended-sessions.js';
import type { Session, SessionCipher } from './session-cipher.js';

export interface SessionLimits {
  /** Maximum milliseconds between two requests. */
  readonly idle: number;
  /** Maximum milliseconds in total. */
  readonly absolute: number;
}

const ID_BYTES = 16;

/** Milliseconds after which a request gets a new cookie with the time of the last request. */
const SEEN_EVERY = 60_000;

export class Sessions {
  readonly #seal: SessionCipher;
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  readonly #ends: EndedSessions;

  constructor(seal: SessionCipher, limits: SessionLimits, clock: Clock) {
    this.#seal = seal;
    this.#limits = limits;
    this.#clock = clock;
    this.#ends = new EndedSessions(limits.absolute, clock);
  }

  /** @returns The value of the cookie. */
  async start({ id: member, account }: Member): Promise<string> {
    const startedAt = this.#ends.startOf(member);
    const id = randomBytes(ID_BYTES).toString('base64url');
    return await this.#seal.encrypt({ id, member, account, startedAt, seenAt: startedAt });
  }

  /** @returns `undefined` for an invalid session, and for one that has ended. */
  async read(cookie: string | undefined): Promise<Session | undefined> {
    const session = cookie === undefined ? undefined : await this.#seal.decrypt(cookie);
    if (session === undefined || this.#ends.hasEnded(session)) return undefined;
    const now = this.#clock.now();
    const isOver = now >= session.startedAt + this.#limits.absolute || now >= session.seenAt + this.#limits.idle;
    return isOver ? undefined : session;
  }

  /** @returns The value of the next cookie, if it is time for one. */
  async renew(session: Session): Promise<string | undefined> {
    const seenAt = this.#clock.now();
    return seenAt - session.seenAt < SEEN_EVERY ? undefined : await this.#seal.encrypt({ ...session, seenAt });
  }

  end(session: Session): void {
    this.#ends.end(session);
  }

  endAllOf(member: string): void {
    this.#ends.endAllOf(member);
  }
}
