/** Parses the client ID and secret from the `Basic` scheme (RFC 6749 §2.3.1, RFC 7617). */
import { isUtf8 } from 'node:buffer';
import { formDecode } from './form.js';

/** The ID and secret of a client. */
export interface ClientCredentials {
  readonly id: string;
  readonly secret: string;
}

const BASIC = /^basic +((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\x00-\x1F\x7F]/;

/**
 * Parses client ID and secret from an `Authorization` value. A client must form-encode both (RFC 6749 section 2.3.1).
 * Many clients do not encode them, which makes no difference if both consist of `[A-Za-z0-9_-]`.
 *
 * @returns `undefined` for another scheme; if the value is not `id:secret` in UTF-8 and strict base64; or if the ID or
 *   the secret is empty or has a control character.
 */
export function readBasic(authorization: string): ClientCredentials | undefined {
  const [, encoded] = BASIC.exec(authorization) ?? [];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  if (!isUtf8(bytes) || bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  const id = colon === -1 ? undefined : formDecode(text.slice(0, colon));
  const secret = formDecode(text.slice(colon + 1));
  if (!id || !secret || CONTROL.test(id) || CONTROL.test(secret)) return undefined;
  return { id, secret };
}
