/** What is printed: JSON for programs, tables for people. */
import type { Io } from './io.js';

/** One line of JSON. */
export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLine(io: Io, text: string): void {
  io.stdout.write(`${text}\n`);
}

/** A table with a heading; nothing but a sentence where it has no rows. */
export function printTable(
  io: Io,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  ifEmpty: string,
): void {
  if (rows.length === 0) {
    printLine(io, ifEmpty);
    return;
  }
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of lines) {
    printLine(
      io,
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** `1 line`, `2 lines`. */
export function textOfCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Name and value, line by line. */
export function printFields(io: Io, fields: Readonly<Record<string, string>>): void {
  const width = Math.max(...Object.keys(fields).map((name) => name.length));
  for (const [name, value] of Object.entries(fields)) printLine(io, `${name.padEnd(width)}  ${value}`);
}

export function textOfTime(time: Date | null): string {
  return time === null
    ? '-'
    : time
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, 'Z');
}

export function textOfList(list: 'all' | readonly string[] | null, ifNull = '-'): string {
  if (list === null) return ifNull;
  return list === 'all' ? 'all' : list.join(' ') || 'none';
}
