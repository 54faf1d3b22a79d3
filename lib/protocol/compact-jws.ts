/**
 * The text of a JWS in compact serialisation (RFC 7515 §7.1), read strictly before any cryptography sees it.
 *
 * Base64url decoders are lenient: many take `=`, white space, and last characters whose unused bits are not zero
 * (RFC 4648 §3.5). Then several texts are one token, and whatever is keyed by the text can be evaded. Here a token has
 * one text.
 */
import { type JsonObject, parseJsonObject } from './json-object.js';

/** A JWS that has kept every rule of its text. Nothing in it is verified. */
export interface CompactJws {
  readonly compact: string;
  readonly header: JsonObject;
  readonly payload: JsonObject;
  readonly signature: Buffer;
}

/**
 * Reads the text of a JWS whose payload is a JSON object; `undefined` where it breaks a rule.
 *
 * @param readHeader - Reads the segment of the header, by the same rules.
 */
export function readCompactJws(compact: string, readHeader = readSegment): CompactJws | undefined {
  const segments = compact.split('.', 4);
  if (segments.length !== 3) return undefined;
  const [protectedHeader, claims, last] = segments as [string, string, string];
  const header = readHeader(protectedHeader);
  const payload = header && readSegment(claims);
  const signature = payload && decode(last);
  return signature && { compact, header, payload, signature };
}

/** The JSON object that a segment is the one text of. */
export function readSegment(segment: string): JsonObject | undefined {
  const bytes = decode(segment);
  return bytes && parseJsonObject(bytes);
}

/** The bytes of a segment, where it is the one text that they are written as. */
function decode(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === segment ? bytes : undefined;
}
