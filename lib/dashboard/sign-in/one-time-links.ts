/** Links that sign a member in once. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../contracts/clock.js';
import { digestOf, digestsEqual } from '../../credentials/digest.js';

/** 256 bits, so that nobody can guess a token. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

interface Link {
  readonly member: string;
  readonly digest: string;
  readonly expiresAt: number;
  used: boolean;
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
    const expiresAt = this.#clock.now() + this.#lifetime;
    this.#links.set(member, { member, digest: digestOf(token), expiresAt, used: false });
    return token;
  }

  /** The member of a link, and whether it can still be used; `undefined` for an unknown token. */
  find(token: string): { readonly member: string; readonly isUsable: boolean } | undefined {
    const link = this.#find(token);
    return link && { member: link.member, isUsable: this.#isUsable(link) };
  }

  /** Marks a link as used. @returns Its member; `undefined` if the link cannot be used. */
  redeem(token: string): string | undefined {
    const link = this.#find(token);
    if (link === undefined || !this.#isUsable(link)) return undefined;
    link.used = true;
    return link.member;
  }

  /** Makes a used link usable again, if the sign-in with it failed. */
  restore(token: string): void {
    const link = this.#find(token);
    if (link !== undefined) link.used = false;
  }

  #isUsable({ used, expiresAt }: Link): boolean {
    return !used && expiresAt > this.#clock.now();
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
