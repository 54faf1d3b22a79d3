/** Figures as they are printed and written: the same in both places. */

/** Three digits that count. */
export function digits(value) {
  if (!Number.isFinite(value)) return '-';
  const rounded = Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return rounded.toLocaleString('en');
}

export const spread = ({ median, low, high }) => `${digits(median)} (${digits(low)} to ${digits(high)})`;

/** A table of Markdown, its first column of words and the others of figures. */
export function table(columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const rule = columns.map((_, index) => (index === 0 ? '---' : '---:'));
  return [columns, rule, ...rows].map(line).join('\n');
}

export function boundsTable(bounds) {
  const rows = bounds.map(({ claim, sense, limit, unit, held, ...figure }) => [
    ...[claim, spreadOrOne(figure, unit), `${sense} ${digits(limit)}${unit}`, held ? 'held' : '**missed**'],
  ]);
  return table(['bound', 'measured', 'wanted', ''], rows);
}

function spreadOrOne(figure, unit) {
  return figure.low === figure.high ? `${digits(figure.median)}${unit}` : `${spread(figure)}${unit}`;
}
