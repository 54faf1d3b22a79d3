/** The parameters of a token request, out of its body: of the right type, bounded in size and in time. */
import type { IncomingMessage } from 'node:http';
import { readForm, withoutEmpty } from '../protocol/form.js';
import { type BodyFault, isFormType, type MaybeParsed, readBody } from './bounded-body.js';
import { TokenRefusal } from './token-refusal.js';

/** The most bytes that a token request may have: some 150 scopes beside the credentials. */
const MAX_BYTES = 8 * 1_024;

/** What HTTP says of them. After the last two the rest of the body is not waited for. */
const BODY_FAULTS: Readonly<Record<BodyFault, { status?: number; headers?: Record<string, string> }>> = {
  aborted: {},
  slow_body: { status: 408, headers: { Connection: 'close' } },
  too_large: { status: 413, headers: { Connection: 'close' } },
};

/**
 * Reads the parameters of a token request. Where the host app has read the body already, what its parser left is taken.
 *
 * @param patience - Milliseconds that the body may take.
 * @throws TokenRefusal for another type, too large a body, too slow a one, and parameters that come twice.
 * @throws Error where something read the body and left nothing of it.
 */
export async function readParameters(req: MaybeParsed, patience: number): Promise<ReadonlyMap<string, string>> {
  const types = valuesOf(req, 'content-type');
  if (types.length !== 1 || !isFormType(types[0])) throw new TokenRefusal('invalid_request', 'media_type');
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new TokenRefusal('invalid_request', 'content_encoding', { status: 415 });
  const parameters = req.readableDidRead ? alreadyRead(req.body) : readForm(await readText(req, patience));
  if (parameters === undefined) throw new TokenRefusal('invalid_request', 'parameters');
  return parameters;
}

async function readText(req: IncomingMessage, patience: number): Promise<string> {
  const body = await readBody(req, { maxBytes: MAX_BYTES, patience });
  if (Buffer.isBuffer(body)) return body.toString('utf8');
  throw new TokenRefusal('invalid_request', body, BODY_FAULTS[body]);
}

/** What a body parser left: a form's members, each a text unless it came twice, or the text or bytes of the form. */
function alreadyRead(body: unknown): ReadonlyMap<string, string> | undefined {
  if (typeof body === 'string') return readForm(body);
  if (Buffer.isBuffer(body)) return readForm(body.toString('utf8'));
  if (typeof body !== 'object' || body === null) {
    throw new Error('keyward: the body of the token request was read before createIssuer saw it, and nothing is left');
  }
  const members = Object.entries(body);
  const isText = (member: [string, unknown]): member is [string, string] => typeof member[1] === 'string';
  return members.every(isText) ? withoutEmpty(members) : undefined;
}

function valuesOf(req: IncomingMessage, name: string): readonly string[] {
  return req.rawHeaders.filter((_value, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name);
}
