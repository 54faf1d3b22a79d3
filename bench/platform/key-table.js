/** The records of keys, as a platform holds them: made by number, so that those of a million need no list. */
import { hash } from 'node:crypto';
import { SCOPES } from './scopes.js';

/**
 * The record of the key of a number, as a driver hands it over: an object and texts of its own. The spread is at the end: V8 of Node
 * 20 creates a new hidden class for each object that begins with a spread, and reading such objects is slow.
 */
export function recordOf(number, traits = {}) {
  const digits = String(number).padStart(8, '0');
  return {
    id: `key_${digits}`,
    kind: 'secret',
    account: `acc_${digits}`,
    environment: 'live',
    apis: ['payments'],
    scopes: [...SCOPES],
    expiresAt: new Date('2100-01-01'),
    ...traits,
  };
}

/**
 * A table that is searched by digest, and counts how often it is asked.
 *
 * @param expired - A key whose record has expired.
 */
export function keyTable(keys, { expired } = {}) {
  const numbers = new Map(keys.map((key, number) => [hash('sha256', key), number]));
  const expiredDigest = expired && hash('sha256', expired);
  const table = {
    lookups: 0,
    async resolve({ digest }) {
      table.lookups += 1;
      const number = numbers.get(digest);
      if (number !== undefined) return recordOf(number);
      return digest === expiredDigest ? recordOf(keys.length, { expiresAt: new Date(0) }) : undefined;
    },
  };
  return table;
}
