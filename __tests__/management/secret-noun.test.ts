import { describe, expect, it } from '@jest/globals';
import { secretNoun } from '../../lib/management/keys/secret-noun.js';

describe('what a sentence calls the secret of a key', () => {
  it.each([
    ['secret', 'secret'],
    ['public', 'public key'],
    ['access', 'client secret'],
  ] as const)('of the kind %s: %s', (kind, noun) => {
    expect(secretNoun({ kind })).toBe(noun);
  });
});
