/** Converts errors to the problem documents of RFC 9457 that the management API sends. */
import { STATUS_CODES } from 'node:http';
import { KeywardError } from '../../errors/keyward-error.js';
import { ManagementError } from '../management-error.js';

/**
 * An error in the HTTP request itself, such as a body that is too large or a failed precondition. Errors of the
 * operation are `ManagementError`s.
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
 * The challenge of a 401 response, which RFC 9110 section 15.5.2 requires. It is sent if `memberOf` returns no valid
 * member. If `requireBearer` before the API refuses a request, it sends its own challenge.
 */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="api"' };

/**
 * Converts an error to a problem document. Returns `undefined` for an unexpected error.
 *
 * @param inBody - Whether the fields of the request are in its body. The problem then names a wrong field by a JSON
 *   Pointer (RFC 6901), otherwise by the name of the query parameter.
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
  // `encodeURIComponent` throws for a lone surrogate, which JSON can contain.
  const token = field
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll(/\p{Cs}/gu, '\uFFFD');
  return { pointer: `#/${encodeURIComponent(token)}` };
}
