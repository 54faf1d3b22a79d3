/** Makes the SQL that compares the place of a row, in an index of two columns, with another place. */
import { type RawBuilder, sql } from 'kysely';

export type Comparison = '<' | '<=' | '>' | '>=';

/**
 * Compares two columns with two values as SQL row values: the second column decides if the first is equal. The first
 * column is also compared alone, because PostgreSQL cannot estimate from row values how few rows lie between two
 * places, and would read the whole table.
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
