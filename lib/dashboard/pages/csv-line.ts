/**
 * Formats lines of a CSV file (RFC 4180) so that a spreadsheet does not run a cell as a formula (OWASP, CSV injection).
 */

/**
 * Matches where a spreadsheet may start a formula: before an ASCII sign, or the full-width sign of some languages. If
 * the comma is the decimal sign, a spreadsheet also splits a quoted cell at `;` and at line breaks, so a formula may
 * start after them.
 */
const FORMULA = /(?<=^|[;\r\n]"*)(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g;

/**
 * Quotes each cell, and inserts an apostrophe where a formula could start: spreadsheets show what follows it as text.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoteCell).join(',')}\r\n`;
}

function quoteCell(text: string): string {
  return `"${text.replace(FORMULA, "'").replaceAll('"', '""')}"`;
}
