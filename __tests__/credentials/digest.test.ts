import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digestOf, digestsEqual } from '../../lib/credentials/digest.js';
import { anyCharacter } from '../support/any-character.js';
import { law } from '../support/law.js';

describe('digestOf', () => {
  // FIPS 180-2, appendix B, and the empty text.
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('is SHA-256 in lowercase hex: %j', (text, digest) => {
    expect(digestOf(text)).toBe(digest);
  });

  law('takes the bytes of a text as UTF-8', () =>
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(digestOf(text)).toBe(createHash('sha256').update(Buffer.from(text, 'utf8')).digest('hex'));
    }),
  );
});

describe('digestsEqual', () => {
  const digest = digestOf('a');

  it('says that a digest equals itself', () => {
    expect(digestsEqual(digest, digestOf('a'))).toBe(true);
  });

  it.each([
    ['another digest', digestOf('b')],
    ['the first digit changed', `0${digest.slice(1)}`],
    ['the last digit changed', `${digest.slice(0, -1)}0`],
    ['one digit less', digest.slice(0, -1)],
    ['one digit more', `${digest}0`],
    ['nothing', ''],
    ['capitals', digest.toUpperCase()],
  ])('says that a digest does not equal %s', (_name, other) => {
    expect(digestsEqual(digest, other)).toBe(false);
    expect(digestsEqual(other, digest)).toBe(false);
  });
});
