import { KeywardError, type KeywardErrorOptions } from './keyward-error.js';

/**
 * The base class of errors that refuse a request. These errors have no stack trace, because a refusal is not a bug, and
 * because capturing the trace would take longer than all other work for a bad credential (docs/decisions/0032).
 */
export abstract class RefusalError extends KeywardError {
  constructor(code: string, message: string, options: KeywardErrorOptions) {
    const { stackTraceLimit } = Error;
    // Unlike an assignment, `Reflect.set` does not throw if the app has frozen `Error`.
    Reflect.set(Error, 'stackTraceLimit', 0);
    super(code, message, options);
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
  }
}
