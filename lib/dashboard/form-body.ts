/** The fields of a form, out of the body of a request: bounded in size and in time. */
import type { IncomingMessage } from 'node:http';
import { type BodyFault, isFormType, type MaybeParsed, readBody } from '../issuer/bounded-body.js';
import { type FormPair, readPairs } from '../protocol/form.js';
import { badRequest, Refusal } from './refusal.js';

/** Some hundred names of 64 characters beside the rest; milliseconds. */
const BOUNDS = { maxBytes: 16 * 1_024, patience: 10_000 };

/** After the last two the rest of the body is not waited for. */
const BODY_FAULTS: Readonly<Record<BodyFault, () => Refusal>> = {
  aborted: () => badRequest('The form was cut off.'),
  slow_body: () => closing(408, 'Too slow', 'The form took too long to arrive.'),
  too_large: () => closing(413, 'Too large', 'The form is larger than any that this page sends.'),
};

/** Whether a request says that it brings a form. Pages of other sites can send some other types without being asked. */
export function bringsForm(req: IncomingMessage): boolean {
  return isFormType(req.headers['content-type']);
}

/**
 * Reads the fields of a form. Where the host app has read the body already, what its parser left is taken.
 *
 * @throws Refusal 400 for what is no form, 408, 413, 415.
 */
export async function readFormBody(req: MaybeParsed): Promise<readonly FormPair[]> {
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity') {
    throw new Refusal(415, 'Not understood', 'The form was sent compressed.');
  }
  const pairs = req.readableDidRead ? alreadyRead(req.body) : pairsOf(await readText(req));
  if (pairs === undefined) throw badRequest('The form could not be read.');
  return pairs;
}

/** What a browser escapes never stands there as it is. */
const UNESCAPED = /[^\x21-\x7E]/;

/** Reads the pairs of a query or a form; `undefined` where an escape is broken or the bytes are not UTF-8. */
export function pairsOf(text: string): readonly FormPair[] | undefined {
  return UNESCAPED.test(text) ? undefined : readPairs(text);
}

async function readText(req: IncomingMessage): Promise<string> {
  const body = await readBody(req, BOUNDS);
  if (Buffer.isBuffer(body)) return body.toString('latin1');
  throw BODY_FAULTS[body]();
}

/** What a body parser left: members with a text or several, or the text or bytes of the form. */
function alreadyRead(body: unknown): readonly FormPair[] | undefined {
  if (typeof body === 'string') return pairsOf(body);
  if (Buffer.isBuffer(body)) return pairsOf(body.toString('latin1'));
  if (typeof body !== 'object' || body === null) {
    throw new Error('keyward: the body of the form was read before createDashboard saw it, and nothing is left');
  }
  const pairs: FormPair[] = [];
  for (const [name, member] of Object.entries(body)) {
    const values = valuesOf(member);
    if (values === undefined) return undefined;
    for (const value of values) pairs.push([name, value]);
  }
  return pairs;
}

/** `qs` makes a list of a field that comes twice, and from 21 values on an object by their numbers. */
function valuesOf(member: unknown): readonly string[] | undefined {
  if (typeof member === 'string') return [member];
  if (typeof member !== 'object' || member === null) return undefined;
  const values = Object.entries(member);
  const isList = values.every(([index, value], at) => index === String(at) && typeof value === 'string');
  return isList ? values.map(([, value]) => value) : undefined;
}

function closing(status: number, title: string, message: string): Refusal {
  return new Refusal(status, title, message, { Connection: 'close' });
}
