/** The headers of JWS: all tokens of an issuer's key begin with one, so it is read once. */
import { LRUCache } from 'lru-cache';
import { type JsonObject, parseJsonObject } from '../protocol/json-object.js';
import { deepFreeze } from './deep-freeze.js';

/** Reads the bytes of a header, as `parseJsonObject` does; what it returns may be shared with other tokens. */
export type ReadHeader = (bytes: Buffer) => JsonObject | undefined;

/** Headers that are remembered: of a flood of different ones no more than this is kept. */
const MOST = 100;
const MAX_BYTES = 512;

export function headerReader(): ReadHeader {
  const met = new LRUCache<string, JsonObject>({ max: MOST });

  return function readHeader(bytes) {
    // A character a byte, and a text of its own: one that was cut out of the credential would keep the whole of it.
    const text = bytes.toString('latin1');
    const known = met.get(text);
    if (known !== undefined) return known;
    const header = parseJsonObject(bytes);
    if (header !== undefined && bytes.length <= MAX_BYTES) met.set(text, header);
    return deepFreeze(header);
  };
}
