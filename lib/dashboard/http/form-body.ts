/** Reads the fields of a form from a request body, with limits of size and time. */
import type { IncomingMessage } from 'node:http';
import { type BodyFault, isFormType, type MaybeParsed, readBody } from '../../http/bounded-body.js';
import { type FormPair, readPairs } from '../../protocol/form.js';
import { badRequest, HttpError } from './http-error.js';

/** Enough for about a hundred names of 64 characters and the other fields. The time limit is in milliseconds. */
const BOUNDS = { maxBytes: 16 * 1_024, timeoutMs: 10_000 };

/** After the last two faults, the rest of the body is not read. */
const BODY_FAULTS: Readonly<Record<BodyFault, () => HttpError>> = {
  aborted: () => badRequest('The form did not arrive completely. Send it again.'),
  slow_body: () => closing(408, 'Too slow', 'The form took too long to arrive. Send it again.'),
  too_large: () => closing(413, 'Too large', 'The form is larger than 16 KiB. Shorten its values and send it again.'),
};

/** Whether a request has the content type of a form. Other sites can send some other types without a preflight. */
export function hasFormBody(req: IncomingMessage): boolean {
  return isFormType(req.headers['content-type']);
}

/**
 * Reads the fields of a form. If the host app has already parsed the body, its result is used.
 *
 * @throws HttpError 400 for an invalid form, 408, 413, 415.
 */
export async function readFormBody(req: MaybeParsed): Promise<readonly FormPair[]> {
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new HttpError(415, 'Bad request', 'The form was sent compressed, which is not supported.');
  }
  const pairs = req.readableDidRead ? parsedByHost(req.body) : pairsOf(await readText(req));
  if (pairs === undefined) throw badRequest('The form could not be read. Go back, reload the page and send it again.');
  return pairs;
}

/** Characters that a browser always escapes. */
const UNESCAPED = /[^\x21-\x7E]/;

/**
 * Parses the pairs of a query or a form. Returns `undefined` if a character is not escaped that browsers always escape,
 * if an escape is invalid, or if the bytes are not UTF-8.
 */
export function pairsOf(text: string): readonly FormPair[] | undefined {
  return UNESCAPED.test(text) ? undefined : readPairs(text);
}

async function readText(req: IncomingMessage): Promise<string> {
  const body = await readBody(req, BOUNDS);
  if (Buffer.isBuffer(body)) return body.toString('latin1');
  throw BODY_FAULTS[body]();
}

/** The result of a body parser: an object with strings or lists, or the text or bytes of the form. */
function parsedByHost(body: unknown): readonly FormPair[] | undefined {
  if (typeof body === 'string') return pairsOf(body);
  if (Buffer.isBuffer(body)) return pairsOf(body.toString('latin1'));
  if (typeof body !== 'object' || body === null) {
    throw new Error(
      'keyward: a middleware read the body of the form and did not set req.body; mount createDashboard before it',
    );
  }
  const pairs: FormPair[] = [];
  for (const [name, member] of Object.entries(body)) {
    const values = valuesOf(member);
    if (values === undefined) return undefined;
    for (const value of values) pairs.push([name, value]);
  }
  return pairs;
}

/** `qs` makes a list of a repeated field, and an object with numbers as names from 21 values on. */
function valuesOf(member: unknown): readonly string[] | undefined {
  if (typeof member === 'string') return [member];
  if (typeof member !== 'object' || member === null) return undefined;
  const values = Object.entries(member);
  const isList = values.every(([index, value], at) => index === String(at) && typeof value === 'string');
  return isList ? values.map(([, value]) => value) : undefined;
}

function closing(status: number, title: string, message: string): HttpError {
  return new HttpError(status, title, message, { Connection: 'close' });
}
