import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { assertGuarded, auditRoutes, bearerErrors, requireApi } from 'keyward';
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

/** What may stand between a gate and a route, and the request for which Express cuts other characters than it matched. */
const CUT: Record<string, [string, (app: Express, end: EndHandler) => unknown]> = {
  'a router at the parameter': [
    'http://h/{x}/zzz/admin/users',
    (app, end) =>
      app.use('/:tenant/admin', gate).use(
        '/:tenant',
        routed((router) => router.get('/admin/users', end)),
      ),
  ],
  'a router at the parameter, for a path with a fragment': [
    '/{x}/zzz/admin/users#',
    (app, end) =>
      app.use('/:tenant/admin', gate).use(
        '/:tenant',
        routed((router) => router.get('/admin/users', end)),
      ),
  ],
  'an empty router at the parameter': [
    'http://h/{x}/zzz/admin/users',
    (app, end) => app.use('/:tenant/admin', gate).use('/:tenant', express.Router()).get('/:tenant/admin/users', end),
  ],
  'such a router in a router': [
    'http://h/{x}/zzz/admin/users',
    (app, end) =>
      app
        .use('/:tenant/admin', gate)
        .use(routed((router) => router.use('/:tenant', jsonParser)))
        .get('/:tenant/admin/users', end),
  ],
  'such a function in the router of the gate': [
    'http://h/{x}/zzz/admin/users',
    (app, end) =>
      app
        .use(routed((router) => router.use('/:tenant/admin', gate).use('/:tenant', jsonParser)))
        .get('/:tenant/admin/users', end),
  ],
  'another app': [
    'http://h/{x}/zzz/admin/users',
    (app, end) =>
      app.use('/:tenant/admin', gate).use(express().use('/:tenant', jsonParser)).get('/:tenant/admin/users', end),
  ],
  'two routers at names, the last with the parameter': [
    'http://h/a\\users/',
    (app, end) =>
      app.use('/a/users/:id', gate).use(
        '/a',
        routed((router) =>
          router.use(
            '/users',
            routed((inner) => inner.get('/:id', end)),
          ),
        ),
      ),
  ],
  'two routers at names': [
    'http://payments/a\\users#',
    (app, end) =>
      app.use('/a/users/payments', gate).use(
        '/a',
        routed((router) =>
          router.use(
            '/users',
            routed((inner) => inner.get('/payments/:id', end)),
          ),
        ),
      ),
  ],
  'a function in the router of the route': [
    'http://payments/a\\users#',
    (app, end) =>
      app.use('/a/users/payments', gate).use(
        '/a',
        routed((router) => router.use('/users', jsonParser).get('/users/payments/:id', end)),
      ),
  ],
  'a function at a name, all in a router': [
    'http://h/a\\users/',
    (app, end) =>
      app.use(
        '/a',
        routed((router) => router.use('/users/:id', gate).use('/users', jsonParser).get('/users/:id', end)),
      ),
  ],
  'a function at a name, before a gate at names, all in a router': [
    'http://payments/a\\users#',
    (app, end) =>
      app.use(
        '/a',
        routed((router) =>
          router.use('/users/payments', gate).use('/users', jsonParser).get('/users/payments/:id', end),
        ),
      ),
  ],
  'nothing, where the gate is in a router of which no path is left': [
    'x://h/a#',
    (app, end) =>
      app
        .use(
          '/a',
          routed((router) => router.use(gate)),
        )
        .get('/a', end),
  ],
};

CUT['nothing, where the gate is in a router at a path that may be left out'] = [
  'x://h/a',
  (app, end) =>
    app
      .use(
        written('{/:x}', '/:x?'),
        routed((router) => router.use(gate)),
      )
      .get('/a', end),
];
CUT['a router at an empty path, where the gate is in a router at a path that may be left out'] = [
  'x://h/a',
  (app, end) =>
    app
      .use(
        written('{/:x}', '/:x?'),
        routed((router) => router.use(gate)),
      )
      .use(
        '',
        routed((router) => router.get('/a', end)),
      ),
];

if (EXPRESS === 4) {
  CUT['a function at the start of the name, all in a router'] = [
    'xx://s/a\\user#',
    (app, end) =>
      app.use(
        '/a',
        routed((router) => router.use('/users', gate).use('/user', jsonParser).get('/users/:id', end)),
      ),
  ];
} else {
  CUT['a router with a path in it, before a gate at a name'] = [
    'x://h/adm\\abcdin#',
    (app, end) =>
      app
        .use('/admin', gate)
        .use(
          '/:slug',
          routed((router) => router.use('/:page', jsonParser)),
        )
        .get('/admin/:id', end),
  ];
}

describe('a gate at a path, then', () => {
  it.each(Object.entries(CUT))('%s: a request passes it by, and the route is open', async (_name, [url, mount]) => {
    expect(await isReached(url, mount)).toBe(true);
    const app = express();
    mount(app, handler);
    expect(auditRoutes(app).at(-1)).toMatchObject({ gates: [], open: true });
    expect(() => assertGuarded(app)).toThrow(
      'has no requireBearer that runs for every request; mount requireBearer before it, at the start of the app or of its router, or on the route',
    );
  });

  it('an error handler of such a gate does not protect a callback', () => {
    const app = express();
    app.param('id', (_req, _res, next) => next());
    app.use(gate).use('/:tenant/admin', bearerErrors()).use('/:tenant', jsonParser);
    app.use('/:tenant/admin/:id', express.Router().get('/', handler));
    expect(auditRoutes(app)[0]?.openByParam).toEqual(['id']);
  });

  it('a guard at a path with a parameter counts for no route in a router at the parameter', () => {
    const app = express().use(gate).use('/:tenant/admin', requireApi('admin'));
    app.use('/:tenant', express.Router().get('/admin/users', handler));
    expect(auditRoutes(app)).toMatchObject([{ open: false, guards: [] }]);
  });
});

describe('a gate counts although a function or router at a path comes after it', () => {
  const users = routed((router) => router.get('/users', handler));
  const PASSING: Record<string, (app: Express) => unknown> = {
    'where it is at /': (app) => app.use(gate).use('/:tenant', users),
    'where it is in the router': (app) =>
      app.use(
        '/:tenant',
        routed((router) => router.use(gate).use('/:id', users)),
      ),
    'where it is on the route': (app) =>
      app.use(
        '/:tenant',
        routed((router) => router.get('/users', gate, handler)),
      ),
    'where it covers the router': (app) => app.use('/:tenant', gate).use('/:name', users),
    'where it covers the function': (app) =>
      app.use('/:tenant', gate).use('/:tenant/admin', jsonParser).get('/:tenant/admin/users', handler),
    'where its path has names alone, before a function': (app) =>
      app.use('/api/admin', gate).use('/api', jsonParser).use('/:any', jsonParser).get('/api/admin/users', handler),
    'where its path has names alone, before a router without paths': (app) =>
      app
        .use('/admin', gate)
        .use(
          '/:slug',
          routed((router) => router.use(jsonParser).get('/', gate, handler)),
        )
        .use('/admin', users),
    'where the other is for another name': (app) =>
      app
        .use('/:tenant/admin', gate)
        .use(
          '/:tenant/reports',
          routed((router) => router.use('/:id', jsonParser)),
        )
        .use('/:tenant/admin', users),
    'where the other is for another name, all in a router': (app) =>
      app.use(
        '/api',
        routed((router) => router.use('/admin', gate).use('/public', jsonParser).use('/admin', users)),
      ),
    'where a router of the gate is before that of the route': (app) =>
      app.use(
        '/api',
        routed((router) => router.use(jsonParser, gate)),
        routed((router) => router.get('/', handler).get('/users', handler)),
      ),
  };

  it.each(Object.entries(PASSING))('%s', (_name, mount) => {
    const app = express();
    mount(app);
    expect(() => assertGuarded(app.use(bearerErrors()))).not.toThrow();
  });

  it.each([
    ['the app alone', () => express(), false],
    ['a router, which may be anywhere', () => express.Router() as unknown as Express, true],
    [
      'an app in another app',
      () => {
        const app = express();
        express().use('/a', app);
        return app;
      },
      true,
    ],
  ])('where its path has names alone: %s', (_name, made, open) => {
    const app = made();
    app.use('/api/admin', gate).use('/api', jsonParser).get('/api/admin/users', handler);
    expect(auditRoutes(app)[0]?.open).toBe(open);
  });

  if (EXPRESS === 5) {
    it('where its path has names alone, before routers at names', () => {
      const app = express().use('/api/admin', gate);
      const router = routed((made) => made.use('/reports/:id', jsonParser).use('/admin', users).get('/admin', handler));
      expect(() => assertGuarded(app.use('/api', router).use(bearerErrors()))).not.toThrow();
    });
  }
});
