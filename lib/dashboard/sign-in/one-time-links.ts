/** Links that sign a member in once. */
import { randomBytes } from 'node:crypto';
import { type Clock, elapsed, type Instant, instantOf } from '../../contracts/clock.js';
import { digestOf, digestsEqual } from '../../credentials/digest.js';

/** 256 bits, so that nobody can guess a token. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/**
 * Milliseconds after a sign-in during which the same browser may send its form again. After a double click, the browser
 * drops the answer to the first form, with the cookie of the session.
 */
const REPEAT_WITHIN_MS = 10_000;

interface Link {
  readonly member: string;
  readonly digest: string;
  readonly issuedAt: Instant;
  use?: Use | undefined;
}

interface Use {
  /** The digest of the CSRF token of the browser that used the link. */
  readonly browser: string;
  /** The cookie of the session that the link started. */
  readonly session: Promise<string>;
  /** When the session started; `undefined` until then. */
  startedAt?: Instant;
}

export function isLinkToken(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text);
}

/**
 * Stores the newest link of each member, so a new link makes the earlier link unusable. Only digests of the tokens are
 * stored.
 */
export class OneTimeLinks {
  readonly #lifetime: number;
  readonly #clock: Clock;
  readonly #links = new Map<string, Link>();

  /** @param lifetime - Milliseconds. */
  constructor(lifetime: number, clock: Clock) {
    this.#lifetime = lifetime;
    this.#clock = clock;
  }

  /** @returns The token of a new link. */
  issue(member: string): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#links.set(member, { member, digest: digestOf(token), issuedAt: instantOf(this.#clock) });
    return token;
  }

  /** The member of a link, and whether it can still be used; `undefined` for an unknown token. */
  find(token: string): { readonly member: string; readonly isUsable: boolean } | undefined {
    const link = this.#find(token);
    return link && { member: link.member, isUsable: this.#isUsable(link) };
  }

  /**
   * Uses a link. If `start` rejects, the link can be used again.
   *
   * @param formToken - The CSRF token of the browser. Only the browser that used the link gets its session again.
   * @param start - Signs the member in. Returns the cookie of the session.
   * @returns What `start` returned; for a form that is repeated, what it returned for the first one. `undefined` if the
   *   link cannot be used.
   */
  async redeem(token: string, formToken: string, start: () => Promise<string>): Promise<string | undefined> {
    const link = this.#find(token);
    const browser = digestOf(formToken);
    if (link?.use !== undefined) return this.#isRepeated(link.use, browser) ? await link.use.session : undefined;
    if (link === undefined || !this.#isUsable(link)) return undefined;
    const use: Use = { browser, session: start() };
    link.use = use;
    try {
      return await use.session;
    } catch (error) {
      link.use = undefined;
      throw error;
    } finally {
      use.startedAt = instantOf(this.#clock);
    }
  }

  #isUsable({ use, issuedAt }: Link): boolean {
    return use === undefined && elapsed(issuedAt, instantOf(this.#clock)) < this.#lifetime;
  }

  #isRepeated({ browser, startedAt }: Use, again: string): boolean {
    if (!digestsEqual(browser, again)) return false;
    return startedAt === undefined || elapsed(startedAt, instantOf(this.#clock)) < REPEAT_WITHIN_MS;
  }

  /**
   * Finds the link of a token. The token is compared with every link, so that the time of the search does not reveal
   * whether or where it was found.
   */
  #find(token: string): Link | undefined {
    const digest = digestOf(token);
    const [link] = [...this.#links.values()].filter((candidate) => digestsEqual(candidate.digest, digest));
    return link;
  }
}
