/** Creates the SQL that selects the rows before or after a place in a list that is sorted by two columns. */
import { type RawBuilder, sql } from 'kysely';

export type Comparison = '<' | '<=' | '>' | '>=';

/**
 * Compares two columns with two values as SQL row values: if the first column is equal, the second column decides. The
 * first column is also compared alone. Otherwise PostgreSQL could not estimate how few rows lie between two places, and
 * would read the whole table.
 */
export function comparePair(
  columns: readonly [first: string, second: string],
  operator: Comparison,
  values: readonly [first: number | string, second: number | string],
): RawBuilder<boolean> {
  const [first, second] = [sql.ref(columns[0]), sql.ref(columns[1])];
  const pair = sql`(${first}, ${second}) ${sql.raw(operator)} (${values[0]}, ${values[1]})`;
  return sql<boolean>`(${pair} and ${first} ${sql.raw(operator.charAt(0))}= ${values[0]})`;
}
