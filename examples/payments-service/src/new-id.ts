import { randomBytes } from 'node:crypto';

/** An id with a prefix that says of what it is. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}
