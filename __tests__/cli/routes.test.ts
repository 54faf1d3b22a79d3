import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build, ROOT } from '../examples/built-service.js';
import { runProgram } from '../support/built-cli.js';

const folder = mkdtempSync(join(ROOT, '.routes-'));

beforeAll(build, 120_000);
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
  ])('tells the gates and guards of %s, and ends with 1 when one is open', async (_what, ending) => {
    const module = join(folder, `app-${Math.random().toString(36).slice(2)}.mjs`);
    writeFileSync(module, APP + ending);
    const { code, out, err } = await runProgram(['routes', module]);
    expect(code).toBe(1);
    expect(out).toMatch(/^METHOD +PATH +STATE +GATES +GUARDS\n/);
    expect(out).toMatch(/\nGET +\/health +OPEN +0 +-\n/);
    expect(out).toMatch(/\nGET +\/payments\/:id +guarded +1 +requireApi\S*\n/);
    expect(err).toBe('1 open: GET /health\n');
  });

  it('ends with 0 where what is open may be', async () => {
    const module = join(folder, 'app.mjs');
    writeFileSync(module, `${APP} export default app;`);
    const { code, out } = await runProgram(['routes', module, '--except', 'GET /health', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ open: [], routes: [{ path: '/health' }, { path: '/payments/:id' }] });
  });
});
