import { types } from 'node:util';

/** A message is somebody else's text: no more of it than this goes into an event. */
const MAX_LENGTH = 500;

/** Name and message of what was thrown, for an event. It does not throw, whatever was thrown. */
export function errorSummary(thrown: unknown): string {
  if (!types.isNativeError(thrown)) return `a thrown ${typeof thrown}`;
  try {
    return `${thrown.name}: ${thrown.message}`.slice(0, MAX_LENGTH);
  } catch {
    return 'an error that cannot be read';
  }
}
