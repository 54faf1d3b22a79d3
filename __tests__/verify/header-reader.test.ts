import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJsonObject } from '../../lib/protocol/json-object.js';
import { headerReader } from '../../lib/verify/header-reader.js';
import { law } from '../support/law.js';

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));
const header = (kid: string) => bytesOf({ alg: 'ES256', kid });

describe('headerReader', () => {
  it.each([
    ['no JSON', Buffer.from('{')],
    ['no object', bytesOf(['ES256'])],
    ['a name that comes twice', Buffer.from('{"alg":"none","alg":"ES256"}')],
    ['what is not UTF-8', Buffer.from('{"alg":"\xe9"}', 'latin1')],
  ])('reads nothing of %s, however often it comes', (_, bytes) => {
    const read = headerReader();
    expect([read(bytes), read(bytes)]).toEqual([undefined, undefined]);
  });

  it('gives all that begin alike one header, which nobody can change', () => {
    const read = headerReader();
    const bytes = bytesOf({ alg: 'ES256', kid: 'one', more: { of: ['it'] } });
    const first = read(bytes) as { more: { of: string[] } };
    expect(read(Buffer.from(bytes))).toBe(first);
    expect(first).toEqual(JSON.parse(bytes.toString()));
    expect([first, first.more, first.more.of].map(Object.isFrozen)).toEqual([true, true, true]);
  });

  it('takes bytes that differ for different headers', () => {
    const read = headerReader();
    const [plain, escaped] = [Buffer.from('{"kid":"é"}'), Buffer.from(String.raw`{"kid":"\u00e9"}`)];
    expect(read(plain)).toEqual(read(escaped));
    expect(read(plain)).not.toBe(read(escaped));
    expect(read(Buffer.from('{"kid":"é"}', 'latin1'))).toBeUndefined();
  });

  it('forgets the one that was not met for longest when it is given a hundred others', () => {
    const read = headerReader();
    const [first, second] = [read(header('first')), read(header('second'))];
    for (let i = 0; i < 98; i += 1) read(header(`other ${i}`));
    expect(read(header('first'))).toBe(first);
    read(header('one more'));
    expect(read(header('first'))).toBe(first);
    expect(read(header('second'))).toEqual(second);
    expect(read(header('second'))).not.toBe(second);
  });

  it('does not remember one of more than 512 bytes, which it freezes too', () => {
    const read = headerReader();
    const of = (length: number) => header('k'.repeat(length - header('').length));
    expect([of(512).length, of(513).length]).toEqual([512, 513]);
    expect(read(of(512))).toBe(read(of(512)));
    expect(read(of(513))).toEqual(read(of(513)));
    expect(read(of(513))).not.toBe(read(of(513)));
    expect(Object.isFrozen(read(of(513)))).toBe(true);
  });

  law('reads what parseJsonObject reads, whatever it has read before', () => {
    const read = headerReader();
    const texts = fc.oneof(fc.json(), fc.constantFrom('{"a":1}', '{"a":1,"a":1}', '{"a":"\u00e9"}', '{}', '{"a":'));
    const encodings = fc.constantFrom<BufferEncoding[]>('utf8', 'latin1');
    return fc.property(texts, encodings, (text, encoding) => {
      const bytes = Buffer.from(text, encoding);
      expect(read(bytes)).toEqual(parseJsonObject(bytes));
    });
  });
});
