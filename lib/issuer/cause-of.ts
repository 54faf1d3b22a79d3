import { types } from 'node:util';

/**
 * What was thrown, for the operator: its name, and its code where it has one. Not its message, which may hold the
 * password of a store's URL, or a key.
 */
export function causeOf(thrown: unknown): string {
  if (!types.isNativeError(thrown)) return `a thrown ${typeof thrown}`;
  const { code } = thrown as NodeJS.ErrnoException;
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? `${thrown.name} ${code}` : thrown.name;
}
