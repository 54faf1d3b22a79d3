/**
 * Reads the form parameters from the body of a request to the issuer. Only forms are accepted, and the size of the body
 * and the time to receive it are limited.
 */
import type { IncomingMessage } from 'node:http';
import {
  type BodyBounds,
  type BodyFault,
  isFormType,
  isUncompressed,
  type MaybeParsed,
  readBody,
} from '../http/bounded-body.js';
import { MAX_CREDENTIAL_LENGTH } from '../protocol/authorization-header.js';
import { readForm, withoutEmpty } from '../protocol/form.js';
import { TokenRequestError } from './token-request-error.js';

/** Maximum size of the body of a token request in bytes: enough for the credentials and about 150 scopes. */
const MAX_BYTES = 8 * 1_024;

/**
 * Maximum size of the body of an introspection or revocation request in bytes: enough for the longest token that a gate
 * accepts. With a smaller limit, nobody could revoke a long token.
 */
export const MAX_BYTES_WITH_TOKEN = MAX_BYTES + MAX_CREDENTIAL_LENGTH;

/**
 * The HTTP status for a body that cannot be read; without a status here, it is 400. `Connection: close` ends the
 * connection, so the server does not read the rest of a slow or large body.
 */
const BODY_FAULTS: Readonly<Record<BodyFault, { status?: number; headers?: Record<string, string> }>> = {
  aborted: {},
  slow_body: { status: 408, headers: { Connection: 'close' } },
  too_large: { status: 413, headers: { Connection: 'close' } },
};

/**
 * Reads the parameters of a request. If a body parser of the app has already read the body, `req.body` is used.
 *
 * @param timeoutMs - Maximum milliseconds to receive the body.
 * @throws TokenRequestError for a wrong `Content-Type` or `Content-Encoding`; for a body that is too large, too slow,
 *   incomplete or wrongly encoded; and for repeated parameters.
 * @throws Error if another middleware has read the body but did not set `req.body`.
 */
export async function readParameters(
  req: MaybeParsed,
  timeoutMs: number,
  maxBytes = MAX_BYTES,
): Promise<ReadonlyMap<string, string>> {
  const types = valuesOf(req, 'content-type');
  if (types.length !== 1 || !isFormType(types[0])) throw new TokenRequestError('invalid_request', 'media_type');
  if (!isUncompressed(req)) throw new TokenRequestError('invalid_request', 'content_encoding', { status: 415 });
  const parameters = req.readableDidRead
    ? alreadyRead(req.body)
    : readForm(await readText(req, { maxBytes, timeoutMs }));
  if (parameters === undefined) throw new TokenRequestError('invalid_request', 'parameters');
  return parameters;
}

async function readText(req: IncomingMessage, bounds: BodyBounds): Promise<string> {
  const body = await readBody(req, bounds);
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  throw new TokenRequestError('invalid_request', body, BODY_FAULTS[body]);
}

/**
 * Reads the parameters from `req.body`, which a body parser has set to a string, to bytes or to an object. Returns
 * `undefined` for a repeated parameter, whose value in the object is an array.
 */
function alreadyRead(body: unknown): ReadonlyMap<string, string> | undefined {
  if (typeof body === 'string') return readForm(body);
  if (Buffer.isBuffer(body)) return readForm(body.toString('utf8'));
  if (typeof body !== 'object' || body === null) {
    throw new Error(
      'keyward: another middleware read the request body but did not set req.body; mount the createIssuer() router before that middleware',
    );
  }
  const members = Object.entries(body);
  const isText = (member: [string, unknown]): member is [string, string] => typeof member[1] === 'string';
  return members.every(isText) ? withoutEmpty(members) : undefined;
}

function valuesOf(req: IncomingMessage, name: string): readonly string[] {
  return req.rawHeaders.filter((_value, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name);
}
