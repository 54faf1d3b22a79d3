/** The headers of JWS: all tokens of an issuer's key begin with one, so it is read once. */
import { LRUCache } from 'lru-cache';
import { readSegment } from '../protocol/compact-jws.js';
import type { JsonObject } from '../protocol/json-object.js';
import { deepFreeze } from './deep-freeze.js';

/** Reads the segment of a header, as `readSegment` does; what it returns may be shared with other tokens. */
export type ReadHeader = (segment: string) => JsonObject | undefined;

/** Headers that are remembered: of a flood of different ones no more than this is kept. */
const MOST = 100;
/** Characters: 512 bytes. */
const MAX_LENGTH = 683;

export function headerReader(): ReadHeader {
  const met = new LRUCache<string, JsonObject>({ max: MOST });

  return function readHeader(segment) {
    const known = met.get(segment);
    if (known !== undefined) return known;
    const header = readSegment(segment);
    // A text of its own: one that was cut out of the credential would keep the whole of it.
    if (header !== undefined && segment.length <= MAX_LENGTH) met.set(Buffer.from(segment).toString(), header);
    return deepFreeze(header);
  };
}
