import { describe, expect, it } from '@jest/globals';
import { EVERY_UNPRINTABLE } from '../../lib/management/invisible-characters.js';

describe('EVERY_UNPRINTABLE', () => {
  it('matches each invisible character, and one beyond U+FFFF as a whole', () => {
    expect('a\u200bb\u{e0041}c\u0000'.replace(EVERY_UNPRINTABLE, '?')).toBe('a?b?c?');
  });
});
