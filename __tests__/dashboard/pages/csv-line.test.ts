import { describe, expect, it } from '@jest/globals';
import { csvLine } from '../../../lib/dashboard/pages/csv-line.js';

describe('csvLine', () => {
  it('M32 quotes every cell', () => {
    expect(csvLine(['a', '', 'b"c', '=1', '-1', '\n+'])).toBe('"a","","b""c","\'=1","\'-1","\'\n\'+"\r\n');
  });

  it('a spreadsheet that splits quoted cells at semicolons finds no formula', () => {
    expect(csvLine(['a\n"=1\n'])).toBe(`"a\n""'=1\n"\r\n`);
    expect(csvLine(['a;=1;b', 'a;"@x', ';;\uFF1D1', 'a; b;'])).toBe(`"a;'=1;b","a;""'@x",";;'\uFF1D1","a; b;"\r\n`);
  });
});
