/** Prints the usage of a key. */
import type { KeyUsage } from '../management/keys/usage.js';
import type { Io } from './io.js';
import { printLine, printTable } from './terminal/output.js';

/** Prints the requests of a key by day. Days without requests are left out. */
export function showKeyUsage(io: Io, { from, to, accepted, refused, days }: KeyUsage): void {
  const used = days.filter((day) => day.accepted + day.refused > 0);
  const rows = used.map((day) => [day.day, String(day.accepted), String(day.refused)]);
  printTable(io, ['DAY', 'ACCEPTED', 'REFUSED'], rows, `There were no requests from ${from} to ${to}.`);
  if (used.length > 0)
    printLine(io, `${accepted} accepted and ${refused} refused requests from ${from} to ${to} (UTC)`);
}
