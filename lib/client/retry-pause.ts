/** Refuses token requests until the wait that the token endpoint asked for (RFC 9110 section 10.2.3) is over. */
import { type Clock, elapsed, type Instant, instantOf } from '../contracts/clock.js';
import type { TokenClientError } from './token-client-error.js';

/** Maximum seconds of a pause. Otherwise a wrong `Retry-After` could stop the client for years. */
const MAX_PAUSE = 30;

export class RetryPause {
  readonly #clock: Clock;
  #last: { readonly error: TokenClientError; readonly startedAt: Instant; readonly milliseconds: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Starts a pause after a refused token request.
   *
   * @param error - The error of this request. Until the pause ends, all token requests fail with it.
   * @param seconds - The wait that the token endpoint asked for.
   */
  start(error: TokenClientError, seconds: number): void {
    this.#last = { error, startedAt: instantOf(this.#clock), milliseconds: Math.min(seconds, MAX_PAUSE) * 1_000 };
  }

  /** @throws TokenClientError until the pause ends. */
  throwIfPaused(): void {
    const last = this.#last;
    if (last !== undefined && elapsed(last.startedAt, instantOf(this.#clock)) < last.milliseconds) throw last.error;
  }
}
