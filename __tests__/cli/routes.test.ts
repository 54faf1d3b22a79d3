import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ROOT } from '../examples/built-service.js';
import { build, runProgram } from '../support/built-cli.js';

const folder = mkdtempSync(join(ROOT, '.routes-'));

beforeAll(build);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const APP = `
  import express from 'express';
  import { apiKeys, requireApi, requireBearer } from 'keyward';
  const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
  const app = express();
  app.get('/health', (req, res) => res.end());
  app.use('/payments', requireBearer({ accept: [keys] }), requireApi('payments'));
  app.get('/payments/:id', (req, res) => res.end());
`;

describe('keyward routes', () => {
  it.each([
    ['an app by default', 'export default app;'],
    ['one named app', 'export { app };'],
    ['a function that makes one', 'export default () => app;'],
    ['a function that promises one', 'export default async () => app;'],
  ])('prints the gates and guards of %s, and ends with 1 if a route is open', async (_what, ending) => {
    const module = join(folder, `app-${Math.random().toString(36).slice(2)}.mjs`);
    writeFileSync(module, APP + ending);
    const { code, out, err } = await runProgram(['routes', module]);
    expect(code).toBe(1);
    expect(out).toMatch(/^METHOD +PATH +STATE +GATES +GUARDS\n/);
    expect(out).toMatch(/\nGET +\/health +OPEN +0 +-\n/);
    expect(out).toMatch(/\nGET +\/payments\/:id +guarded +1 +requireApi\S*\n/);
    expect(err).toBe('1 route is not guarded: GET /health\n');
  });

  it('a route that accepts keys of any kind counts as open', async () => {
    const module = join(folder, 'any-kind.mjs');
    writeFileSync(
      module,
      `import express from 'express';
      import { requireBearer, requireKeyKind } from 'keyward';
      const custom = { verify: () => ({ outcome: 'declined' }) };
      const app = express();
      app.get('/any', requireBearer({ accept: [custom] }), (req, res) => res.end());
      app.get('/secret', requireBearer({ accept: [custom] }), requireKeyKind('secret'), (req, res) => res.end());
      export default app;`,
    );
    const { code, out, err } = await runProgram(['routes', module]);
    expect([code, err]).toEqual([1, '1 route is not guarded: GET /any\n']);
    expect(out).toMatch(/\nGET +\/any +OPEN +1 +-\n/);
    expect(out).toMatch(/\nGET +\/secret +guarded +1 +requireKeyKind\S*\n/);
  });

  it('a route counts as open if a callback of app.param runs before its gate', async () => {
    const module = join(folder, 'param.mjs');
    writeFileSync(
      module,
      `import express from 'express';
      import { apiKeys, requireApi, requireBearer } from 'keyward';
      const keys = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
      const app = express();
      app.param('id', (req, res, next) => next());
      app.get('/payments/:id', requireBearer({ accept: [keys] }), requireApi('payments'), (req, res) => res.end());
      export default app;`,
    );
    const { code, out, err } = await runProgram(['routes', module]);
    expect([code, err]).toEqual([1, '1 route is not guarded: GET /payments/:id\n']);
    expect(out).toMatch(/\nGET +\/payments\/:id +OPEN +1 +requireApi\S*\n/);
  });

  it('--except shows which routes are excepted, and needs routes that exist', async () => {
    const module = join(folder, 'excepted.mjs');
    writeFileSync(module, `${APP} export default app;`);
    const { code, out, err } = await runProgram(['routes', module, '--except', 'GET /health']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/\nGET +\/health +excepted +0 +-\n/);
    const gone = ['--except', 'GET /gone', '--except', 'POST /gone'];
    const stale = await runProgram(['routes', module, '--except', 'GET /health', ...gone]);
    expect([stale.code, stale.out, stale.err]).toEqual([
      ...[2, '', '--except: the app has no route GET /gone or POST /gone\n'],
    ]);
    const json = await runProgram(['routes', module, '--json']);
    expect([json.code, JSON.parse(json.out).open]).toEqual([1, ['GET /health']]);
  });

  it.each([
    ['start.mjs', `${APP} export { app }; export default () => { throw new Error('it was started'); };`],
    ['settings.mjs', `${APP} export { app }; export default { port: 80 };`],
    [
      'start.cjs',
      `exports.default = () => { throw new Error('it was started'); };
       exports.app = require('express')();
       exports.app.get('/health', (req, res) => res.end());
       Object.defineProperty(exports, '__esModule', { value: true });`,
    ],
  ])('reads an app named app beside another default export: %s', async (name, text) => {
    writeFileSync(join(folder, name), text);
    const { code, err } = await runProgram(['routes', join(folder, name)]);
    expect([code, err]).toEqual([1, '1 route is not guarded: GET /health\n']);
  });

  it('ends with 0 if all open routes are allowed', async () => {
    const module = join(folder, 'app.mjs');
    writeFileSync(module, `${APP} export default app;`);
    const { code, out } = await runProgram(['routes', module, '--except', 'GET /health', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ open: [], routes: [{ path: '/health' }, { path: '/payments/:id' }] });
  });

  it.each([
    ['export default', '{ default: app }'],
    ['export default, of a function', '{ default: () => app }'],
    ['export const app', '{ app }'],
  ])('accepts %s compiled to CommonJS by TypeScript', async (_what, exported) => {
    const module = join(folder, `compiled-${Math.random().toString(36).slice(2)}.cjs`);
    writeFileSync(
      module,
      `const app = require('express')();
       app.get('/open', (req, res) => res.end());
       Object.defineProperty(exports, '__esModule', { value: true });
       Object.assign(exports, ${exported});`,
    );
    const { code, err } = await runProgram(['routes', module]);
    expect([code, err]).toEqual([1, '1 route is not guarded: GET /open\n']);
  });

  it.each([
    [
      'while it is loaded',
      'throws.mjs',
      '\nthrow new Error("PG_HOST is not set");',
      /PG_HOST is not set \(at .*throws\.mjs:2:7\)$/,
    ],
    ['while it is loaded, in CommonJS', 'throws.cjs', 'null.x;', /Cannot read .*null.* \(at .*throws\.cjs:1:6\)$/],
    [
      'while it makes an app',
      'makes.mjs',
      'export default () => { throw new Error("no"); };',
      /no \(at .*makes\.mjs:1:30\)$/,
    ],
    ['while it throws no error', 'text.mjs', 'throw "no config";', /no config$/],
  ])('prints why a module gives no app, %s, and ends with 2', async (_when, name, text, message) => {
    writeFileSync(join(folder, name), text);
    const { code, out, err } = await runProgram(['routes', join(folder, name)]);
    expect([code, out]).toEqual([2, '']);
    expect(err.trimEnd().split(' cannot be loaded: ')).toEqual([join(folder, name), expect.stringMatching(message)]);
  });

  it('warns of an app without routes', async () => {
    const module = join(folder, 'empty.mjs');
    writeFileSync(module, "import express from 'express'; export const app = express();");
    expect(await runProgram(['routes', module])).toMatchObject({
      ...{ code: 0, out: 'The app has no routes.\n\n' },
      err: 'warning: no route was checked; check that the module exports the whole app\n',
    });
    const { code, out, err } = await runProgram(['routes', module, '--json']);
    expect([code, JSON.parse(out)]).toEqual([0, { routes: [], open: [] }]);
    expect(JSON.parse(err)).toEqual({
      warning: { message: 'no route was checked; check that the module exports the whole app' },
    });
  });
});
