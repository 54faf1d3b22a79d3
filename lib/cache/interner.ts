/**
 * Stores equal values of many credentials only once. Otherwise they would take most of the memory of a cached
 * credential.
 */

/** Maximum stored values. A new value beyond this number is not shared. */
const MAX_VALUES = 1_000;

/** Call `get` before `intern`: if the value is already shared, V8 need not allocate a closure for `create`. */
export class Interner<T> extends Map<string, T> {
  /**
   * Returns the shared value of a name.
   *
   * @param name - Different for different values. It is stored, so it must not be a slice of a credential: V8 would
   *   retain the whole credential.
   * @param create - Makes the value if the name is new.
   */
  intern(name: string, create: () => T): T {
    const known = this.get(name);
    if (known !== undefined) return known;
    const value = create();
    if (this.size < MAX_VALUES) this.set(name, value);
    return value;
  }
}
