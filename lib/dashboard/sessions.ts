/** Sessions of members: begun by a sign-in, and ended by time, by a sign-out or by whoever runs the Dashboard. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../contracts/clock.js';
import type { Member } from '../management/member.js';
import { SessionEnds } from './session-ends.js';
import type { Session, SessionSeal } from './session-seal.js';

export interface SessionLimits {
  /** Milliseconds without a request. */
  readonly idle: number;
  /** Milliseconds in all. */
  readonly absolute: number;
}

const ID_BYTES = 16;

/** Milliseconds after which a request is worth a new cookie that says when the member was seen. */
const SEEN_EVERY = 60_000;

export class Sessions {
  readonly #seal: SessionSeal;
  readonly #limits: SessionLimits;
  readonly #clock: Clock;
  readonly #ends: SessionEnds;

  constructor(seal: SessionSeal, limits: SessionLimits, clock: Clock) {
    this.#seal = seal;
    this.#limits = limits;
    this.#clock = clock;
    this.#ends = new SessionEnds(limits.absolute, clock);
  }

  /** @returns The text of the cookie. */
  async start({ id: member, account }: Member): Promise<string> {
    const startedAt = this.#ends.startOf(member);
    const id = randomBytes(ID_BYTES).toString('base64url');
    return await this.#seal.seal({ id, member, account, startedAt, seenAt: startedAt });
  }

  /** @returns `undefined` for what is no session, and for one that has ended. */
  async read(cookie: string | undefined): Promise<Session | undefined> {
    const session = cookie === undefined ? undefined : await this.#seal.open(cookie);
    if (session === undefined || this.#ends.hasEnded(session)) return undefined;
    const now = this.#clock.now();
    const isOver = now >= session.startedAt + this.#limits.absolute || now >= session.seenAt + this.#limits.idle;
    return isOver ? undefined : session;
  }

  /** @returns The text of the next cookie, where it is time for one. */
  async renewed(session: Session): Promise<string | undefined> {
    const seenAt = this.#clock.now();
    return seenAt - session.seenAt < SEEN_EVERY ? undefined : await this.#seal.seal({ ...session, seenAt });
  }

  end(session: Session): void {
    this.#ends.end(session);
  }

  endAllOf(member: string): void {
    this.#ends.endAllOf(member);
  }
}
