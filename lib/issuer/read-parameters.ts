/** The parameters of a token request, out of its body: of the right type, bounded in size and in time. */
import type { IncomingMessage } from 'node:http';
import { readForm, withoutEmpty } from '../protocol/form.js';
import { TokenRefusal } from './token-refusal.js';

/** The most bytes that a token request may have: some 150 scopes beside the credentials. */
const MAX_BYTES = 8 * 1_024;

// RFC 6749 §3.2 and Appendix B: a form, in UTF-8.
const FORM = /^application\/x-www-form-urlencoded *(?:; *charset *= *(?:utf-8|"utf-8") *)?$/i;

/** A request, as an earlier body parser may have left it. */
export interface MaybeParsed extends IncomingMessage {
  readonly body?: unknown;
}

/**
 * Reads the parameters of a token request. Where the host app has read the body already, what its parser left is taken.
 *
 * @param patience - Milliseconds that the body may take.
 * @throws TokenRefusal for another type, too large a body, too slow a one, and parameters that come twice.
 * @throws Error where something read the body and left nothing of it.
 */
export async function readParameters(req: MaybeParsed, patience: number): Promise<ReadonlyMap<string, string>> {
  const types = valuesOf(req, 'content-type');
  if (types.length !== 1 || !FORM.test(types[0] ?? '')) throw new TokenRefusal('invalid_request', 'media_type');
  const encoding = req.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw new TokenRefusal('invalid_request', 'content_encoding', { status: 415 });
  const parameters = req.readableDidRead ? alreadyRead(req.body) : readForm(await readBody(req, patience));
  if (parameters === undefined) throw new TokenRefusal('invalid_request', 'parameters');
  return parameters;
}

function readBody(req: IncomingMessage, patience: number): Promise<string> {
  if (Number(req.headers['content-length']) > MAX_BYTES) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      req.pause();
      outcome();
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BYTES) settle(() => reject(tooLarge()));
      else chunks.push(chunk);
    };
    const onEnd = () => settle(() => resolve(Buffer.concat(chunks).toString('utf8')));
    const onClose = () => settle(() => reject(new TokenRefusal('invalid_request', 'aborted')));
    const onLate = () => settle(() => reject(new TokenRefusal('invalid_request', 'slow_body', closing(408))));
    const timer = setTimeout(onLate, patience);
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
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

function tooLarge(): TokenRefusal {
  return new TokenRefusal('invalid_request', 'too_large', closing(413));
}

/** The rest of the body is not waited for. */
function closing(status: number) {
  return { status, headers: { Connection: 'close' } };
}
