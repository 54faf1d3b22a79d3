/** Links that sign a member in once. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../contracts/clock.js';
import { digestOf, digestsEqual } from '../credentials/digest.js';

/** 256 bits. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

interface Link {
  readonly member: string;
  readonly digest: string;
  readonly expiresAt: number;
  spent: boolean;
}

/** Whether a text could be the token of a link. */
export function isLinkToken(text: unknown): text is string {
  return typeof text === 'string' && TOKEN.test(text);
}

/** The newest link of each member; the one before it ends. Tokens are kept as digests alone. */
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
    this.#links.set(member, { member, digest: digestOf(token), expiresAt, spent: false });
    return token;
  }

  /** Whether a link was good, and is no more: whoever has it may know that. Of a token that is nobody's nothing is told. */
  isOver(token: string): boolean {
    const link = this.#find(token);
    return link !== undefined && !this.#isGood(link);
  }

  /** Spends a link. The same work whether the token is unknown, used or expired: it is compared with every one. */
  redeem(token: string): string | undefined {
    const link = this.#find(token);
    if (link === undefined || !this.#isGood(link)) return undefined;
    link.spent = true;
    return link.member;
  }

  /** Takes back that a link was spent: nobody could be signed in. */
  restore(token: string): void {
    const link = this.#find(token);
    if (link !== undefined) link.spent = false;
  }

  #isGood({ spent, expiresAt }: Link): boolean {
    return !spent && expiresAt > this.#clock.now();
  }

  #find(token: string): Link | undefined {
    const digest = digestOf(token);
    const [link] = [...this.#links.values()].filter((candidate) => digestsEqual(candidate.digest, digest));
    return link;
  }
}
