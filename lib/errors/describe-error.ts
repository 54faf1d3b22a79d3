/**
 * Describes an error for an event, without its message. The message may contain a credential or data of another
 * request, for example if a database driver threw the error. So only names and codes are published, which come from
 * source code.
 */
import { types } from 'node:util';

/**
 * Matches an `error.name` that is safe to publish: letters that end with `Error` or `Exception`. Any code can write any
 * text into `name`, so `nameOf` uses the name of the class if `name` does not match.
 */
const ERROR_NAME = /^[A-Z][A-Za-z]{0,60}(?:Error|Exception)$/;
/** Matches the name of a class, which is safe to publish, because it comes from source code. */
const CLASS_NAME = /^[A-Za-z_$][\w$]{0,60}$/;
/**
 * Matches error codes such as `ECONNREFUSED`, `28P01` and `ERR_HTTP2_ERROR`: words joined by underscores, each with at
 * most 20 letters, or at most 5 capital letters and digits. A code in another form may be a credential, so it is not
 * published.
 */
const ERROR_CODE = /^(?=.{1,60}$)(?:[A-Za-z]{1,20}|[A-Z0-9]{1,5})(?:_(?:[A-Za-z]{1,20}|[A-Z0-9]{1,5}))*$/;
/**
 * Matches one line of a stack trace and captures its place, `file:line:column`. The file must be an absolute path, a
 * `file:` URL or a `node:` module. A place with a query or in a `data:` URL does not match, because it may contain data
 * of a request.
 */
const PLACE = /^ {4}at (?:[^\n]*\()?((?:file:\/\/|node:|\/|[A-Za-z]:[\\/])[^\n()?#]*:\d+:\d+)\)?$/;
const MAX_LINE = 500;
const MAX_PLACES = 8;
const MAX_CAUSES = 3;

/**
 * Returns the class and code of an error and of up to three causes, never a message: `TypeError, caused by Error
 * ECONNREFUSED`. For a thrown value that is not an error, it returns only the type. It never throws.
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
 * Returns where an error was thrown: up to 8 places `file:line:column` of its stack, innermost first; an empty list if
 * the stack cannot be read. It never throws.
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
