import { hash } from 'node:crypto';
import type { Awaitable } from './key-resolver.js';

/**
 * Remembers ids that were used, so that a captured DPoP proof (RFC 9449 section 11.1) or client assertion (RFC 7523
 * section 3) cannot be used again. `memoryReplayCache` remembers them in one process; a store of `openStore` does it in
 * its database. docs/sender-constrained.md has an example for Redis.
 */
export interface ReplayCache {
  /**
   * Stores an id, and returns whether it is new. If two calls have the same id, even in two processes, only one of them
   * may return `true`. So insert the id in one atomic step.
   *
   * Throw or reject if the store cannot answer: the request then gets 503. It also gets 503 if the answer is not a
   * boolean or takes longer than a second, or if 1,000 calls are already pending. A call that has not settled after ten
   * seconds no longer counts as pending.
   *
   * @param id - A digest: 87 characters of `[A-Za-z0-9_.-]`. All ids of one DPoP key or client start with the same 43
   *   characters.
   * @param seconds - How long the id must be stored. After this time, the proof or assertion has expired and is refused
   *   for that reason.
   * @returns `true` for a new id, `false` for an id that was used before.
   */
  firstUse(id: string, seconds: number): Awaitable<boolean>;
}

/**
 * Creates the id under which a `ReplayCache` stores a DPoP proof or a client assertion.
 *
 * @param client - SHA-256 of what identifies the client, in base64url: the thumbprint of its key, or a digest of its
 *   name.
 * @param text - A value that is unique for this client, such as `jti`.
 */
export function replayId(client: string, text: string): string {
  return `${client}.${hash('sha256', text, 'base64url')}`;
}
