/** Determines which cache entries a change invalidates. */

/** The API key or access key that a cache entry is about. `id` is `undefined` for a key that does not exist. */
export interface Subject {
  readonly id: string | undefined;
  readonly account: string | undefined;
}

/**
 * Which entries of a cache a change invalidates: the entries of an id or of an account, all entries, or none. A cache
 * of access keys has no entries for a change of an API key, and vice versa.
 */
export type InvalidationScope = { readonly id: string } | { readonly account: string } | 'all' | 'none';

/**
 * The property of a `Change` by which a cache finds the changed entry: a cache of API keys reads `key`, the other
 * caches read `accessKey`.
 */
export type SubjectMember = 'key' | 'accessKey';

/**
 * Parses a change. It is checked, because it may come from other code or from another version of keyward.
 *
 * @returns `undefined` if it is not a change.
 */
export function parseChange(change: unknown, member: SubjectMember): InvalidationScope | undefined {
  if (change === 'all') return 'all';
  if (typeof change !== 'object' || change === null) return undefined;
  const [entry, ...more] = Object.entries(change);
  if (entry === undefined || more.length > 0) return undefined;
  const [name, value] = entry;
  if (typeof value !== 'string' || value === '') return undefined;
  if (name === 'account') return { account: value };
  if (name === member) return { id: value };
  return name === 'key' || name === 'accessKey' ? 'none' : undefined;
}

/** Whether a scope includes a subject. */
export function matches(scope: InvalidationScope, subject: Subject): boolean {
  if (typeof scope === 'string') return scope === 'all';
  return isOfId(scope) ? scope.id === subject.id : scope.account === subject.account;
}

/** Whether a scope names a single id. */
export function isOfId(scope: InvalidationScope): scope is { readonly id: string } {
  return typeof scope === 'object' && Object.hasOwn(scope, 'id');
}
