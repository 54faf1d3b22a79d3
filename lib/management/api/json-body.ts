/** Reads the body of a request of the management API: one JSON object of limited size, within a time limit. */
import { type BodyFault, isUncompressed, type MaybeParsed, readBody, utf8MediaType } from '../../http/bounded-body.js';
import { type JsonObject, parseJsonObject } from '../../protocol/strict-json.js';
import { ProblemError } from './problem.js';

const MAX_BYTES = 64 * 1_024;
const BOUNDS = { maxBytes: MAX_BYTES, timeoutMs: 10_000 };
const EMPTY: JsonObject = Object.freeze({});

/**
 * The error for each reason why a body cannot be read. After `slow_body` and `too_large`, the connection is closed: the
 * client may still be sending, and nobody reads the rest of the body.
 */
const BODY_FAULTS: Readonly<Record<BodyFault, () => ProblemError>> = {
  aborted: () => invalidBody('the connection was closed before the whole body arrived'),
  slow_body: () => new ProblemError(408, 'slow_body', 'the body took too long to arrive', { Connection: 'close' }),
  too_large: () =>
    new ProblemError(413, 'too_large', `the body is larger than ${MAX_BYTES} bytes`, { Connection: 'close' }),
};

/**
 * Reads the body of a request. A request without a body gives an empty object, but its content type is still checked if
 * it has one: an HTML form of another site can send an empty POST, with the content type of a form. If the app has
 * already parsed the body, `req.body` is used.
 *
 * @param types - The media types that are accepted.
 * @throws ProblemError 400, 408, 413, 415
 */
export async function readJsonBody(req: MaybeParsed, types: readonly string[]): Promise<JsonObject> {
  if (!hasBody(req) && req.headers['content-type'] === undefined) return EMPTY;
  const type = utf8MediaType(req.headers['content-type']);
  if (types.every((accepted) => accepted !== type) || !isUncompressed(req)) {
    const expected = `expected an uncompressed UTF-8 body with the media type ${types.join(' or ')}`;
    throw new ProblemError(415, 'unsupported_media_type', expected, {
      Accept: types.join(', '),
      Connection: 'close',
    });
  }
  if (!hasBody(req)) return EMPTY;
  const bytes = req.readableDidRead ? alreadyRead(req.body) : await readBody(req, BOUNDS);
  if (!Buffer.isBuffer(bytes)) throw BODY_FAULTS[bytes]();
  if (bytes.length > MAX_BYTES) throw BODY_FAULTS.too_large();
  const body = parseJsonObject(bytes);
  if (body === undefined) throw noJsonObject();
  return body;
}

function hasBody({ headers }: MaybeParsed): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function alreadyRead(body: unknown): Buffer {
  if (body === undefined) {
    throw new Error(
      'keyward: another middleware read the request body but did not set req.body; mount the createManagementApi() router before that middleware',
    );
  }
  if (Buffer.isBuffer(body)) return body;
  try {
    return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  } catch {
    // JSON.stringify throws for thousands of nested levels, which JSON.parse has accepted.
    throw noJsonObject();
  }
}

function noJsonObject(): ProblemError {
  return invalidBody('expected one JSON object, at most 32 levels deep, without duplicate members');
}

function invalidBody(detail: string): ProblemError {
  return new ProblemError(400, 'invalid', detail);
}
