/** Compares two versions of a record, for the audit log. */

export interface ChangedFields {
  readonly before: object;
  readonly after: object;
}

/**
 * Returns the fields that have different values in `was` and `is`, with the values before and after the change. Values
 * are compared as JSON.
 *
 * @returns `undefined` if nothing differs.
 */
export function changedFields(was: object, is: object): ChangedFields | undefined {
  const [before, after] = [new Map(Object.entries(was)), new Map(Object.entries(is))];
  const changed = [...after.keys()].filter(
    (name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)),
  );
  if (changed.length === 0) return undefined;
  const only = (fields: ReadonlyMap<string, unknown>) =>
    Object.fromEntries(changed.map((name) => [name, fields.get(name) ?? null]));
  return { before: only(before), after: only(after) };
}
