/**
 * Finds what `keyward accounts put` removes from an account. Each option replaces a whole list, so names that are not
 * repeated are removed.
 */
import type { Account } from '../../management/accounts/account-view.js';
import type { AccountSettings } from '../../management/accounts/accounts.js';

/** The lists of an account: the name of the list, its option, and the word for an entry. */
const LISTS = [
  ['apis', '--api', 'API'],
  ['scopes', '--scope', 'scope'],
  ['channels', '--channel', 'channel'],
  ['platforms', '--platform', 'platform'],
] as const;

type ListName = (typeof LISTS)[number][0];

export interface Removal {
  readonly list: ListName;
  /** A description of what was removed, such as `the API payments`. */
  readonly what: string;
  /** The options of `accounts put` that restore the list. */
  readonly restoredBy: string;
}

/** Compares an account with its new settings. A list that is absent from the settings is not changed. */
export function removedEntitlements(before: Account | undefined, after: AccountSettings): readonly Removal[] {
  if (before === undefined) return [];
  return LISTS.flatMap(([list, option, noun]) => {
    const [was, is] = [before[list], after[list]];
    const what = is === undefined ? undefined : describeRemoved(noun, was, is);
    if (what === undefined) return [];
    const names = was === 'all' ? ['all'] : was;
    return [{ list, what, restoredBy: names.map((name) => `${option} ${quoteForShell(name)}`).join(' ') }];
  });
}

function describeRemoved(noun: string, was: 'all' | readonly string[], is: 'all' | readonly string[]) {
  if (is === 'all') return undefined;
  if (was === 'all') return `all ${noun}s (except ${is.join(', ')})`;
  const removed = was.filter((name) => !is.includes(name));
  return removed.length === 0 ? undefined : `the ${noun}${removed.length === 1 ? '' : 's'} ${removed.join(', ')}`;
}

/** Quotes a name for a POSIX shell, because a scope may contain characters such as `*` and `$`. */
function quoteForShell(name: string): string {
  return /^[\w.:/-]+$/.test(name) ? name : `'${name.replaceAll("'", String.raw`'\''`)}'`;
}
