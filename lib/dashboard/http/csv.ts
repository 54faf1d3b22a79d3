/** Lines of a CSV file (RFC 4180) in which a spreadsheet finds no formulas. */

/**
 * Where a formula can start, also by the full-width signs of some languages (OWASP, CSV injection). Where the comma is
 * the decimal sign, spreadsheets split at `;`, also in a quoted cell, and then a line break starts a row.
 */
const FORMULA = /(?<=^|[;\r\n]"*)(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])/g;

/** Quotes each cell, and writes an apostrophe at each place in it where a spreadsheet could start a formula. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoteCell).join(',')}\r\n`;
}

function quoteCell(text: string): string {
  return `"${text.replace(FORMULA, "'").replaceAll('"', '""')}"`;
}
