/**
 * Checks the options of factories, which are the public functions that take options. A wrong option throws a
 * `TypeError` when the app starts. The message names the factory and the option. It contains no values except numbers,
 * issuers and names of routes, because other values may be secrets.
 */
import { types } from 'node:util';

/** The options that a caller gave to one factory, with a method for each type of check. */
export class Options {
  readonly factory: string;
  readonly #values: Readonly<Record<string, unknown>>;

  /**
   * Checks that the options are an object without unknown names, and stores them.
   *
   * @param factory - The name of the factory, or of the option that contains these options.
   * @param names - All known options. An option with an unknown name is an error, because it is usually a typing
   *   mistake.
   */
  constructor(factory: string, options: unknown, names: readonly string[]) {
    this.factory = factory;
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw new TypeError(
        `${factory}${factory.endsWith('"') ? ' must be' : ': expected'} an options object, got ${kindOf(options)}`,
      );
    }
    refuseUnknownOptions(factory, options, names);
    // The copy has no prototype. Otherwise it could inherit options from an `Object.prototype` that an attacker has
    // polluted.
    this.#values = Object.assign(Object.create(null), options);
  }

  /** Checks whether the option was given; `undefined` counts as not given. */
  has(name: string): boolean {
    return this.#values[name] !== undefined;
  }

  /** Returns the given value without a check. */
  raw(name: string): unknown {
    return this.#values[name];
  }

  /** Creates the error for an option with a wrong value. Its message describes the type of the value, not the value. */
  mistake(name: string, expected: string, got = kindOf(this.#values[name])): TypeError {
    return new TypeError(`${this.factory}: option "${name}" must be ${expected}, got ${got}`);
  }

  /**
   * Like `mistake`, for an option that must be a string. A string of another form is "an invalid string".
   *
   * @param remedy - Tells what else the user can do.
   */
  wrongText(name: string, expected: string, remedy?: string): TypeError {
    const got = kindOfOther(this.#values[name]);
    return this.mistake(name, expected, remedy === undefined ? got : `${got}; ${remedy}`);
  }

  /** Like `mistake`, for an option that must be a list. A list with wrong entries is "an invalid list". */
  wrongList(name: string, expected: string): TypeError {
    const value = this.#values[name];
    return this.mistake(name, expected, Array.isArray(value) && value.length > 0 ? 'an invalid list' : kindOf(value));
  }

  text(name: string): string {
    const value = this.#values[name];
    if (typeof value !== 'string' || value === '') throw this.mistake(name, 'a non-empty string');
    return value;
  }

  flag(name: string, fallback: boolean): boolean {
    const { [name]: value = fallback } = this.#values;
    if (typeof value !== 'boolean') throw this.mistake(name, 'a boolean');
    return value;
  }

  /** Reads a finite number between two bounds, both included. */
  number(name: string, fallback: number, min: number, max: number): number {
    const { [name]: value = fallback } = this.#values;
    if (typeof value !== 'number' || !(value >= min && value <= max)) {
      throw this.mistake(name, `a number from ${min} to ${max}`, kindOfNumber(value));
    }
    return value;
  }

  /** Reads a whole number between two bounds, both included. */
  integer(name: string, fallback: number, min: number, max: number): number {
    const { [name]: value = fallback } = this.#values;
    if (!Number.isInteger(value) || !(Number(value) >= min && Number(value) <= max)) {
      throw this.mistake(name, `a whole number from ${min} to ${max}`, kindOfNumber(value));
    }
    return value as number;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T {
    const value = this.#values[name];
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) return found;
    throw this.mistake(name, quotedList(allowed, 'or'), kindOfOther(value));
  }

  method<F>(name: string): F {
    const value = this.#values[name];
    if (typeof value !== 'function') throw this.mistake(name, 'a function');
    return value as F;
  }

  /**
   * Reads an object with the named methods. It returns the object itself and no copy, because its methods may need it
   * as `this`.
   */
  object<T>(name: string, methods: readonly (keyof T & string)[]): T {
    const value = this.#values[name];
    if (typeof value !== 'object' || value === null || !methods.every((method) => isMethod(value, method))) {
      throw this.mistake(name, `an object with ${methods.map((method) => `${method}()`).join(' and ')}`);
    }
    return value as T;
  }
}

/** @throws TypeError for an option that is not one of `names`. */
export function refuseUnknownOptions(factory: string, options: object, names: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`${factory}: unknown option "${unknown}"; the options are ${names.join(', ')}`);
}

/**
 * Checks a list of names: the arguments of a function such as `requireScopes`, or the value of an option. The list must
 * not be empty, and no name may be empty. If `allowed` is given, each name must be in it.
 */
export function namesOf<T extends string>(
  factory: string,
  values: readonly unknown[],
  allowed?: readonly T[],
): readonly T[] {
  if (values.length === 0) throw new TypeError(`${factory}: expected one or more values`);
  for (const value of values) {
    const good = typeof value === 'string' && value !== '' && (allowed === undefined || allowed.includes(value as T));
    if (!good) {
      const expected = allowed === undefined ? 'a non-empty string' : quotedList(allowed, 'or');
      const hint = Array.isArray(value) ? '; do not wrap the values in an array' : '';
      throw new TypeError(`${factory}: each value must be ${expected}, got ${kindOfOther(value)}${hint}`);
    }
  }
  return Object.freeze([...(values as readonly T[])]);
}

/** Like `kindOf`, for a value that is not one of the allowed strings. Another non-empty string is "an invalid string". */
export function kindOfOther(value: unknown): string {
  return typeof value === 'string' && value !== '' ? 'an invalid string' : kindOf(value);
}

/** Like `kindOf`, but a number is described by its value, because a number is not a secret. */
function kindOfNumber(value: unknown): string {
  return typeof value === 'number' ? String(value) : kindOf(value);
}

/** Quotes names and joins them, as in `'a', 'b' or 'c'`. */
export function quotedList(names: readonly string[], conjunction: 'and' | 'or'): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop() as string;
  return quoted.length === 0 ? last : `${quoted.join(', ')} ${conjunction} ${last}`;
}

/** Describes the type of a value, without the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  if (value === '') return 'an empty string';
  if (Number.isNaN(value)) return 'NaN';
  if (types.isPromise(value)) return 'a promise';
  if (value === undefined) return 'undefined';
  return `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

function isMethod(value: object, method: string): boolean {
  return typeof (value as Record<string, unknown>)[method] === 'function';
}
