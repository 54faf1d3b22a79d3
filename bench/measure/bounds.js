/** Bounds: what a figure must be, and whether it is. */

export const atMost = (claim, figure, limit, unit = '') => bound(claim, figure, 'at most', limit, unit);
export const atLeast = (claim, figure, limit, unit = '') => bound(claim, figure, 'at least', limit, unit);

function bound(claim, { median, low, high }, sense, limit, unit) {
  const held = sense === 'at most' ? median <= limit : median >= limit;
  return { claim, median, low, high, sense, limit, unit, held };
}

/** A figure that was measured once, and has no spread. */
export const once = (figure) => ({ median: figure, low: figure, high: figure });

export const missedOf = (results) => results.flatMap(({ bounds }) => bounds).filter(({ held }) => !held);
