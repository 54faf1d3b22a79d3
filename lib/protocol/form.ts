/** Form-encoded parameters (RFC 6749 Appendix B), as they stand in a query. */

/**
 * Whether the query of a request target carries a parameter, in whatever way its name is encoded.
 *
 * @param target - `req.url`: path and query.
 */
export function queryCarries(target: string | undefined, name: string): boolean {
  const mark = target?.indexOf('?') ?? -1;
  if (target === undefined || mark === -1) return false;
  const query = target.slice(mark + 1);
  if (!query.includes(name) && !query.includes('%')) return false;
  return new URLSearchParams(query).has(name);
}
