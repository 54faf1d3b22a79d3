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
  /** The name of the invalid parameter of the path or the query, if there is one. */
  readonly parameter: string | undefined;

  constructor(
    status: number,
    code: string,
    detail: string,
    headers: Readonly<Record<string, string>> = {},
    parameter?: string,
  ) {
    super(code, detail, { status });
    this.headers = headers;
    this.parameter = parameter;
  }
}

/** Creates the error for an invalid parameter of the path or the query. */
export function invalidParameter(name: string, expected: string): ProblemError {
  return new ProblemError(400, 'invalid', `${name}: ${expected}`, {}, name);
}

export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** The parameters of the query and the path whose field in the service has another name. */
const PARAMETERS: ReadonlyMap<string, string> = new Map([
  ['text', 'q'],
  ['secret', 'secretId'],
]);

/**
 * The challenge of a 401 response, which RFC 9110 section 15.5.2 requires. It is sent if `memberOf` returns no valid
 * member. If `requireBearer` before the API refuses a request, it sends its own challenge.
 */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="api"' };

/** Creates the problem document of an error in the HTTP request itself. */
export function problemOf(error: ProblemError): Problem {
  const { status, headers, parameter } = error;
  return { status, headers, body: bodyOf(error, parameter === undefined ? undefined : { parameter }) };
}

/**
 * Converts an error to a problem document. Returns `undefined` for an unexpected error.
 *
 * @param inBody - Whether the fields of the request are in its body. The problem then names a wrong field by a JSON
 *   Pointer (RFC 6901), otherwise by the name of the query parameter.
 */
export function toProblem(error: unknown, inBody: boolean): Problem | undefined {
  if (error instanceof ProblemError) return problemOf(error);
  if (!(error instanceof ManagementError)) return undefined;
  const { status, field } = error;
  return {
    status,
    headers: headersOf(error),
    body: bodyOf(error, field === undefined ? undefined : placeOf(field, inBody)),
  };
}

function bodyOf({ status, code, message: detail }: ProblemError | ManagementError, place: object | undefined): object {
  const errors = place === undefined ? {} : { errors: [{ ...place, detail }] };
  return { type: 'about:blank', title: STATUS_CODES[status], status, detail, code, ...errors };
}

function headersOf({ code }: ManagementError): Readonly<Record<string, string>> {
  if (code === 'no_member') return CHALLENGE;
  return code === 'unavailable' ? { 'Retry-After': '1' } : {};
}

function placeOf(field: string, inBody: boolean): object {
  if (field === 'idempotencyKey') return { header: 'Idempotency-Key' };
  if (!inBody) return { parameter: PARAMETERS.get(field) ?? field };
  // `encodeURIComponent` throws for a lone surrogate, which JSON can contain.
  const token = field
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll(/\p{Cs}/gu, '\uFFFD');
  return { pointer: `#/${encodeURIComponent(token)}` };
}
