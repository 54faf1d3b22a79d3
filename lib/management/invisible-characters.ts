/**
 * Matches a character that people cannot see: a control character, a lone surrogate, or a character that is invisible
 * or changes the text direction. Two names that differ only in it would look equal, so management refuses it in names.
 * Pages and the command line show its code point instead.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/u;

/**
 * Matches all characters of `UNPRINTABLE`, for `replace`. Do not use it with `test`: a global expression starts where
 * its last match ended.
 */
export const EVERY_UNPRINTABLE: RegExp = new RegExp(UNPRINTABLE.source, 'gu');
