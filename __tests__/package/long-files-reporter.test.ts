import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';

interface FakeTest {
  readonly path: string;
  readonly context: { readonly config: { readonly rootDir: string; readonly displayName: { readonly name: string } } };
}

/** What Jest calls: a script without types. */
interface Reporter {
  onRunStart(): void;
  onTestFileStart(test: FakeTest): void;
  onTestCaseResult(test: FakeTest, result: { readonly fullName: string; readonly status: string }): void;
  onTestFileResult(test: FakeTest): void;
  onRunComplete(): void;
}

const MINUTE = 60_000;
const SCRIPT = new URL('../../scripts/long-files-reporter.js', import.meta.url).href;
const { default: LongFilesReporter } = (await import(SCRIPT)) as { default: new () => Reporter };
const context = { config: { rootDir: '/project', displayName: { name: 'express 5' } } };
const slow = { path: '/project/__tests__/slow.test.ts', context };
const quick = { path: '/project/__tests__/quick.test.ts', context };

const printed: string[] = [];
let reporter: Reporter;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  printed.length = 0;
  reporter = new LongFilesReporter();
  reporter.onRunStart();
});

afterEach(() => {
  reporter.onRunComplete();
  jest.restoreAllMocks();
  jest.useRealTimers();
});

it('names a file that runs for five minutes, and again every five minutes', () => {
  reporter.onTestFileStart(slow);
  reporter.onTestFileStart(quick);
  jest.advanceTimersByTime(4 * MINUTE);
  reporter.onTestFileResult({ ...quick });
  expect(printed).toEqual([]);
  jest.advanceTimersByTime(MINUTE);
  const named = (minutes: number, more: string) =>
    `\nstill running after ${minutes} minutes: express 5 ${join('__tests__', 'slow.test.ts')}\n${more}`;
  const first = [named(5, '  last ended: none\n'), expect.any(String)];
  expect(printed).toEqual(first);
  reporter.onTestCaseResult({ ...slow }, { fullName: 'one waits', status: 'failed' });
  reporter.onTestCaseResult({ ...slow }, { fullName: 'one does', status: 'passed' });
  jest.advanceTimersByTime(5 * MINUTE);
  const second = [named(10, '  last ended: one does\n  failed: one waits\n'), expect.any(String)];
  expect(printed).toEqual([...first, ...second]);
  reporter.onTestFileResult({ ...slow });
  jest.advanceTimersByTime(10 * MINUTE);
  expect(printed.length).toBe(4);
});

it('prints the processes that the run started', async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()', 'a child of the run']);
  await once(child, 'spawn');
  reporter.onTestFileStart(slow);
  jest.advanceTimersByTime(5 * MINUTE);
  child.kill();
  await once(child, 'close');
  const [heading, ...rows] = (printed[1] ?? '').trimEnd().split('\n');
  expect(heading).toMatch(/^ +PID +PPID STAT/);
  expect(rows).toContainEqual(
    expect.stringMatching(new RegExp(`^ *${child.pid} +${process.pid} .*a child of the run$`)),
  );
});

it('stops with the run', () => {
  reporter.onTestFileStart(slow);
  reporter.onRunComplete();
  jest.advanceTimersByTime(10 * MINUTE);
  expect(printed).toEqual([]);
});
