/** A chart of horizontal bars as SVG, on a logarithmic or a plain scale, readable on light and on dark pages. */
import { digits } from './text.js';

const WIDTH = 760;
const LABELS = 230;
const FIGURES = 120;
const ROW = 26;
const HEAD = 44;

/**
 * @param bars - `label`, `value`, and `low` and `high` where there is a spread; `own` for those that are keyward's.
 * @param unit - Said behind each figure. @param logarithmic - For values that are many times each other.
 */
export function barChart({ title, unit, bars, logarithmic = false }) {
  const height = HEAD + bars.length * ROW + 12;
  const values = bars.flatMap(({ value, high = value }) => [value, high]);
  const scale = scaleOf(Math.min(...bars.map(({ value, low = value }) => low)), Math.max(...values), logarithmic);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escaped(title)}">`,
    '<style>text{font:13px system-ui,sans-serif;fill:#24292f}.title{font-weight:600}.own{fill:#0969da}.other{fill:#8c959f}',
    '.spread{stroke:#24292f}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.own{fill:#4493f8}.other{fill:#6e7681}',
    '.spread{stroke:#e6edf3}}</style>',
    `<text class="title" x="8" y="22">${escaped(title)}${logarithmic ? ' (logarithmic)' : ''}</text>`,
    ...bars.flatMap((bar, index) => rowOf(bar, HEAD + index * ROW, scale, unit)),
    '</svg>',
    '',
  ].join('\n');
}

function rowOf({ label, value, low, high, own = false }, top, scale, unit) {
  const text = `${digits(value)}${unit}`;
  const end = LABELS + scale(value);
  const row = [
    `<text x="${LABELS - 10}" y="${top + 14}" text-anchor="end">${escaped(label)}</text>`,
    `<rect class="${own ? 'own' : 'other'}" x="${LABELS}" y="${top}" width="${round(scale(value))}" height="18" rx="2"/>`,
  ];
  const reach = high === undefined ? end : Math.max(end, LABELS + scale(high));
  if (low !== undefined && high !== undefined) {
    const [from, to] = [low, high].map((figure) => round(LABELS + scale(figure)));
    row.push(`<path class="spread" d="M${from} ${top + 9}H${to}M${from} ${top + 5}v8M${to} ${top + 5}v8"/>`);
  }
  row.push(`<text x="${round(reach + 8)}" y="${top + 14}">${escaped(text)}</text>`);
  return row;
}

/** Pixels of a value. A logarithmic bar begins at half of the least value. */
function scaleOf(least, most, logarithmic) {
  const room = WIDTH - LABELS - FIGURES;
  if (!logarithmic) return (value) => (most === 0 ? 0 : (value / most) * room);
  const start = Math.log(least / 2);
  return (value) => ((Math.log(value) - start) / (Math.log(most) - start)) * room;
}

const round = (pixels) => Math.round(pixels * 10) / 10;

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
