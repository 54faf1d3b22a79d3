import { describe, expect, it } from '@jest/globals';
import { readRevokedTokens } from '../../../lib/credentials/records/read-revoked-tokens.js';
import { RecordError } from '../../../lib/credentials/records/record-error.js';

const read = (value: unknown) => readRevokedTokens('revokedTokens', value);

describe('readRevokedTokens', () => {
  it('reads a list of the IDs of tokens', () => {
    const revoked = read(['t1', 't2']);
    expect(['t1', 't2', 't3'].map((jti) => revoked.has(jti))).toEqual([true, true, false]);
    expect(read([]).has('t1')).toBe(false);
  });

  it('returns a Set, or another object with `has`, as it is', () => {
    const own = { has: (jti: string) => jti === 't1' };
    const set = new Set(['t1']);
    expect([read(own), read(set)]).toEqual([own, set]);
    expect(read(own)).toBe(own);
    expect(read(set)).toBe(set);
  });

  it('reads 100,000 tokens, and refuses one more', () => {
    const tokens = Array.from({ length: 100_001 }, (_, index) => `t${index}`);
    expect(read(tokens.slice(1)).has('t100000')).toBe(true);
    expect(() => read(tokens)).toThrow(RecordError);
  });

  it.each([
    ['null', null],
    ['a text', 't1'],
    ['a function', Object.assign(() => 1, { has: () => true })],
    ['an object without `has`', {}],
    ['an object whose `has` is no function', { has: true }],
    ['a list of which one is no text', ['t1', 1]],
    ['a list that has the function `has`', Object.assign([1], { has: () => true })],
  ])('refuses %s', (_name, value) => {
    expect(() => read(value)).toThrow(
      new RecordError('revokedTokens: expected a list of at most 100000 strings, or a Set'),
    );
  });
});
