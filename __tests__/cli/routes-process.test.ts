import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '../examples/built-service.js';
import { build, runProgram } from '../support/built-cli.js';
import { folderInRepository } from '../support/folder-in-repository.js';
import { runSync } from '../support/run-sync.js';

const folder = mkdtempSync(join(tmpdir(), 'keyward-routes-'));
const linked = folderInRepository('.routes-');

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
    [
      'because a timer of it throws',
      'timer.mjs',
      "setTimeout(() => { throw new Error('no config'); }); await new Promise(() => {});",
      /^no config \(at .*timer\.mjs:1:\d+\)$/,
    ],
    [
      'because it does not handle a rejection',
      'rejects.mjs',
      "Promise.reject(new Error('no config')); await new Promise(() => setInterval(() => undefined, 60_000));",
      /^no config \(at .*rejects\.mjs:1:\d+\)$/,
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

  it.each([
    ['a timer of the module throws', 'timer-json.mjs', "setTimeout(() => { throw 'no config'; });", 'no config'],
    [
      'a listener of the module exits because of it',
      'logs.mjs',
      `process.on('uncaughtException', () => process.exit(1));
       setTimeout(() => { throw new Error('no config'); });`,
      'it exited the process',
    ],
  ])('prints only the error as JSON with --json if %s', async (_what, name, text, message) => {
    const module = join(folder, name);
    writeFileSync(module, `${text} await new Promise(() => setInterval(() => undefined, 60_000));`);
    const { code, err } = await runProgram(['routes', module, '--json']);
    expect([code, JSON.parse(err)]).toMatchObject([
      ...[2, { error: { code: 'usage', message: expect.stringContaining(`cannot be loaded: ${message}`) } }],
    ]);
  });

  it('loads a module that handles an error of its own', () => {
    const app = linked.file(
      'handles.mjs',
      `import express from 'express';
      const handled = new Promise((resolve) => process.once('uncaughtException', resolve));
      setTimeout(() => { throw new Error('expected'); });
      await handled;
      export const app = express().get('/health', () => {});`,
    );
    const args = [join(ROOT, 'dist/cli/main.js'), 'routes', app, '--except', 'GET /health', '--json'];
    const { status, stderr } = runSync(process.execPath, args);
    expect([status, stderr]).toEqual([0, '']);
  });

  it.each([
    ['a pipe', '"$0" "$@" | cat'],
    ['a file', '"$0" "$@" > out.json; cat out.json'],
  ])('prints to %s only its result; what the app prints goes to standard error', (_what, command) => {
    const app = linked.file(
      'noisy.mjs',
      `import express from 'express';
      console.log('loading');
      export const app = async () => {
        process.stdout.write('starting\\n');
        process.once('exit', () => console.log('ending'));
        return express().get('/health', () => {});
      };`,
    );
    const args = [join(ROOT, 'dist/cli/main.js'), 'routes', app, '--except', 'GET /health', '--json'];
    const { stdout, stderr } = runSync('sh', ['-c', command, process.execPath, ...args], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ routes: [{ path: '/health' }] });
    expect(stderr).toBe('loading\nstarting\nending\n');
  });

  it('finds the packages of a linked package, as pnpm installs them, if standard error is a pipe', () => {
    const modules = join(linked.folder, 'node_modules');
    const stored = join(modules, '.pnpm/outer@1.0.0/node_modules');
    for (const name of ['outer', 'inner']) {
      mkdirSync(join(stored, name), { recursive: true });
      writeFileSync(join(stored, name, 'package.json'), JSON.stringify({ name, type: 'module', main: './main.js' }));
    }
    writeFileSync(join(stored, 'outer/main.js'), "export { path } from 'inner';");
    writeFileSync(join(stored, 'inner/main.js'), "export const path = '/health';");
    symlinkSync('.pnpm/outer@1.0.0/node_modules/outer', join(modules, 'outer'));
    const app = linked.file(
      'app.mjs',
      "import express from 'express'; import { path } from 'outer'; export const app = express(); app.get(path, () => {});",
    );
    // The streams of a child process of Node are sockets, so a shell makes the pipe.
    const command = ['"$0" "$@" 2>&1 | cat', process.execPath, join(ROOT, 'dist/cli/main.js')];
    const args = ['routes', app, '--except', 'GET /health'];
    const { stdout } = runSync('sh', ['-c', ...command, ...args]);
    expect(stdout).toMatch(/GET +\/health +excepted/);
  });
});
