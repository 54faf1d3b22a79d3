/**
 * Which core runs what: subjects on the last, the command and its clients on the first. Where the system has no `taskset`, or
 * one core alone, nothing is pinned.
 */
import { execFileSync } from 'node:child_process';

const cores = allowedCores();

export const isPinned = cores.length > 1;

/** How a program is started on the core of the subjects. */
export function startedOnLast(program) {
  return isPinned ? ['taskset', ['-c', cores.at(-1), program]] : [program, []];
}

/** Keeps this process on the first core. */
export function stayOnFirst() {
  if (isPinned) execFileSync('taskset', ['-cp', '--all-tasks', cores[0], String(process.pid)], { stdio: 'ignore' });
}

function allowedCores() {
  try {
    const output = execFileSync('taskset', ['-cp', String(process.pid)], { encoding: 'utf8', stdio: 'pipe' });
    return (output.split(':').at(-1) ?? '').trim().split(',').flatMap(coresOf);
  } catch {
    return [];
  }
}

/** `0-3` → 0, 1, 2, 3. */
function coresOf(range) {
  const [first, last = first] = range.split('-').map(Number);
  return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
}
