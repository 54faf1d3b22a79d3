import { describe, expect, it } from '@jest/globals';
import express, { type Express, type NextFunction, type Request, type Response, type Router } from 'express';
import { assertGuarded, auditRoutes, bearerErrors, requireApi, requireBearer } from 'keyward';
import request from 'supertest';
import { EXPRESS, gate, handler, written } from '../../support/audited.js';
import { DECLINING } from '../../support/stub-verifier.js';

const json = express.json();
const swallow = (_error: unknown, _req: Request, _res: Response, next: NextFunction) => next();
const cookieParser = (_req: Request, _res: Response, next: NextFunction) => next();
const made = express.Router;
const optional = requireBearer({ accept: [{ ...DECLINING, kinds: ['secret'] }], optional: true });

/** Mounts on an app whose parameter `id` has a callback; says how often that ran for a request without a credential. */
async function audited(
  mount: (app: Express, router: Router) => void,
  ask: (app: Express) => request.Test = (app) => request(app).get('/payments/1'),
) {
  let loads = 0;
  const load = (_req: Request, _res: Response, next: NextFunction) => {
    loads += 1;
    next();
  };
  const app = express();
  const router = express.Router();
  app.param('id', load);
  router.param('id', load);
  mount(app, router);
  const { status } = await ask(app);
  const [report] = auditRoutes(app);
  return { app, status, hasLoaded: loads > 0, open: report?.open, openByParam: report?.openByParam };
}

/** Mounts before a router that answers its own refusals, and a router with a callback after it. */
const beforeOwnRefusals = (mount: (app: Express) => unknown) => (app: Express, router: Router) => {
  mount(app);
  app.use(made().use(gate, bearerErrors())).use('/payments/:id', router.get('/', handler));
};

const OPEN = { status: 401, hasLoaded: true, open: false, openByParam: ['id'] };
const CLOSED = { status: 401, hasLoaded: false, open: false, openByParam: [] };

describe('a callback of a parameter', () => {
  it.each<[string, (app: Express, router: Router) => void]>([
    ['of the app, at its route', (app) => app.get('/payments/:id', gate, handler)],
    ['of a router, at its route', (app, router) => app.use('/payments', router.get('/:id', gate, handler))],
    ['where the router is mounted', (app, router) => app.use('/payments/:id', router.get('/', gate, handler))],
    [
      'where the router that holds the gate is mounted',
      (app, router) => app.use('/:id/:n', router.use(gate).get('/', handler)),
    ],
    ['at a function before the gate', (app) => app.use('/:id', express.json()).use(gate).get('/payments/1', handler)],
    ['behind an optional gate', (app) => app.use(optional).get('/payments/:id', requireApi('a'), handler)],
    ['at a pattern', (app) => app.get(written('/payments{/:id}', '/payments/:id(\\d+)?'), gate, handler)],
    ['at a wildcard or pattern', (app) => app.get(written('/*id', '/payments/:id(.*)'), gate, handler)],
    ['at every method', (app) => app.all('/payments/:id', gate, handler)],
    ['at one of several paths', (app) => app.get(['/payments/:id', '/x/:id'], gate, handler)],
  ])('N05 %s, runs before the gate: the route has openByParam', async (_name, mount) => {
    const { app, ...found } = await audited(mount);
    expect(found).toEqual(OPEN);
    expect(() => assertGuarded(app)).toThrow(
      `runs the callback of router.param('id') before requireBearer has accepted the request; call router.use(requireBearer(...), bearerErrors()) before the first path with the parameter "id"`,
    );
  });

  it.each<[string, (app: Express, router: Router) => void]>([
    ['before', (app) => app.all('/payments/:id', gate).use(gate).get('/payments/:id', handler)],
    ['before, for one method', (app) => app.get('/payments/:id', gate).use(gate).get('/payments/:id', handler)],
    [
      'in a router before',
      (app, router) => app.use(router.all('/payments/:id', gate), gate).get('/payments/:id', handler),
    ],
  ])('at a route that has only a gate, %s, runs before the gate of the route', async (_name, mount) => {
    const { app, ...found } = await audited(mount);
    expect(found).toEqual(OPEN);
    expect(() => assertGuarded(app)).toThrow("runs the callback of router.param('id')");
  });

  it.each<[string, (app: Express, router: Router) => void]>([
    ['where a router is mounted', (app, router) => app.use(gate).use('/payments/:id', router.get('/', handler))],
    ['of a function', (app) => app.use(gate).use('/payments/:id', handler)],
    [
      'of a parser before the gate of the route',
      (app) => app.use(gate).use('/:n/:id', json).get('/payments/1', handler),
    ],
    [
      'behind a router that holds bearerErrors before its gate',
      (app, router) => app.use(made().use(bearerErrors(), gate)).use('/payments/:id', router.get('/', handler)),
    ],
    [
      'at a function with several paths, before the gate',
      (app) => app.use(['/x/:id', '/payments/:id'], json).use(gate).get('/payments/1', handler),
    ],
    [
      'at a function before the gate, and the route has an optional part',
      (app) => app.use('/payments/:id', json).use(gate).get(written('/payments{/:n}', '/payments/:n?'), handler),
    ],
    [
      'at a function before the gate, below the path of a function',
      (app) => app.use('/payments/:id', json).use(gate).use('/payments', handler),
    ],
    ['behind a gate and a parser', (app, router) => app.use(gate, json).use('/payments/:id', router.get('/', handler))],
    [
      'behind a gate, and bearerErrors at another path',
      (app, router) => app.use(gate).use('/x', bearerErrors()).use('/payments/:id', router.get('/', handler)),
    ],
    [
      'behind a gate and a router that holds another gate and bearerErrors',
      (app, router) => app.use(gate, made().use(gate, bearerErrors())).use('/payments/:id', router.get('/', handler)),
    ],
    [
      'of a function in a router before a router that holds a gate and bearerErrors',
      (app, router) =>
        app.use(router.use('/:n/:id', cookieParser)).use(made().use(gate, bearerErrors())).get('/payments/1', handler),
    ],
    [
      'behind a router that holds another function after its gate',
      (app, router) => app.use(made().use(gate, cookieParser)).use('/payments/:id', router.get('/', handler)),
    ],
    [
      'behind a router that holds bearerErrors at another path',
      (app, router) =>
        app.use(made().use(gate).use('/x', bearerErrors())).use('/payments/:id', router.get('/', handler)),
    ],
    [
      'in a router that holds a gate too',
      (app, router) => app.use(router.use('/:n/:id', json, gate)).get('/payments/1', gate, handler),
    ],
  ])('%s runs for a refused request too: the route has openByParam', async (_name, mount) => {
    const { app, ...found } = await audited(mount);
    expect(found).toEqual(OPEN);
    expect(() => assertGuarded(app)).toThrow(
      "runs the callback of router.param('id') before requireBearer has accepted the request",
    );
  });

  it.each<[string, (app: Express) => unknown]>([
    ['a gate', (app) => app.use('/payments/1', gate)],
    ['a router with a gate', (app) => app.use('/payments/1', made().use(gate))],
    ['a router with a gate at a path', (app) => app.use(made().use('/payments/1', gate))],
    ['an optional gate', (app) => app.use(made().use(optional, bearerErrors(), made().use(gate)))],
  ])('runs for a request that %s refuses before a router with a gate and bearerErrors', async (_name, mount) => {
    const { app, ...found } = await audited(beforeOwnRefusals(mount));
    expect(found).toEqual(OPEN);
    expect(() => assertGuarded(app)).toThrow("runs the callback of router.param('id')");
  });

  it.each<[string, (app: Express) => unknown]>([
    ['at another path', (app) => app.use('/x', gate)],
    ['in a router at another path', (app) => app.use('/x', made().use(gate))],
    ['at another path of a router', (app) => app.use(made().use('/x', gate))],
    ['before bearerErrors', (app) => app.use('/payments/1', gate).use(bearerErrors())],
    ['in a router with bearerErrors', (app) => app.use('/payments/1', made().use(gate, bearerErrors()))],
  ])('does not if that gate is %s', async (_name, mount) => {
    const { app, ...found } = await audited(beforeOwnRefusals(mount));
    expect(found).toEqual(CLOSED);
    expect(() => assertGuarded(app)).not.toThrow();
  });

  it.each<[string, (app: Express, router: Router) => void]>([
    [
      'after bearerErrors',
      (app, router) => app.use(gate, bearerErrors()).use('/payments/:id', router.get('/', handler)),
    ],
    ['in a router behind the gate', (app, router) => app.use(gate).use(router.use('/payments/:id', handler))],
    [
      'in a router behind the gate, for another route',
      (app, router) => app.use(gate, router.use('/payments/:id', json)).get('/payments/1', handler),
    ],
    [
      'in a router inside a router that holds the gate, before a route that has its own',
      (app, router) => app.use(made().use(gate).use(router.use('/:n/:id', json))).get('/payments/1', gate, handler),
    ],
    [
      'in such a router at a path',
      (app, router) =>
        app.use('/payments', made().use(gate).use(router.use('/:id', json))).get('/payments/1', gate, handler),
    ],
    [
      'in a router behind its gate and bearerErrors, before a route that has its own gate',
      (app, router) =>
        app.use('/payments', router.use(gate, bearerErrors()).use('/:id', json)).get('/payments/1', gate, handler),
    ],
    [
      'behind a router that holds a gate and bearerErrors',
      (app, router) => app.use(made().use(gate, bearerErrors())).use('/payments/:id', router.get('/', handler)),
    ],
  ])('does not run for a refused request: %s', async (_name, mount) => {
    const { app, ...found } = await audited(mount);
    expect(found).toEqual(CLOSED);
    expect(() => assertGuarded(app)).not.toThrow();
  });

  it.each([
    ['a preparation', cookieParser],
    ['bearerErrors', bearerErrors()],
    ['an error handler', swallow],
    ['a router with an error handler', made().use(swallow)],
    ['a preparation at another path', made().use('/x', cookieParser)],
  ])('does not run for a request that a router with bearerErrors refuses, after %s', async (_name, before) => {
    const { app, ...found } = await audited(beforeOwnRefusals((app) => app.use(before as typeof json)));
    expect(found).toEqual(CLOSED);
    expect(() => assertGuarded(app)).not.toThrow();
  });

  it.each<[string, (app: Express, router: Router) => void]>([
    ['the app', (app, router) => app.use(json, gate, bearerErrors()).use('/payments/:id', router.all('/', handler))],
    [
      'the app, and the gate in a router',
      (app, router) => app.use(json, made().use(gate, bearerErrors())).use('/payments/:id', router.all('/', handler)),
    ],
    [
      'a router that holds the gate, before a route that has its own',
      (app, router) =>
        app
          .use('/payments', router.use(json, gate, bearerErrors()).use('/:id', json))
          .all('/payments/1', gate, handler),
    ],
  ])(
    'runs for a body that a parser of %s refuses before the gate: the route has openByParam',
    async (_where, mount) => {
      const { app, ...found } = await audited(mount, (made) =>
        request(made).post('/payments/1').type('json').send('{'),
      );
      expect(found).toMatchObject({ status: 400, hasLoaded: true });
      expect(auditRoutes(app).some(({ openByParam }) => openByParam.includes('id'))).toBe(true);
      expect(() => assertGuarded(app)).toThrow(
        "runs the callback of router.param('id') before requireBearer has accepted the request",
      );
    },
  );

  it('that leaves its router keeps a gate after it from counting', async () => {
    const router = express.Router();
    router.param('id', (_req, _res, next) => next('router'));
    const app = express().use(router.use('/:id', json).use(gate)).get('/x', handler);
    expect((await request(app).get('/x')).status).toBe(200);
    expect(() => assertGuarded(app)).toThrow('GET /x has no requireBearer');
  });

  it.each<[string, (app: Express, router: Router) => void]>([
    ['behind a gate of the app', (app) => app.use(gate).get('/payments/:id', handler)],
    ['behind a parser and a gate of the app', (app) => app.use(json, gate).get('/payments/:id', handler)],
    [
      'behind a preparation that never fails, a gate and bearerErrors, where a router is mounted',
      (app, router) => app.use(cookieParser, gate, bearerErrors()).use('/payments/:id', router.get('/', handler)),
    ],
    ['behind a gate at the path', (app) => app.use('/payments', gate).get('/payments/:id', handler)],
    ['behind a gate of the router', (app, router) => app.use('/payments', router.use(gate).get('/:id', handler))],
    ['behind an optional gate and a guard', (app) => app.use(optional, requireApi('a')).get('/payments/:id', handler)],
    [
      'at a route of a guard alone, behind the gate',
      (app) => app.use(gate).all('/payments/:id', requireApi('a')).get('/payments/:id', handler),
    ],
    [
      'at a route of a guard alone, behind a parser and the gate',
      (app) => app.use(json, gate).all('/payments/:id', requireApi('a')).get('/payments/:id', handler),
    ],
    [
      'at a route of a gate alone, of another path',
      (app) => app.all('/x/:id', gate).use(gate).get('/payments/:id', handler),
    ],
    ['of another parameter', (app) => app.get('/payments/:other', gate, handler)],
    [
      'of another router',
      (app, router) => app.use('/payments', express.Router().get('/:id', gate, handler)).use('/x', router),
    ],
    ['at another path', (app) => app.use('/x/:id', express.json()).use(gate).get('/payments/1', handler)],
    [
      'in a router at another path',
      (app, router) => app.use('/x', router.use('/:id', cookieParser)).use(gate).get('/payments/1', handler),
    ],
  ])('does not make a route open: %s', async (_name, mount) => {
    const { app, ...found } = await audited(mount);
    expect(found).toEqual(CLOSED);
    expect(() => assertGuarded(app)).not.toThrow();
  });

  it('at a function does not run for a route above its path', async () => {
    const mount = (app: Express) => app.use('/payments/:id', json).use(gate).get('/payments', handler);
    const { app, ...found } = await audited(mount, (made) => request(made).get('/payments'));
    expect(found).toEqual(CLOSED);
    expect(() => assertGuarded(app)).not.toThrow();
  });

  it('of a route is listed for that route only', () => {
    const app = express();
    app.param('id', (_req, _res, next) => next());
    app.get('/payments/:id', gate, handler).get('/payments/1', gate, handler);
    expect(auditRoutes(app).map(({ openByParam }) => openByParam)).toEqual([['id'], []]);
  });

  it('of a router that does not store its paths is found by the path of the route', () => {
    const router = express.Router().param('id', (_req, _res, next) => next());
    router.get('/payments/:id', gate, handler);
    for (const layer of router.stack) Reflect.deleteProperty(layer, 'rawPath');
    expect(auditRoutes(router)).toMatchObject([{ path: '/payments/:id', openByParam: ['id'] }]);
  });

  it('is named with the open route if there is no gate', async () => {
    const { app, ...found } = await audited((made) => made.get('/payments/:id', handler));
    expect(found).toEqual({ status: 200, hasLoaded: true, open: true, openByParam: ['id'] });
    expect(() => assertGuarded(app)).toThrow('GET /payments/:id has no requireBearer');
  });

  it('can be listed in except', async () => {
    const { app } = await audited((made) => made.get('/payments/:id', gate, handler));
    expect(() => assertGuarded(app, { except: ['GET /payments/:id'] })).not.toThrow();
  });

  if (EXPRESS === 5) {
    it.each([
      ['a quoted name', '/:"my id"', ['my id']],
      ['a quoted name with an escape', '/:"my \\"id\\""', ['my "id"']],
      ['an escaped character, which is no parameter', '/\\:id', []],
      ['a named group of a regular expression', /^\/(?<id>\d+)$/, ['id', '0']],
      ['a numbered group of a regular expression', /^\/(\d+)$/, ['0']],
      ['a regular expression with flags', /^\/(\d+)$/giy, ['0']],
    ])('reads %s', (_name, path, expected) => {
      const app = express();
      for (const name of ['id', 'my id', 'my "id"', '0', '1']) app.param(name, (_req, _res, next) => next());
      app.get(path as string, gate, handler);
      expect(auditRoutes(app)[0]?.openByParam).toEqual(expected);
    });
  }
});
