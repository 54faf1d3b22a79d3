import { randomBytes } from 'node:crypto';

/** Creates an ID with a prefix that names the type of the object. */
export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(6).toString('hex')}`;
}
