/** A database row that was handed on as it is names its ends in another way, and a revoked key would be taken. */

/** What ends a credential, and how most tables call it. */
const ENDS = [
  ['expiresAt', 'expires_at'],
  ['revokedAt', 'revoked_at'],
  ['retiresAt', 'retires_at'],
  ['tokensNotBefore', 'tokens_not_before'],
] as const;

/** The first end that a record names as a column and not as a field, as `[field, column]`. */
export function columnForField(record: object): readonly [field: string, column: string] | undefined {
  const values = record as Readonly<Record<string, unknown>>;
  return ENDS.find(([field, column]) => isGiven(values[column]) && !isGiven(values[field]));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}
