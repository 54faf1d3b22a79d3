import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { apiKeys, requireApi, requireBearer } from 'keyward';
import { answerOf, S3, T1, U0 } from '../support/answers.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { getRaw } from '../support/raw-http.js';
import { type ServedApp, serveApp } from '../support/served-app.js';

let table: KeyTable;
let api: ServedApp;
let ran: string[];

beforeEach(async () => {
  ran = [];
  table = createKeyTable();
  const gate = requireBearer({ accept: [apiKeys({ resolver: table, kinds: ['secret'], environment: 'live' })] });
  const payments = requireApi('payments');
  const run =
    (name: string): express.RequestHandler =>
    (_req, res) => {
      ran.push(name);
      res.json({});
    };

  api = await serveApp((app) => {
    app.use('/payments', gate, payments);
    app.get('/payments', run('payments'));
    app.post('/payments', run('payments'));
    app.use('/disputes', gate, requireApi('disputes'));
    app.get('/disputes', run('disputes'));

    const inner = express();
    inner.get('/inner', payments, run('sub-app'));
    app.use('/sub', gate, inner);

    app.get('/next', gate, payments, (_req, _res, next) => next('route'), run('skipped'));
    app.get('/next', run('next route'));

    const router = express.Router();
    router.param('id', (_req, _res, next) => next());
    router.get('/:id', payments, run('param'));
    app.use('/param', gate, router);

    const slow: express.RequestHandler = async (_req, _res, next) => {
      await Promise.resolve();
      next();
    };
    app.get('/async', slow, gate, slow, payments, slow, run('async'));

    app.get('/error', gate, payments, () => {
      throw new Error('after the guard');
    });
    app.get('/broken', gate, (_req, _res, next) => next(new Error('before the guard')), payments, run('broken'));
    const failed: express.ErrorRequestHandler = (error, _req, res, next) => {
      if (!(error instanceof Error) || !/the guard$/.test(error.message)) return next(error);
      ran.push(error.message);
      res.status(500).end();
    };
    app.use(failed);
  });
});

afterEach(() => api.close());

const raw = async (target: string, key?: string) =>
  (await getRaw(api.port, key === undefined ? [] : [`Authorization: Bearer ${key}`], target)).status;

describe('no spelling of a path bypasses the guard', () => {
  it.each([
    ['/disputes/../payments', [404]],
    ['//payments', [404]],
    ['%2fpayments', [400, 404]],
    ['/Payments/', [403]],
    ['/payments;x', [404]],
    ['/payments%00', [403, 404]],
    ['/payments/.', [403, 404]],
  ])('S08 %s', async (target, statuses) => {
    const key = table.add({ apis: ['disputes'] });
    // One that is mounted at a prefix may refuse what no route would have answered.
    expect([...statuses, 403]).toContain(await raw(target, key));
    expect([...statuses, 401]).toContain(await raw(target));
    expect([...statuses, 401]).toContain(await raw(target, 'sk_forged'));
    expect(ran).toEqual([]);
  });
});

describe('no other method bypasses the guard', () => {
  it.each([
    ['X-HTTP-Method-Override', 'POST', '/payments', { 'X-HTTP-Method-Override': 'GET' }],
    ['_method', 'POST', '/payments?_method=GET', {}],
    ['HEAD for GET', 'HEAD', '/payments', {}],
  ])('S09 %s', async (_what, method, path, headers) => {
    const [disputes, payments] = [table.add({ apis: ['disputes'] }), table.add({ apis: ['payments'] })];
    expect(answerOf(await api.ask(path, disputes, { method, headers }))).toEqual(S3);
    expect(answerOf(await api.ask(path, undefined, { method, headers }))).toEqual(U0);
    expect(ran).toEqual([]);
    expect((await api.ask(path, payments, { method, headers })).status).toBe(200);
    expect(ran).toEqual(['payments']);
  });
});

describe('no way through the router bypasses the guard', () => {
  it.each([
    ['a sub-app', '/sub/inner', 'sub-app', 200],
    ["next('route')", '/next', 'next route', 200],
    ['router.param', '/param/1', 'param', 200],
    ['async handlers', '/async', 'async', 200],
    ['the error path', '/error', 'after the guard', 500],
  ])('S10 %s', async (_what, path, name, status) => {
    const [disputes, payments] = [table.add({ apis: ['disputes'] }), table.add({ apis: ['payments'] })];
    expect(answerOf(await api.ask(path, disputes))).toEqual(S3);
    expect(answerOf(await api.ask(path))).toEqual(U0);
    expect(answerOf(await api.ask(path, 'sk_forged'))).toEqual(T1);
    expect(ran).toEqual([]);
    expect((await api.ask(path, payments)).status).toBe(status);
    expect(ran).toEqual([name]);
  });

  it('an error before the guard runs no handler behind it', async () => {
    expect((await api.ask('/broken', table.add({ apis: ['payments'] }))).status).toBe(500);
    expect(ran).toEqual(['before the guard']);
  });
});
