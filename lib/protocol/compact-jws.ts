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
}

const CANONICAL_BASE64URL = /^(?:[\w-]{4})*(?:[\w-][AQgw]|[\w-]{2}[AEIMQUYcgkosw048])?$/;

/** Reads the text of a JWS whose payload is a JSON object; `undefined` where it breaks a rule. */
export function readCompactJws(compact: string): CompactJws | undefined {
  const segments = compact.split('.', 4);
  if (segments.length !== 3) return undefined;
  const [protectedHeader, claims, signature] = segments;
  if (!isCanonical(protectedHeader) || !isCanonical(claims) || !isCanonical(signature)) return undefined;
  const header = parseJsonObject(Buffer.from(protectedHeader, 'base64url'));
  if (header === undefined) return undefined;
  const payload = parseJsonObject(Buffer.from(claims, 'base64url'));
  if (payload === undefined) return undefined;
  return { compact, header, payload };
}

function isCanonical(segment: string | undefined): segment is string {
  return segment !== undefined && segment !== '' && CANONICAL_BASE64URL.test(segment);
}
