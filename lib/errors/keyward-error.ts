/** Options of the constructor of `KeywardError`. */
export interface KeywardErrorOptions {
  /** The HTTP status for this error, if there is one. */
  readonly status?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The base class of the errors that keyward throws or passes to `next`. Mistakes in the app's code have other classes:
 * `TypeError` for a wrong option or argument, and `Error` for example if middleware is in the wrong order. No message
 * contains a credential.
 *
 * @example
 * ```ts
 * import { KeywardError } from 'keyward';
 * import { openStore } from 'keyward/store';
 *
 * try {
 *   await openStore('file:./keyward.db');
 * } catch (error) {
 *   if (!(error instanceof KeywardError)) throw error;
 *   console.error(error.code);
 * }
 * ```
 */
export class KeywardError extends Error {
  override readonly name: string = 'KeywardError';
  /** The error code for programs. Codes do not change between versions. docs/reference/errors.md lists them. */
  readonly code: string;
  /** The HTTP status for this error; `undefined` if there is none. */
  readonly status: number | undefined;

  constructor(code: string, message: string, { status, cause }: KeywardErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
  }
}
