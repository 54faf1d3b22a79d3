import { describe, expect, it } from '@jest/globals';
import { createManagement } from 'keyward/management';
import { hostile, managed } from '../support/managed.js';

describe('createManagement', () => {
  const at = managed('memory');

  it('refuses a store in the place of options', () => {
    expect(() => createManagement(hostile(at.store))).toThrow(
      new TypeError('createManagement: expected options like { store }, got the store itself'),
    );
  });

  it.each([
    [undefined, 'createManagement: expected an options object'],
    [{ resolveKey: true }, 'createManagement: unknown option "resolveKey"'],
  ])('refuses the options %p', (options, message) => {
    expect(() => createManagement(hostile(options))).toThrow(message);
  });
});
