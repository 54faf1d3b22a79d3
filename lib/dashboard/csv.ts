/** Comma-separated values (RFC 4180) that no spreadsheet executes. */

/** What a spreadsheet takes for a formula, by its first character; the full-width signs too, in some countries. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** One line. Each cell is in quotes; one that would be a formula begins with an apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
