import { describe, expect, it } from '@jest/globals';
import { auditNounOf, readKeyId, subjectOf } from '../../lib/management/keys/read-key-id.js';

const [KEY, ACCESS_KEY] = [`key_${'a'.repeat(26)}`, `ack_${'a'.repeat(26)}`];

describe('the id of a key', () => {
  it('is invalid with NUL', () => {
    expect(() => readKeyId('id', 'key_\0')).toThrow('id: expected a string without NUL characters');
  });

  it.each([KEY, ACCESS_KEY])('is the subject of an audit entry: %s', (id) => {
    expect(subjectOf(id)).toBe(id);
  });

  it.each<[unknown]>([[`x${KEY}`], [`${KEY}x`], [[KEY]], [undefined], ['key_1']])(
    'may be a credential, and is no subject: %p',
    (id) => {
      expect(subjectOf(id)).toBeUndefined();
    },
  );

  it.each([
    [KEY, 'key'],
    [ACCESS_KEY, 'access_key'],
    ['ack_1', 'key'],
    [undefined, 'key'],
  ])('%p has the noun %s', (id, noun) => {
    expect(auditNounOf(id)).toBe(noun);
  });
});
