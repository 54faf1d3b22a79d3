/** Validates JSON bodies. No error message repeats input. */
import { Problem } from './problem.js';

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(name, 'an object');
  return value as Fields;
}

export function textOf(value: unknown, name: string, pattern: RegExp, expected: string): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw invalid(name, expected);
  return value;
}

export function wholeNumberOf(value: unknown, name: string, min: number, max: number): number {
  if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
    throw invalid(name, `a whole number from ${min} to ${max}`);
  }
  return value as number;
}

export function invalid(name: string, expected: string): Problem {
  return new Problem(422, 'invalid_body', `${name} must be ${expected}`);
}
