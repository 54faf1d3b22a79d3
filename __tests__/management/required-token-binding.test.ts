import { describe, expect, it } from '@jest/globals';
import { readConfirmation, toConfirmation } from '../../lib/management/keys/required-token-binding.js';
import { refusing } from '../support/managed.js';
import { keyRow } from '../support/stored-rows.js';

describe('requireConfirmation', () => {
  const row = keyRow({ kind: 'access', require_confirmation: 'dpop' });

  it.each([
    ['mtls', 'mtls'],
    ['dpop', 'dpop'],
    [true, 'any'],
    [null, null],
    [undefined, 'dpop'],
  ])('%p is stored as %p', (given, column) => {
    expect(readConfirmation(given, row)).toBe(column);
  });

  it('is not required for a new key by default', () => {
    expect(readConfirmation(undefined, undefined)).toBeNull();
  });

  it.each(['any', 'both', false, 1])('cannot be %p', (given) => {
    expect(() => readConfirmation(given, row)).toThrow(refusing(400, 'invalid', 'requireConfirmation'));
    expect(() => readConfirmation(given, row)).toThrow('requireConfirmation: expected "dpop", "mtls", true or null');
  });

  it.each([
    ['any', true],
    ['dpop', 'dpop'],
    ['mtls', 'mtls'],
    [null, null],
  ] as const)('the column %p is shown as %p', (require_confirmation, shown) => {
    expect(toConfirmation(keyRow({ require_confirmation }))).toBe(shown);
  });
});
