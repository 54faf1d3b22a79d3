/**
 * Caches the parsed headers of tokens. Tokens that are signed with the same key usually have the same header, so it is
 * parsed only once.
 */
import { LRUCache } from 'lru-cache';
import { type ReadJoseHeader, readSegment } from '../protocol/compact-jws.js';
import type { JsonObject } from '../protocol/strict-json.js';
import { deepFreeze } from '../protocol/strict-json.js';

/** Maximum cached headers, so that a flood of different headers cannot fill the memory. */
const MAX_HEADERS = 100;
/** Maximum characters of a cached header: 512 bytes in base64url. A longer header is parsed each time. */
const MAX_LENGTH = 683;

export function joseHeaderReader(): ReadJoseHeader {
  const met = new LRUCache<string, JsonObject>({ max: MAX_HEADERS });

  return function readJoseHeader(segment) {
    const known = met.get(segment);
    if (known !== undefined) return known;
    const header = readSegment(segment);
    // The segment is copied, because a slice of the credential would keep the whole credential in memory.
    if (header !== undefined && segment.length <= MAX_LENGTH) met.set(Buffer.from(segment).toString(), header);
    return deepFreeze(header);
  };
}
