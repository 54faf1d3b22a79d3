/**
 * Checks the options of a factory (a public function such as `openStore`) by a table with the check and the default of
 * each option. TypeScript makes sure that the table has exactly the names of the options interface.
 *
 * ```ts
 * const OPTIONS = {
 *   encryptionKey: anything,
 *   readOnly: flag(false),
 * } satisfies OptionTable<StoreOptions>;
 * const { encryptionKey, readOnly } = readTable('openStore', given, OPTIONS);
 * ```
 */
import { namesOf, Options, quotedList } from './options.js';

/** Checks one option, and returns its value or its default. It throws a `TypeError` for a wrong value. */
export type Option<T> = (options: Options, name: string) => T;

/** A table with exactly one entry for each property of the options interface `O`. */
export type OptionTable<O> = { readonly [name in keyof O]-?: Option<unknown> };

/** The values that `readTable` returns for a table. */
export type OptionValues<T> = { readonly [name in keyof T]: T[name] extends Option<infer V> ? V : never };

/**
 * Checks the options of a caller by a table, in the order of the table.
 *
 * @param factory - The name of the factory, or of the option whose value has these options, for error messages.
 * @throws TypeError for an option that is missing, unknown or invalid.
 */
export function readTable<T extends Readonly<Record<string, Option<unknown>>>>(
  factory: string,
  given: unknown,
  table: T,
): OptionValues<T> {
  const options = new Options(factory, given, Object.keys(table));
  const values = Object.entries(table).map(([name, option]) => [name, option(options, name)]);
  return Object.fromEntries(values) as OptionValues<T>;
}

/** Accepts any value: the factory checks the value later, together with other values. */
export const anything: Option<unknown> = (options, name) => options.raw(name);

export const text: Option<string> = (options, name) => options.text(name);

export function flag(fallback: boolean): Option<boolean> {
  return (options, name) => options.flag(name, fallback);
}

/** A whole number between two bounds, both included. */
export function integer(fallback: number, min: number, max: number): Option<number> {
  return (options, name) => options.integer(name, fallback, min, max);
}

/** A finite number between two bounds, both included. */
export function number(fallback: number, min: number, max: number): Option<number> {
  return (options, name) => options.number(name, fallback, min, max);
}

export function oneOf<const T extends string>(allowed: readonly T[]): Option<T> {
  return (options, name) => options.oneOf(name, allowed);
}

export function method<F>(): Option<F> {
  return (options, name) => options.method<F>(name);
}

/** A list of one or more of the allowed names, without duplicates. */
export function names<const T extends string>(allowed: readonly T[]): Option<readonly T[]> {
  const expected = `a list of one or more of ${quotedList(allowed, 'and')}`;
  return (options, name) => {
    const values = options.raw(name);
    if (!Array.isArray(values)) throw options.wrongList(name, expected);
    const list = namesOf(`${options.factory}: option "${name}"`, values, allowed);
    if (new Set(list).size < list.length) throw options.wrongList(name, `${expected}, without duplicates`);
    return list;
  };
}

/** An object that has at least these methods. */
export function object<T>(methods: readonly (keyof T & string)[]): Option<T> {
  return (options, name) => options.object<T>(name, methods);
}

/** Makes an option optional: if it is absent, its value is `fallback`, which is not checked. */
export function withDefault<T, const D>(option: Option<T>, fallback: D): Option<T | D> {
  return (options, name) => (options.has(name) ? option(options, name) : fallback);
}

/** Makes an option optional: if it is absent, its value is `undefined`. */
export function optional<T>(option: Option<T>): Option<T | undefined> {
  return withDefault(option, undefined);
}
