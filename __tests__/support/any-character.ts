import fc from 'fast-check';

/**
 * Any character of Unicode, as the unit of `fc.string`. The unit `binary` of fast-check draws the same characters, but first makes a
 * map of all of them, which takes a second in each test file.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
