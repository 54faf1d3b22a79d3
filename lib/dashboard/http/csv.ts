/** Comma-separated values (RFC 4180) that no spreadsheet executes. */

/** The first characters of a formula in a spreadsheet; some languages also use the full-width signs. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Makes one line. Each cell is quoted, and a cell that would be a formula gets an apostrophe in front. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
