import type { Subject } from './entry-segment.js';

/** What of one cache a change reaches: an id, an account, everything, or nothing of it. */
export type Reach = { readonly id: string } | { readonly account: string } | 'everything' | 'nothing';

/** Which member of a `Change` names the subjects of a cache. */
export type SubjectMember = 'key' | 'accessKey';

/**
 * Reads a change. It may come from another process or another version, so nothing is taken for granted.
 *
 * @returns `undefined` for what is no change.
 */
export function reachOf(change: unknown, member: SubjectMember): Reach | undefined {
  if (change === 'all') return 'everything';
  if (typeof change !== 'object' || change === null) return undefined;
  const [entry, ...more] = Object.entries(change);
  if (entry === undefined || more.length > 0) return undefined;
  const [name, value] = entry;
  if (typeof value !== 'string' || value === '') return undefined;
  if (name === 'account') return { account: value };
  if (name === member) return { id: value };
  return name === 'key' || name === 'accessKey' ? 'nothing' : undefined;
}

/** Whether a change that reaches so far touches a subject. */
export function touches(reach: Reach, subject: Subject): boolean {
  if (typeof reach === 'string') return reach === 'everything';
  return isOfId(reach) ? reach.id === subject.id : reach.account === subject.account;
}

/** Whether a reach is that of one id. */
export function isOfId(reach: Reach): reach is { readonly id: string } {
  return typeof reach === 'object' && Object.hasOwn(reach, 'id');
}
