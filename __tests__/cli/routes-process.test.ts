import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, runProgram } from '../support/built-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'keyward-routes-'));

beforeAll(build);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('keyward routes', () => {
  it.each([
    ['because it cannot be parsed', 'typo.cjs', 'const = 1;', /Unexpected token '=' \(at .*typo\.cjs:1\)$/],
    [
      'because it imports what is not there',
      'lacks.mjs',
      "import 'not-installed';",
      /Cannot find package 'not-installed'.*$/,
    ],
    [
      'because it ends the process',
      'ends.mjs',
      'process.exit(0);',
      /^it exited the process, or it awaits a promise that never settles$/,
    ],
    [
      'because it never settles',
      'waits.mjs',
      'await new Promise(() => {});',
      /^it exited the process, or it awaits a promise that never settles$/,
    ],
    [
      'because its function never settles',
      'never.mjs',
      'export default () => new Promise(() => {});',
      /^it exited the process, or it awaits a promise that never settles$/,
    ],
  ])('prints why a module gives no app, %s, and ends with 2', async (_when, name, text, message) => {
    writeFileSync(join(folder, name), text);
    const { code, out, err } = await runProgram(['routes', join(folder, name)]);
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd().split(' cannot be loaded: ')).toEqual([join(folder, name), expect.stringMatching(message)]);
  });

  it('prints the error as JSON with --json, also where the module ends the process', async () => {
    writeFileSync(join(folder, 'ends.mjs'), 'process.exit(0);');
    const { code, out, err } = await runProgram(['routes', join(folder, 'ends.mjs'), '--json']);
    expect([code, out]).toEqual([2, '']);
    expect(JSON.parse(err)).toEqual({
      error: { code: 'usage', message: expect.stringContaining('it exited the process'), exitCode: 2 },
    });
  });
});
