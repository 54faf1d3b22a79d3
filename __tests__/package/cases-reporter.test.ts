import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

/** What Jest calls: a script without types. */
interface Reporter {
  onRunComplete(projects: ReadonlySet<string>, results: { readonly testResults: readonly FakeRun[] }): void;
  getLastError(): Error | undefined;
}

type Listed = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface FakeTest {
  readonly title: string;
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'pending';
  readonly numPassingAsserts: number;
}

interface FakeRun {
  readonly displayName: { readonly name: string };
  readonly testResults: readonly FakeTest[];
}

const DELETED = 50;
const SCRIPT = new URL('../../scripts/cases-reporter.js', import.meta.url).href;
const { default: CasesReporter } = (await import(SCRIPT)) as { default: new (config: object) => Reporter };
const listed = JSON.parse(readFileSync(new URL('../cases.json', import.meta.url), 'utf8')) as Listed;

/** A run in which every listed test passed: one entry for each test and each time that it runs. */
const complete: readonly FakeRun[] = Object.entries(listed).flatMap(([id, tests]) =>
  Object.entries(tests).flatMap(([fullName, projects]) =>
    projects.split(', ').flatMap((project) => {
      const { 1: name = '', 2: times = '1' } = /^(.*?)(?: \((\d+)\))?$/.exec(project) ?? [];
      const test: FakeTest = { title: `${id} does`, fullName, status: 'passed', numPassingAsserts: 1 };
      return Array.from({ length: Number(times) }, () => ({ displayName: { name }, testResults: [test] }));
    }),
  ),
);

/** The error with which a whole run ends. */
function errorOf(testResults: readonly FakeRun[]): Error | undefined {
  const projects = ['express 5', 'express 4'];
  const reporter = new CasesReporter({ projects, testPathPatterns: { patterns: [] } });
  reporter.onRunComplete(new Set(projects), { testResults });
  return reporter.getLastError();
}

const before = process.env.KEYWARD_ALL_CASES;

// `npm run cases` sets it, and the reporters of these tests must not write the list.
delete process.env.KEYWARD_WRITE_CASES;

beforeEach(() => {
  process.env.KEYWARD_ALL_CASES = '1';
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(() => {
  jest.restoreAllMocks();
  if (before === undefined) delete process.env.KEYWARD_ALL_CASES;
  else process.env.KEYWARD_ALL_CASES = before;
});

/** The complete run with one entry changed. */
const withChange = (index: number, change: Partial<FakeTest>): readonly FakeRun[] =>
  complete.map((run, at) =>
    at === index ? { ...run, testResults: run.testResults.map((test) => ({ ...test, ...change })) } : run,
  );

describe('a whole run', () => {
  it('passes if every listed test passed with an assertion', () => {
    expect(errorOf(complete)).toBeUndefined();
  });

  it(`fails if any one of them is deleted: ${DELETED} random ones`, () => {
    for (let tried = 0; tried < DELETED; tried += 1) {
      const index = Math.floor(Math.random() * complete.length);
      const error = errorOf(complete.filter((_, at) => at !== index));
      expect([complete[index]?.testResults[0]?.fullName, error]).toEqual([expect.any(String), expect.any(Error)]);
    }
  });

  it.each([
    ['fails', { status: 'failed' }],
    ['is skipped', { status: 'pending' }],
    ['makes no assertion', { numPassingAsserts: 0 }],
    ['is renamed', { fullName: 'another name' }],
    ['loses its number', { title: 'does' }],
  ] as const)('fails if one of them %s', (_how, change) => {
    expect(errorOf(withChange(complete.length >> 1, change))).toBeInstanceOf(Error);
  });

  it('fails if a test without a number makes no assertion', () => {
    const silent: FakeTest = { title: 'does', fullName: 'it does', status: 'passed', numPassingAsserts: 0 };
    expect(errorOf([...complete, { displayName: { name: 'express 5' }, testResults: [silent] }])).toBeInstanceOf(Error);
  });
});
