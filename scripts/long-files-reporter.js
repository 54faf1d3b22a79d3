import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';

const MINUTE = 60_000;
/** Minutes after which a test file that still runs is named, and again every so many minutes. No file should take as long. */
const EVERY = 5;

/**
 * Names test files that run for minutes, with the last of their tests that ended, and those that failed. Jest ends a test that
 * waits too long, but many may wait in one file, and nothing ends a loop, or a module that never loads: the run would hang, and
 * say nothing. The processes of the run are printed too: one that loops has the state R and spends CPU, one that waits has not.
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
      process.stdout.write(`\nstill running after ${minutes} minutes: ${file}\n  last ended: ${last}\n${failures}`);
    }
    process.stdout.write(`${descendants().join('\n')}\n`);
  }
}

/** An event about a test has a part of what Jest knows of its file: this names the file in each. */
function nameOf({ path, context }) {
  return `${context.config.displayName.name} ${relative(context.config.rootDir, path)}`;
}

/** A line for each process that this one started, directly or not: its ids, state, time, CPU time and command. */
function descendants() {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid,ppid,stat,etimes,time,args'], { encoding: 'utf8' });
  const [heading = '', ...rows] = stdout?.split('\n') ?? [];
  const ours = new Set([String(process.pid)]);
  const found = [];
  // A process is listed after the one that started it, except where ids were used again.
  for (const row of rows) {
    const [pid, parent] = row.trim().split(/\s+/);
    if (!ours.has(parent)) continue;
    ours.add(pid);
    found.push(row.slice(0, 160));
  }
  return [heading, ...found];
}
