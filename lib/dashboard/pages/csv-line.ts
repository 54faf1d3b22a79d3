/**
 * Formats lines of a CSV file (RFC 4180). An attacker could choose a name that a spreadsheet would run as a formula, so
 * formulas are made harmless (OWASP, CSV injection).
 */

/**
 * Matches the position before a sign with which a formula may start: an ASCII sign, or its full-width form. The
 * position is at the start of a cell, or after `;` or a line break: in a country with a decimal comma, a spreadsheet
 * splits even a quoted cell there.
 *
 * The look-ahead is first: the look-behind reads back over all quotes before a position, so a long run of quotes would
 * take quadratic time if it were tried at each of them.
 */
const FORMULA = /(?=[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20])(?<=^|[;\r\n]"*)/g;

/**
 * Quotes each cell, and inserts an apostrophe where a formula could start. A spreadsheet shows the characters after an
 * apostrophe as text.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoteCell).join(',')}\r\n`;
}

function quoteCell(text: string): string {
  return `"${text.replace(FORMULA, "'").replaceAll('"', '""')}"`;
}
