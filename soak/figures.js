/** Small statistics. */

export const median = (values) => quantile(values, 0.5);

/** The value that so large a share of the values does not reach; `quantile(values, 1)` is the largest. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** Slope of the line of least squares through [x, y] points. */
export function slope(points) {
  const meanX = points.reduce((sum, [x]) => sum + x, 0) / points.length;
  const meanY = points.reduce((sum, [, y]) => sum + y, 0) / points.length;
  const over = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  const under = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return under === 0 ? 0 : over / under;
}

/** Bytes in use after a collection; the process must run with --expose-gc. */
export function heapAfterGc() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

export const megabytes = (bytes) => Math.round((bytes / 1_048_576) * 10) / 10;

/** The two-sided p of the Mann-Whitney test by the normal approximation: how likely two samples of one distribution differ so. */
export function mannWhitney(one, other) {
  const all = [...one.map((value) => [value, 1]), ...other.map((value) => [value, 0])].sort(([a], [b]) => a - b);
  const rankSum = all.reduce((sum, [, isOne], index) => sum + isOne * (index + 1), 0);
  const mean = (one.length * (all.length + 1)) / 2;
  const deviation = Math.sqrt((one.length * other.length * (all.length + 1)) / 12);
  return complementaryError(Math.abs(rankSum - mean) / deviation / Math.SQRT2);
}

/** erfc(x) for x ≥ 0, by Abramowitz and Stegun 7.1.26: its error is below 1.5e-7. */
function complementaryError(x) {
  const t = 1 / (1 + 0.3275911 * x);
  const factors = [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592];
  return factors.reduce((sum, factor) => (sum + factor) * t, 0) * Math.exp(-x * x);
}
