/**
 * Stores a value only once if it is equal in many credentials, such as a list of scopes. Otherwise its copies would
 * take most of the memory of the cache.
 */

/** Maximum stored values. After that, new values are not stored, so they are not shared. */
const MAX_VALUES = 1_000;

/**
 * Stores shared values by name. Call `get` before `intern`: if the value is already stored, no closure for `create` is
 * needed.
 */
export class Interner<T> extends Map<string, T> {
  /**
   * Returns the shared value of a name.
   *
   * @param name - Different for different values. It must not be a slice of a credential: the name is stored, and V8
   *   would keep the whole credential in memory with it.
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
