import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { loadApp, loadAppWith } from '../../lib/cli/load-app.js';

let folder: string;
let exitCode: typeof process.exitCode;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyward-load-app-'));
  exitCode = process.exitCode;
});
afterEach(() => {
  process.exitCode = exitCode;
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

let files = 0;
/** Writes a module. Each has another name, because a module is loaded once in a process. */
function moduleWith(code: string, ending = 'mjs'): string {
  files += 1;
  const path = join(folder, `app${files}.${ending}`);
  writeFileSync(path, code);
  return path;
}
const APP = 'Object.assign(() => undefined, { handle: () => undefined, title: "this app" })';
const errorOf = (module: string): Promise<unknown> => loadApp(module).catch((failure: unknown) => failure);

describe('the app of a module', () => {
  it.each([
    ['the default export', `export default ${APP}`],
    ['the export app', `export const app = ${APP}`],
    ['the export app, not a function beside it', `export const app = ${APP}; export default () => 1`],
    ['the default export, not a function beside it', `export default ${APP}; export const app = () => 1`],
    ['a member of the default export', `export default { app: ${APP} }`],
    ['what a function returns', `export default () => ${APP}`],
    ['what an asynchronous function returns', `export const app = async () => ${APP}`],
    ['the default of compiled TypeScript', `export default { __esModule: true, default: ${APP} }`],
    ['the app of compiled TypeScript', `export default { __esModule: true, app: ${APP} }`],
    ['the app beside a null', `export default null; export const app = ${APP}`],
    ['what a function beside a null returns', `export default null; export const app = () => ${APP}`],
  ])('is %s', async (_what, code) => {
    expect(await loadApp(moduleWith(code))).toHaveProperty('title', 'this app');
  });

  it.each([
    ['', 'nothing'],
    ['export default { __esModule: false, default: () => 1 }', 'an object'],
    ['export default 1', 'a number'],
    ['export default null', 'null'],
    ['export default { handle: () => undefined }', 'an object with a handle'],
    ['export default () => ({})', 'a function without an app'],
    ['export default () => undefined', 'a function that returns nothing'],
  ])('is missing in "%s", which exports %s', async (code) => {
    const path = moduleWith(code);
    expect(await errorOf(path)).toMatchObject({
      name: 'CliError',
      message: `${path} does not export an Express app; export it as the default export or as "app"`,
      exitCode: 2,
    });
  });

  it('is loaded with another export', async () => {
    for (const code of [
      `export const app = ${APP}; export const document = { a: 1 }`,
      `export default { app: ${APP}, document: { a: 1 } }`,
      `export const app = ${APP}; export const document = { a: 1 }; export default { document: { b: 1 } }`,
    ]) {
      const { app, value } = await loadAppWith(moduleWith(code), 'document');
      expect(app).toHaveProperty('title', 'this app');
      expect(value).toEqual({ a: 1 });
    }
    expect((await loadAppWith(moduleWith(`export const app = ${APP}`), 'document')).value).toBeUndefined();
  });
});

describe('a module that cannot be loaded', () => {
  it('does not exist', async () => {
    const lost = join(folder, 'lost.js');
    expect(await errorOf(lost)).toMatchObject({ message: `the file ${lost} does not exist`, exitCode: 2 });
  });

  it.each([
    ['throws an error', 'throw new Error("broken")', 'broken'],
    ['throws an error in a function', 'export default () => { throw new Error("broken") }', 'broken'],
    ['throws no error', 'throw "a text"', 'a text'],
    ['throws nothing', 'throw undefined', 'undefined'],
    ['rejects', 'export default async () => { throw new Error("broken") }', 'broken'],
  ])('%s', async (_what, code, reason) => {
    const path = moduleWith(code);
    const error = (await errorOf(path)) as Error;
    expect(error).toMatchObject({ name: 'CliError', exitCode: 2 });
    expect(error.message.replace(/ \(at .*\)$/, '')).toBe(`${path} cannot be loaded: ${reason}`);
  });

  it.each([
    ['at work (FILE:3:7)', 'FILE:3:7'],
    ['at FILE:3:7', 'FILE:3:7'],
    ['at async URL:12:34', 'FILE:12:34'],
    ['at node:internal/modules:1:2\n    at URL:3:7', 'FILE:3:7'],
    ['at a.b [as c] (URL:3:7)', 'FILE:3:7'],
    ['at <anonymous>', undefined],
    ['at work (FILE)', undefined],
  ])('names the first place of its stack: %j', async (frames, expected) => {
    const file = join(folder, 'src.js');
    const placed = frames.replaceAll('FILE', file).replaceAll('URL', `file://${file}`);
    const path = moduleWith(
      `throw Object.assign(new Error("broken"), { stack: ${JSON.stringify(`Error: broken\n    ${placed}`)} })`,
    );
    const place = expected === undefined ? '' : ` (at ${expected.replace('FILE', file)})`;
    expect(await errorOf(path)).toMatchObject({ message: `${path} cannot be loaded: broken${place}` });
  });

  it.each([
    ['FILE:7\nimport x\n\nSyntaxError: broken', ' (at FILE:7)'],
    ['URL:7\nSyntaxError: broken', ' (at FILE:7)'],
    ['x FILE:7\nSyntaxError: broken', ''],
  ])('names the place of a syntax error: %j', async (stack, place) => {
    const file = join(folder, 'src.js');
    const placed = stack.replaceAll('FILE', file).replaceAll('URL', `file://${file}`);
    const path = moduleWith(`throw Object.assign(new SyntaxError("broken"), { stack: ${JSON.stringify(placed)} })`);
    expect(await errorOf(path)).toMatchObject({
      message: `${path} cannot be loaded: broken${place.replace('FILE', file)}`,
    });
  });

  it('names a place below the working directory by its relative path', async () => {
    const file = join(process.cwd(), 'src', 'app.js');
    const stack = JSON.stringify(`Error: broken\n    at ${file}:1:2`);
    const path = moduleWith(`throw Object.assign(new Error("broken"), { stack: ${stack} })`);
    expect(await errorOf(path)).toMatchObject({
      message: `${path} cannot be loaded: broken (at ${relative('', file)}:1:2)`,
    });
  });

  it.each(['a:1b', 'a b'])('names a place in a folder %j', async (name) => {
    const file = join(folder, name, 'src.js');
    for (const place of [file, pathToFileURL(file).href]) {
      const stack = JSON.stringify(`Error: broken\n    at ${place}:3:7`);
      const path = moduleWith(`throw Object.assign(new Error("broken"), { stack: ${stack} })`);
      expect(await errorOf(path)).toMatchObject({ message: `${path} cannot be loaded: broken (at ${file}:3:7)` });
    }
  });

  it('names no place if the first one is the file that loads it', async () => {
    const own = join(process.cwd(), 'lib/cli/load-app.ts');
    const stack = JSON.stringify(`Error: broken\n    at async ofModule (${own}:3:7)\n    at ${folder}/src.js:1:2`);
    const path = moduleWith(`throw Object.assign(new Error("broken"), { stack: ${stack} })`);
    expect(await errorOf(path)).toMatchObject({ message: `${path} cannot be loaded: broken` });
  });

  it('has an error that a timer throws', async () => {
    const path = moduleWith(
      `export default () => new Promise(() => {
        setImmediate(() => process.emit('uncaughtException', Object.assign(new Error('late'), { stack: '' })));
      })`,
    );
    expect(await errorOf(path)).toMatchObject({ message: `${path} cannot be loaded: late`, exitCode: 2 });
  });

  it('may handle an error that a timer throws', async () => {
    const handled: unknown[] = [];
    const own = (error: Error) => void handled.push(error.message);
    process.on('uncaughtException', own);
    const app = loadApp(
      moduleWith(
        `export default () => new Promise((resolve) => {
          setImmediate(() => { process.emit('uncaughtException', new Error('late')); setImmediate(() => resolve(${APP})); });
        })`,
      ),
    );
    await expect(app).resolves.toHaveProperty('title', 'this app');
    process.off('uncaughtException', own);
    expect(handled).toEqual(['late']);
  });

  it.each([
    [['keyward', 'routes', 'app.js'], (text: string) => `${text}\n`],
    [
      ['keyward', 'routes', '--json'],
      (message: string) => `${JSON.stringify({ error: { code: 'usage', message, exitCode: 2 } })}\n`,
    ],
  ])('exits the process: %j', async (args, printed) => {
    jest.replaceProperty(process, 'argv', ['node', ...args]);
    const texts: unknown[] = [];
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => texts.push(text) > 0);
    const path = moduleWith(`export default () => { process.emit('exit', 0); return ${APP}; }`);
    await loadApp(path);
    expect(texts).toEqual([
      printed(`${path} cannot be loaded: it exited the process, or it awaits a promise that never settles`),
    ]);
    expect(process.exitCode).toBe(2);
  });

  it('leaves no listener behind', async () => {
    const count = () => [process.listenerCount('exit'), process.listenerCount('uncaughtException')];
    const before = count();
    await loadApp(moduleWith(`export default ${APP}`));
    await errorOf(moduleWith('throw new Error("broken")'));
    expect(count()).toEqual(before);
  });
});
