import { describe, expect, it } from '@jest/globals';
import { isNumericDate, mediaType, VSCHARS } from '../../lib/protocol/jose-rules.js';

describe('a media type', () => {
  it.each<[unknown, unknown]>([
    ['at+jwt', 'at+jwt'],
    ['AT+JWT', 'at+jwt'],
    ['application/at+jwt', 'at+jwt'],
    ['Application/At+Jwt', 'at+jwt'],
    ['application/application/jwt', 'application/jwt'],
    ['text/application/jwt', 'text/application/jwt'],
    ['', ''],
    [undefined, undefined],
    [7, 7],
  ])('%j is %j', (value, type) => {
    expect(mediaType(value)).toBe(type);
  });
});

describe('a NumericDate', () => {
  it.each([0, 1, 1_700_000_000, 1_700_000_000.5, 99_999_999_999])('is %d', (value) => {
    expect(isNumericDate(value)).toBe(true);
  });

  it.each([-1, 1e11, 1_700_000_000_000, Number.POSITIVE_INFINITY, Number.NaN, '1', null, undefined, [1]])(
    'is not %p',
    (value) => {
      expect(isNumericDate(value)).toBe(false);
    },
  );
});

it('the characters of a client ID are printable ASCII', () => {
  expect(VSCHARS.test(' ~client_1')).toBe(true);
  for (const text of ['', 'a\n', '\u007f', 'caf\u00e9']) expect(VSCHARS.test(text)).toBe(false);
});
