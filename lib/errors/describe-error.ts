/**
 * Describes errors from other code for events. The message of an error may contain a credential in any encoding, or
 * data of another request. So events contain no messages, but only words that come from source code.
 */
import { types } from 'node:util';

/** Matches a name that is safe to publish, because it holds no input: letters that end with `Error` or `Exception`. */
const ERROR_NAME = /^[A-Z][A-Za-z]{0,60}(?:Error|Exception)$/;
/** Matches the name of a class, which comes from source code and so holds no input. */
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,60}$/;
/**
 * Matches words of letters, and short words with digits: `ECONNREFUSED`, `28P01`, `ERR_HTTP2_ERROR`. No key has this
 * form.
 */
const ERROR_CODE = /^(?=.{1,60}$)(?:[A-Za-z]{1,20}|[A-Z0-9]{1,5})(?:_(?:[A-Za-z]{1,20}|[A-Z0-9]{1,5}))*$/;
/**
 * Matches the place in a line of a stack. A place with a query, and a place in a data URL, do not match, because they
 * may contain data.
 */
const PLACE = /^ {4}at (?:[^\n]*\()?((?:file:\/\/|node:|\/|[A-Za-z]:[\\/])[^\n()?#]*:\d+:\d+)\)?$/;
const MAX_LINE = 500;
const MAX_PLACES = 8;
const MAX_CAUSES = 3;

/**
 * Returns the class and code of an error and of its causes, never a message: `TypeError, caused by Error ECONNREFUSED`.
 * It never throws.
 */
export function describeError(thrown: unknown): string {
  if (!types.isNativeError(thrown)) return `a thrown value of type ${typeof thrown}`;
  try {
    const described = [];
    let error: unknown = thrown;
    while (types.isNativeError(error) && described.length <= MAX_CAUSES) {
      described.push(withCode(nameOf(error), (error as { readonly code?: unknown }).code));
      error = error.cause;
    }
    return described.join(', caused by ');
  } catch {
    return 'an error with unreadable properties';
  }
}

/**
 * Returns where an error was thrown: up to 8 places `file:line:column` of its stack, innermost first. It never throws.
 */
export function placesOf(thrown: unknown): readonly string[] {
  if (!types.isNativeError(thrown)) return [];
  try {
    const { stack, message } = thrown;
    return typeof stack === 'string' && typeof message === 'string' ? placesAfter(message, stack) : [];
  } catch {
    return [];
  }
}

/** Reads only the lines after the message, because the message itself may contain lines that look like a stack. */
function placesAfter(message: string, stack: string): readonly string[] {
  const at = stack.indexOf(message);
  if (at === -1) return [];
  const places: string[] = [];
  let end = stack.indexOf('\n', at + message.length);
  while (end !== -1 && places.length < MAX_PLACES) {
    const start = end + 1;
    end = stack.indexOf('\n', start);
    const line = stack.slice(start, end === -1 ? undefined : end);
    if (line.length > MAX_LINE || !line.startsWith('    at ')) break;
    const place = PLACE.exec(line)?.[1];
    if (place !== undefined) places.push(place);
  }
  return places;
}

function nameOf(error: Error): string {
  if (ERROR_NAME.test(error.name)) return error.name;
  const name: unknown = Object.getPrototypeOf(error)?.constructor?.name;
  return typeof name === 'string' && CLASS_NAME.test(name) ? name : 'Error';
}

function withCode(name: string, code: unknown): string {
  const isFit = typeof code === 'string' ? ERROR_CODE.test(code) : Number.isSafeInteger(code);
  return isFit ? `${name} ${code}` : name;
}
