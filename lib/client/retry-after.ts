const OVERLOADED = [429, 503];
/**
 * Matches an HTTP-date in each of its three formats (RFC 9110 §5.6.7). The asctime format has no `GMT`, so `Date.parse`
 * would read it in the local time zone.
 */
const HTTP_DATE = /^[A-Z][a-z]+(?:, .* GMT| [A-Z][a-z]{2} [\d ]\d [\d:]{8} \d{4})$/;

/**
 * Returns the seconds that a response asks the client to wait (RFC 9110 §10.2.3).
 *
 * @param now - Milliseconds since 1970, for a `Retry-After` that is a date.
 * @returns `undefined` if the status is not 429 or 503, or if there is no valid `Retry-After`; `Infinity` for a number
 *   that is too large.
 */
export function retryAfterOf({ status, headers }: Response, now: number): number | undefined {
  const value = headers.get('retry-after');
  if (!OVERLOADED.includes(status) || value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  // `Date.parse` accepts more than an HTTP-date: `1.5`, for example, would be a date in the past.
  const date = HTTP_DATE.test(value) ? Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1_000);
}
