import { KeywardError } from '../../errors/keyward-error.js';

/**
 * Thrown if a record breaks a rule. The message names the field and never its value, so that it can be published in an
 * event.
 */
export class RecordError extends KeywardError {
  override readonly name = 'RecordError';

  constructor(message: string) {
    super('record_invalid', message);
  }
}
