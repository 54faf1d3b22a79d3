import { expect, it } from '@jest/globals';
import { escapeJson, escapeText } from '../../../lib/cli/terminal/escape-text.js';

it.each([
  ['till 1', 'till 1'],
  ['a\nb\rc\td', 'a\\nb\\rc\\td'],
  ['\u001b[31mred', '\\u001b[31mred'],
  ['\u0000\u007f\u009b', '\\u0000\\u007f\\u009b'],
  ['\u202eevil\u2066', '\\u202eevil\\u2066'],
  ['\u{e0041}', '\\udb40\\udc41'],
  ['Zoë 日本 😀', 'Zoë 日本 😀'],
])('%j is printed as %s', (text, expected) => {
  expect(escapeText(text)).toBe(expected);
});

it('a JSON text stays the same value', () => {
  const value = { name: 'a\n\u007f\u202e\u{e0041}é' };
  const json = escapeJson(JSON.stringify(value));
  expect(json).toBe('{"name":"a\\n\\u007f\\u202e\\udb40\\udc41é"}');
  expect(JSON.parse(json)).toEqual(value);
});
