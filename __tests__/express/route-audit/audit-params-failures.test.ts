import { expect, it } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import { auditRoutes, bearerErrors } from 'keyward';
import request from 'supertest';
import { gate, handler } from '../../support/audited.js';

const made = express.Router;
const passing: RequestHandler = (_req, _res, next) => next();
/** Fails for some requests, as a parser does for a malformed body. */
const failing: RequestHandler = (req, _res, next) => next(req.headers['x-fail'] ? new Error('failed') : undefined);

/** Has the name of a known middleware, but other parameters. */
const logger = (...all: Parameters<RequestHandler>) => failing(...all);

/** Whether a callback behind the gate runs for a failing request without a credential, and what the audit says. */
async function callbackAfter(mount: (app: Express) => unknown) {
  let hasRun = false;
  const router = made().all('/', handler);
  const app = express();
  app.param('id', (_req, _res, next) => {
    hasRun = true;
    next();
  });
  mount(app);
  app.use(gate, bearerErrors()).use('/payments/:id', router);
  app.use(((_error, _req, res, _next) => void res.sendStatus(500)) satisfies express.ErrorRequestHandler);
  await request(app).get('/payments/1').set('x-fail', '1');
  const report = auditRoutes(app).findLast(({ path }) => path === '/payments/:id');
  return { hasRun, openByParam: report?.openByParam };
}

it.each<[string, (app: Express) => unknown]>([
  ['a function', (app) => app.use(failing)],
  ['a function at the path', (app) => app.use('/payments', failing)],
  ['a route', (app) => app.all('/payments/:n', failing)],
  ['a router', (app) => app.use(made().use(failing))],
  ['a router, after a function that does not fail', (app) => app.use(made().use(passing, failing))],
  ['a router, before its gate', (app) => app.use(made().use(failing, gate))],
  ['a router at a path', (app) => app.use('/payments', made().use('/1', failing))],
  ['a router in a router', (app) => app.use(made().use(made().use(failing)))],
  ['a function of the app that has the name of a known middleware', (app) => app.use(logger)],
])('a callback behind the gate runs for a request that fails before it, in %s', async (_name, mount) => {
  expect(await callbackAfter(mount)).toEqual({ hasRun: true, openByParam: ['id'] });
});

it.each<[string, (app: Express) => unknown]>([
  ['nothing', () => {}],
  ['a function at another path', (app) => app.use('/x', failing)],
  ['a route at another path', (app) => app.all('/x', failing)],
  ['a router at another path', (app) => app.use('/x', made().use(failing))],
  ['a function behind another gate', (app) => app.use(gate, failing)],
  ['a router, behind its gate', (app) => app.use(made().use(gate, failing))],
  ['a router at another path inside', (app) => app.use(made().use('/x', failing))],
])('a callback behind the gate does not run for a request that may fail in %s', async (_name, mount) => {
  expect(await callbackAfter(mount)).toEqual({ hasRun: false, openByParam: [] });
});
