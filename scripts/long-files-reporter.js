import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';

const MINUTE = 60_000;
/** The running test files are checked every so many minutes, and those that have run as long are named. */
const EVERY = 5;

/**
 * Names each test file that runs for minutes, with the last of its tests that ended and those that failed, so that a run that
 * hangs says where. Jest ends a test that waits too long, but one file may have many such tests, and nothing ends a loop or a
 * module that never loads. The processes of the run are printed too: one in a loop has the state R, and its CPU time grows.
 * It writes to standard error, because standard output has the results of `jest --json`.
 */
export default class LongFilesReporter {
  #running = new Map();
  #timer;

  onRunStart() {
    this.#timer = setInterval(() => this.#name(), EVERY * MINUTE).unref();
  }

  onTestFileStart(test) {
    this.#running.set(nameOf(test), { since: performance.now(), last: 'none', failed: [] });
  }

  onTestCaseResult(test, { fullName, status }) {
    const file = this.#running.get(nameOf(test));
    if (file === undefined) return;
    file.last = fullName;
    if (status === 'failed') file.failed.push(fullName);
  }

  onTestFileResult(test) {
    this.#running.delete(nameOf(test));
  }

  onRunComplete() {
    clearInterval(this.#timer);
  }

  #name() {
    const now = performance.now();
    const long = [...this.#running].filter(([, { since }]) => now - since >= EVERY * MINUTE);
    if (long.length === 0) return;
    for (const [file, { since, last, failed }] of long) {
      const minutes = Math.floor((now - since) / MINUTE);
      const failures = failed.map((name) => `  failed: ${name}\n`).join('');
      process.stderr.write(`\nstill running after ${minutes} minutes: ${file}\n  last ended: ${last}\n${failures}`);
    }
    process.stderr.write(`${descendants().join('\n')}\n`);
  }
}

/** Jest passes different objects for the same test file, but each has this name. */
function nameOf({ path, context }) {
  return `${context.config.displayName.name} ${relative(context.config.rootDir, path)}`;
}

/** A line of `ps` for each process that this one started, directly or indirectly. */
function descendants() {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid,ppid,stat,etimes,time,args'], { encoding: 'utf8' });
  const [heading = '', ...rows] = stdout?.split('\n') ?? [];
  const ours = new Set([String(process.pid)]);
  const found = [];
  // `ps` lists processes by id, so a parent usually comes before its children.
  for (const row of rows) {
    const [pid, parent] = row.trim().split(/\s+/);
    if (!ours.has(parent)) continue;
    ours.add(pid);
    found.push(row.slice(0, 160));
  }
  return [heading, ...found];
}
