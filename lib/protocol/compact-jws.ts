/**
 * Parses a JWS in compact serialization (RFC 7515 section 7.1) strictly, before its signature is verified.
 *
 * Many base64url decoders are lenient: they accept `=`, white space, and last characters whose unused bits are not zero
 * (RFC 4648 section 3.5). One token then has many spellings. This evades a block list or a cache that compares tokens,
 * so this decoder accepts only one spelling.
 *
 * It cannot do this for ECDSA signatures: if (r, s) is valid, (r, n - s) is valid too, where n is the order of the
 * curve. So anyone can write a token with an ECDSA signature in a second way.
 */
import { type JsonObject, parseJsonObject } from './strict-json.js';

/** A JWS with valid syntax. Neither its signature nor its claims are verified. */
export interface CompactJws {
  readonly compact: string;
  readonly header: JsonObject;
  readonly payload: JsonObject;
  readonly signature: Buffer;
}

/**
 * Parses the header segment, by the rules of `readSegment`. It may use a cache, which returns the same object for
 * tokens with equal headers.
 */
export type ReadJoseHeader = (segment: string) => JsonObject | undefined;

/**
 * Parses a JWS whose payload is a JSON object.
 *
 * @param readJoseHeader - Parses the header segment, by the rules of `readSegment`.
 * @returns `undefined` if the text does not have three segments; if one of them is empty or not strictly encoded; or if
 *   header or payload is not a JSON object that `parseJsonObject` accepts.
 */
export function readCompactJws(compact: string, readJoseHeader: ReadJoseHeader = readSegment): CompactJws | undefined {
  const segments = compact.split('.', 4);
  if (segments.length !== 3) return undefined;
  const [protectedHeader, claims, last] = segments as [string, string, string];
  const header = readJoseHeader(protectedHeader);
  const payload = header && readSegment(claims);
  const signature = payload && decode(last);
  return signature && { compact, header, payload, signature };
}

/**
 * Parses the JSON object of a segment; `undefined` if the segment is empty, is not strictly encoded, or is not a JSON
 * object that `parseJsonObject` accepts.
 */
export function readSegment(segment: string): JsonObject | undefined {
  const bytes = decode(segment);
  return bytes && parseJsonObject(bytes);
}

/** Decodes a segment; `undefined` if it is empty, or if encoding the bytes again does not give the same segment. */
function decode(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === segment ? bytes : undefined;
}
