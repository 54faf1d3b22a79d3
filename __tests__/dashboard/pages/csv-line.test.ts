import { describe, expect, it } from '@jest/globals';
import { csvLine } from '../../../lib/dashboard/pages/csv-line.js';

describe('csvLine', () => {
  it('quotes a long run of quotes in time that grows with its length', () => {
    const quotes = '"'.repeat(200_000);
    const startedAt = performance.now();
    const line = csvLine([quotes, `;${quotes}=1`]);
    expect(line === `"${quotes}${quotes}",";${quotes}${quotes}'=1"\r\n`).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('M32 quotes every cell', () => {
    expect(csvLine(['a', '', 'b"c', '=1', '-1', '\n+'])).toBe('"a","","b""c","\'=1","\'-1","\'\n\'+"\r\n');
  });

  it('a spreadsheet that splits quoted cells at semicolons finds no formula', () => {
    expect(csvLine(['a\n"=1\n'])).toBe(`"a\n""'=1\n"\r\n`);
    expect(csvLine(['a;=1;b', 'a;"@x', ';;\uFF1D1', 'a; b;'])).toBe(`"a;'=1;b","a;""'@x",";;'\uFF1D1","a; b;"\r\n`);
  });
});
