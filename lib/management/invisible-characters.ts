/**
 * Matches a character that people cannot see: a control character, a lone surrogate, or a character that is invisible
 * or changes the text direction. Two names that differ only in it would look equal, so management refuses it in names.
 * Pages and the command line show its code point instead. It does not match U+FE0F in an emoji, where keyboards add it:
 * after a pictograph, and before U+20E3 in a keycap. U+2800 is the blank Braille pattern.
 */
export const UNPRINTABLE =
  /(?!(?<=\p{Extended_Pictographic})\uFE0F|\uFE0F\u20E3)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Matches all characters of `UNPRINTABLE`, for `replace`. Do not use it with `test`: a global expression starts where
 * its last match ended.
 */
export const EVERY_UNPRINTABLE: RegExp = new RegExp(UNPRINTABLE.source, 'gu');
