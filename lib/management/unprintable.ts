/**
 * Characters that people cannot see: control characters, lone surrogates, and characters that are invisible or change
 * the text direction. Names with them are refused; pages and the command line show them by their numbers.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/u;

/** The same characters, for `replace`. Do not use it with `test`, which would start where the last match ended. */
export const EVERY_UNPRINTABLE: RegExp = new RegExp(UNPRINTABLE.source, 'gu');
