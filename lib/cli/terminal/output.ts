/** Prints JSON for programs, and lines and tables for people. Unprintable characters are escaped in all texts. */

import type { Io } from '../io.js';
import { escapeJson, escapeText } from './escape-text.js';

/** Prints a value as one line of JSON. */
export function printJson(io: Io, value: unknown): void {
  io.stdout.write(jsonLine(value));
}

export function jsonLine(value: unknown): string {
  return `${escapeJson(JSON.stringify(value))}\n`;
}

/** Prints a text as one line. A line break in the text is escaped. */
export function printLine(io: Io, text: string): void {
  io.stdout.write(`${escapeText(text)}\n`);
}

/**
 * Prints a warning about a problem that did not stop the command. It goes to standard error, because a program may
 * parse standard output.
 */
export function printWarning(io: Io, isJson: boolean | undefined, message: string): void {
  io.stderr.write(isJson ? jsonLine({ warning: { message } }) : `warning: ${escapeText(message)}\n`);
}

/** Prints a table with a heading. If there are no rows, it prints the text `ifEmpty` instead. */
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
  const lines = [headings, ...rows].map((line) => line.map(escapeText));
  // Not `Math.max(...lines)`: a call with 130,000 arguments fails.
  const widths = headings.map((_, column) =>
    lines.reduce((width, line) => Math.max(width, line[column]?.length ?? 0), 0),
  );
  for (const line of lines) {
    const cells = line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    printLine(io, cells.join('  ').trimEnd());
  }
}

/** Formats a count: `1 line`, `2 lines`. */
export function textOfCount(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Prints one line for each field: its name and its value. */
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
