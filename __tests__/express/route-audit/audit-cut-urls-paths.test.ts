import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { assertGuarded, auditRoutes, bearerErrors } from 'keyward';
import {
  type EndHandler,
  EXPRESS,
  gate,
  handler,
  isReached,
  jsonParser,
  routed,
  written,
} from '../../support/audited.js';

/** A request for which Express cuts other characters than it matched, and an app where it passes a gate by. */
const CUT: Record<string, [string, (app: Express, end: EndHandler) => unknown]> = {
  'in a router, before a function whose name may come twice': [
    'http://h/a\\users/x',
    (app, end) =>
      app.use(
        '/a',
        routed((router) => router.use('/users/users', gate).use('/users/x', jsonParser).get('/users/users/:id', end)),
      ),
  ],
  'in a router, before a function at a part of the route that may be left out': [
    'http://users/a\\admin#',
    (app, end) =>
      app.use(
        '/a',
        routed((router) =>
          router
            .use(['/:v/users', '/users'], gate)
            .use('/admin', jsonParser)
            .get(written('{/:v}/users/:id', '/:v?/users/:id'), end),
        ),
      ),
  ],
  'of several, of which one is not names alone': [
    'http://h/{x}/zzz/admin/users',
    (app, end) =>
      app.use(['/a/admin', '/:tenant/admin'], gate).use('/:tenant', jsonParser).get('/:tenant/admin/users', end),
  ],
  'in a router of which no path is left, before a function': [
    'x://h/a#',
    (app, end) =>
      app
        .use(
          '/a',
          routed((router) => router.use(gate)),
        )
        .use('/a', jsonParser)
        .get('/a', end),
  ],
  'in a router of which no path is left, and a route that may end there': [
    'x://h/a#',
    (app, end) =>
      app
        .use(
          '/a',
          routed((router) => router.use(gate)),
        )
        .get(written('/a{/:id}', '/a/:id?'), end),
  ],
};

if (EXPRESS === 5) {
  CUT['of names alone, before another app'] = [
    'x://h/adm\\abcdin#',
    (app, end) =>
      app
        .use('/admin', gate)
        .use(
          express().use(
            '/:slug',
            routed((router) => router.use('/:page', jsonParser)),
          ),
        )
        .get('/admin/:id', end),
  ];
}

describe('a gate at a path', () => {
  it.each(Object.entries(CUT))('%s: a request passes it by, and the route is open', async (_name, [url, mount]) => {
    expect(await isReached(url, mount)).toBe(true);
    const app = express();
    mount(app, handler);
    expect(auditRoutes(app).at(-1)).toMatchObject({ gates: [], open: true });
    expect(() => assertGuarded(app)).toThrow('has no requireBearer that runs for every request');
  });
});

describe('a gate counts although there is a function at a path', () => {
  const PASSING: Record<string, (app: Express) => unknown> = {
    'before it, in its router': (app) =>
      app
        .use(routed((router) => router.use('/:tenant', jsonParser).use('/:tenant/admin', gate)))
        .get('/:tenant/admin/users', handler),
    'after it, in its router at /, where its path has names alone': (app) =>
      app.use(
        routed((router) => router.use('/api/admin', gate).use('/api', jsonParser).get('/api/admin/users', handler)),
      ),
  };

  it.each(Object.entries(PASSING))('%s', (_name, mount) => {
    const app = express();
    mount(app);
    expect(() => assertGuarded(app.use(bearerErrors()))).not.toThrow();
  });
});

it('a gate at an empty path is not known to cover the mounts of another app', () => {
  const app = express().use('', gate).use(express()).get('/a', handler);
  expect(auditRoutes(app).at(-1)).toMatchObject({ path: '/a', gates: [], open: true });
});
