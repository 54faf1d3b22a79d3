/** Reads the fields of a form from a request body, with limits of size and time. */
import type { IncomingMessage } from 'node:http';
import { type BodyFault, isFormType, isUncompressed, type MaybeParsed, readBody } from '../../http/bounded-body.js';
import { type FormPair, readPairs } from '../../protocol/form.js';
import { badRequest, HttpError } from './http-error.js';

const TIMEOUT_MS = 10_000;

/**
 * Maximum bytes of a form with settings. The largest metadata, 64 entries with 540 UTF-16 code units each, takes about
 * 300 KB, because percent-escaping makes up to 9 bytes of each code unit. The rest is for lists, such as the scopes.
 */
export const MAX_SETTINGS_BYTES = 400 * 1_024;

/**
 * The error for each reason why a body could not be read. After `slow_body` and `too_large`, the rest of the body is
 * unread, so the connection cannot be used again and is closed.
 */
const BODY_FAULTS: Readonly<Record<BodyFault, () => HttpError>> = {
  aborted: () => badRequest('Only part of the form was received. Submit it again.'),
  slow_body: () => closeConnection(408, 'Request timed out', 'The form took too long to upload. Submit it again.'),
  too_large: () =>
    closeConnection(413, 'Form too large', 'The form is too large. Go back, shorten the values and submit it again.'),
};

/** Whether the body is a URL-encoded form. The forms of the Dashboard send no other type. */
export function hasFormBody(req: IncomingMessage): boolean {
  return isFormType(req.headers['content-type']);
}

/**
 * Reads the fields of a form. If a body parser of the host app has already read the body, uses `req.body`.
 *
 * @param maxBytes - Maximum size of a body that this function reads. It does not limit `req.body`.
 * @throws HttpError 400 for an invalid form, 408, 413, 415.
 */
export async function readFormBody(req: MaybeParsed, maxBytes: number): Promise<readonly FormPair[]> {
  if (!isUncompressed(req)) {
    throw new HttpError(
      415,
      'Invalid request',
      'The form was compressed, which is not supported. Send it without Content-Encoding.',
    );
  }
  const pairs = req.readableDidRead ? pairsFromHost(req.body) : parsePairs(await readText(req, maxBytes));
  if (pairs === undefined)
    throw badRequest('The form could not be read. Go back, reload the page and submit it again.');
  return pairs;
}

/** Matches characters that browsers always escape in a query or a form: spaces, control characters and non-ASCII. */
const UNESCAPED = /[^\x21-\x7E]/;

/**
 * Parses a query or a form into pairs. Returns `undefined` for a character that browsers always escape, for an invalid
 * escape, and for bytes that are not UTF-8.
 */
export function parsePairs(text: string): readonly FormPair[] | undefined {
  return UNESCAPED.test(text) ? undefined : readPairs(text);
}

async function readText(req: IncomingMessage, maxBytes: number): Promise<string> {
  const body = await readBody(req, { maxBytes, timeoutMs: TIMEOUT_MS });
  if (Buffer.isBuffer(body)) return body.toString('latin1');
  throw BODY_FAULTS[body]();
}

/** @param body - The result of the host app's body parser: the fields, or the text or bytes of the form. */
function pairsFromHost(body: unknown): readonly FormPair[] | undefined {
  if (typeof body === 'string') return parsePairs(body);
  if (Buffer.isBuffer(body)) return parsePairs(body.toString('latin1'));
  if (typeof body !== 'object' || body === null) {
    throw new Error(
      'keyward: another middleware read the request body but did not set req.body; mount the createDashboard() router before that middleware',
    );
  }
  const pairs: FormPair[] = [];
  for (const [name, member] of Object.entries(body)) {
    const values = toValues(member);
    if (values === undefined) return undefined;
    for (const value of values) pairs.push([name, value]);
  }
  return pairs;
}

/**
 * Returns the values of one member of `req.body`. For a repeated field, the parser `qs` makes an array, or an object
 * with the keys 0, 1, 2, ... if there are more values than its `arrayLimit`.
 */
function toValues(member: unknown): readonly string[] | undefined {
  if (typeof member === 'string') return [member];
  if (typeof member !== 'object' || member === null) return undefined;
  const values = Object.entries(member);
  const isList = values.every(([index, value], at) => index === String(at) && typeof value === 'string');
  return isList ? values.map(([, value]) => value) : undefined;
}

function closeConnection(status: number, title: string, message: string): HttpError {
  return new HttpError(status, title, message, { Connection: 'close' });
}
