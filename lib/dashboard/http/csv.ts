/** Comma-separated values (RFC 4180) that no spreadsheet executes. */

/** The first characters that a spreadsheet reads as a formula; in some countries also the full-width signs. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** One line. Each cell is quoted; one that would be a formula starts with an apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
