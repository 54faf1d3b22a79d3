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
 * @param readHeader - Reads the bytes of the header, by the same rules.
 */
export function readCompactJws(compact: string, readHeader = parseJsonObject): CompactJws | undefined {
  const segments = compact.split('.', 4);
  if (segments.length !== 3) return undefined;
  const [protectedHeader, claims, signature] = segments.map(decode);
  if (protectedHeader === undefined || claims === undefined || signature === undefined) return undefined;
  const header = readHeader(protectedHeader);
  if (header === undefined) return undefined;
  const payload = parseJsonObject(claims);
  if (payload === undefined) return undefined;
  return { compact, header, payload, signature };
}

/** The bytes of a segment, where it is the one text that they are written as. */
function decode(segment: string): Buffer | undefined {
  const bytes = Buffer.from(segment, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === segment ? bytes : undefined;
}
