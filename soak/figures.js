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
