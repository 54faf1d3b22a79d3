const OVERLOADED = [429, 503];

/**
 * Returns the seconds that a response asks the client to wait (RFC 9110 §10.2.3).
 *
 * @param now - Milliseconds since 1970, for a `Retry-After` that is a date.
 * @returns `undefined` unless the status is 429 or 503 and there is a `Retry-After`.
 */
export function retryAfterOf({ status, headers }: Response, now: number): number | undefined {
  const value = headers.get('retry-after');
  if (!OVERLOADED.includes(status) || value === null) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1_000);
}
