/** Statistics of paired rounds: medians, and how far the middle half of the rounds lies apart. */

export const median = (values) => quantile(values, 0.5);

/** The value below which so large a share of the values lies, between two of them in proportion. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Median and quartiles. */
export function summaryOf(values) {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/** What one is of the other, round by round: what else the machine did in a round fell on both. */
export function ratioOf(figures, others) {
  return summaryOf(figures.map((figure, round) => figure / others[round]));
}

/** How much more one is than the other, round by round. */
export function differenceOf(figures, others) {
  return summaryOf(figures.map((figure, round) => figure - others[round]));
}
