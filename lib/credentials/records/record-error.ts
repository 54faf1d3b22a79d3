import { KeywardError } from '../../errors/keyward-error.js';

/**
 * Thrown if a record breaks a rule. Its message may be published in an event, so it names the field but never contains
 * the value.
 */
export class RecordError extends KeywardError {
  override readonly name = 'RecordError';

  constructor(message: string) {
    super('record_invalid', message);
  }
}
