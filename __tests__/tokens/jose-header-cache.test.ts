import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readSegment } from '../../lib/protocol/compact-jws.js';
import { joseHeaderReader } from '../../lib/tokens/jose-header-cache.js';
import { law } from '../support/law.js';

const encode = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding).toString('base64url');
const segmentOf = (value: unknown) => encode(JSON.stringify(value));
const header = (kid: string) => segmentOf({ alg: 'ES256', kid });

describe('joseHeaderReader', () => {
  it.each([
    ['nothing', ''],
    ['no JSON', encode('{')],
    ['no object', segmentOf(['ES256'])],
    ['a name that comes twice', encode('{"alg":"none","alg":"ES256"}')],
    ['what is not UTF-8', encode('{"alg":"\xe9"}', 'latin1')],
    ['a header with a pad', `${encode('{"a":1}')}=`],
  ])('refuses %s, each time', (_, segment) => {
    const read = joseHeaderReader();
    expect([read(segment), read(segment)]).toEqual([undefined, undefined]);
  });

  it('returns one frozen header for all tokens with the same start', () => {
    const read = joseHeaderReader();
    const value = { alg: 'ES256', kid: 'one', more: { of: ['it'] } };
    const first = read(segmentOf(value)) as { more: { of: string[] } };
    expect(read(segmentOf(value))).toBe(first);
    expect(first).toEqual(value);
    expect([first, first.more, first.more.of].map(Object.isFrozen)).toEqual([true, true, true]);
  });

  it('treats different bytes as different headers', () => {
    const read = joseHeaderReader();
    const [plain, escaped] = [encode('{"kid":"é"}'), encode(String.raw`{"kid":"\u00e9"}`)];
    expect(read(plain)).toEqual(read(escaped));
    expect(read(plain)).not.toBe(read(escaped));
    expect(read(encode('{"kid":"é"}', 'latin1'))).toBeUndefined();
  });

  it('evicts the least recently used after a hundred others', () => {
    const read = joseHeaderReader();
    const [first, second] = [read(header('first')), read(header('second'))];
    for (let i = 0; i < 98; i += 1) read(header(`other ${i}`));
    expect(read(header('first'))).toBe(first);
    read(header('one more'));
    expect(read(header('first'))).toBe(first);
    expect(read(header('second'))).toEqual(second);
    expect(read(header('second'))).not.toBe(second);
  });

  it('does not cache a header of more than 683 characters (512 bytes), but freezes it too', () => {
    const read = joseHeaderReader();
    const [short, long] = [512, 513].map((bytes) => header('k'.repeat(bytes - '{"alg":"ES256","kid":""}'.length)));
    expect([short?.length, long?.length]).toEqual([683, 684]);
    expect(read(short ?? '')).toBe(read(short ?? ''));
    expect(read(long ?? '')).toEqual(read(long ?? ''));
    expect(read(long ?? '')).not.toBe(read(long ?? ''));
    expect(Object.isFrozen(read(long ?? ''))).toBe(true);
  });

  law('reads what readSegment reads, whatever it has read before', () => {
    const read = joseHeaderReader();
    const texts = fc.oneof(fc.json(), fc.constantFrom('{"a":1}', '{"a":1,"a":1}', '{"a":"\u00e9"}', '{}', '{"a":'));
    const encodings = fc.constantFrom<BufferEncoding[]>('utf8', 'latin1');
    const ends = fc.constantFrom('', '', '', '=', 'A');
    return fc.property(texts, encodings, ends, (text, encoding, end) => {
      const segment = encode(text, encoding) + end;
      expect(read(segment)).toEqual(readSegment(segment));
    });
  });
});
