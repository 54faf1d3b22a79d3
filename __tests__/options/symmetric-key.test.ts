import { describe, expect, it } from '@jest/globals';
import { parseSymmetricKey } from '../../lib/options/symmetric-key.js';

const BYTES = Buffer.alloc(32, 0xfb);

describe('a key of 32 bytes', () => {
  it.each<[string, unknown]>([
    ['a Buffer', BYTES],
    ['a Uint8Array', Uint8Array.from(BYTES)],
    ['base64url', BYTES.toString('base64url')],
    ['base64url with padding', `${BYTES.toString('base64url')}=`],
  ])('is read from %s', (_what, value) => {
    expect(parseSymmetricKey(value)).toEqual(Uint8Array.from(BYTES));
  });

  it('is a copy', () => {
    const given = Uint8Array.from(BYTES);
    const key = parseSymmetricKey(given);
    given.fill(0);
    expect(key).toEqual(Uint8Array.from(BYTES));
  });

  it.each<[string, unknown]>([
    ['31 bytes', BYTES.subarray(1)],
    ['33 bytes', Buffer.alloc(33)],
    ['42 characters', BYTES.toString('base64url').slice(1)],
    ['44 characters', `${BYTES.toString('base64url')}A`],
    ['base64', BYTES.toString('base64').replace('=', '')],
    ['hex', BYTES.toString('hex')],
    ['a space at the start', ` ${BYTES.toString('base64url')}`],
    ['a String object', Object(BYTES.toString('base64url'))],
    ['a line feed at the end', `${BYTES.toString('base64url')}\n`],
    ['a list of numbers', [...BYTES]],
    ['an ArrayBuffer', new ArrayBuffer(32)],
    ['nothing', undefined],
    ['null', null],
  ])('is not %s', (_what, value) => {
    expect(parseSymmetricKey(value)).toBeUndefined();
  });
});
