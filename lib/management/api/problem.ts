/** The errors of the management API: problems of RFC 9457. */
import { STATUS_CODES } from 'node:http';
import { KeywardError } from '../../errors/keyward-error.js';
import { ManagementError } from '../management-error.js';

/**
 * An error of the HTTP layer, such as a body that is too large or a failed precondition. It does not come from
 * management.
 */
export class ProblemError extends KeywardError {
  override readonly name = 'ProblemError';
  declare readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(code, detail, { status });
    this.headers = headers;
  }
}

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/**
 * The challenge of a 401 that the API itself sends; a gate in front of it sends its own. RFC 6750 section 3 requires
 * the header.
 */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="api"' };

/**
 * Returns the problem for an error; `undefined` if the error is unexpected.
 *
 * @param inBody - Whether the request has a body. Then the problem names the wrong field by a JSON pointer (RFC 6901),
 *   otherwise by the name of the parameter.
 */
export function toProblem(error: unknown, inBody: boolean): Problem | undefined {
  if (error instanceof ProblemError) {
    const { status, code, message, headers } = error;
    return { status, headers, body: bodyOf(status, code, message) };
  }
  if (!(error instanceof ManagementError)) return undefined;
  const { status, code, message, field } = error;
  const errors = field === undefined ? {} : { errors: [{ ...placeOf(field, inBody), detail: message }] };
  return { status, headers: headersOf(error), body: { ...bodyOf(status, code, message), ...errors } };
}

function bodyOf(status: number, code: string, detail: string): object {
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail, code };
}

function headersOf({ code }: ManagementError): Readonly<Record<string, string>> {
  if (code === 'no_member') return CHALLENGE;
  return code === 'unavailable' ? { 'Retry-After': '1' } : {};
}

function placeOf(field: string, inBody: boolean): object {
  if (field === 'idempotencyKey') return { header: 'Idempotency-Key' };
  if (!inBody) return { parameter: field === 'text' ? 'q' : field };
  if (field === 'request') return { pointer: '#' };
  return { pointer: `#/${encodeURIComponent(field.replaceAll('~', '~0').replaceAll('/', '~1'))}` };
}
