import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { auditRoutes } from 'keyward';
import request from 'supertest';
import { writtenPaths } from '../../../lib/express/route-audit/router-layers.js';
import { EXPRESS, gate, handler, routesOf, written } from '../../support/audited.js';

/** Whether a gate mounted at one path stands before a route at another. */
function stands(mount: unknown, path: unknown, options: Parameters<typeof express.Router>[0] = {}): string {
  const app = express();
  const router = express.Router(options);
  router.get(path as string, handler);
  app.use(mount as string, gate);
  app.use(router);
  return routesOf(app)
    .map((route) => route.split(' ').at(-1))
    .join();
}

const REST = written('*rest', '*');
const ID = written('{/:id}', '/:id?');

describe('a gate mounted at a path applies to a route', () => {
  it.each([
    ['at that path', '/a', '/a'],
    ['below it', '/a', '/a/b/c'],
    ['below it, whatever the parameters', '/a', '/a/:b/:c'],
    ['at a path that ends in a slash', '/a/', '/a'],
    ['written in another case', '/a', '/A/b'],
    ['at /', '/', '/a'],
    ['with a regular expression, where it takes every path', '/', /^\/a/],
    ['with a wildcard, where it takes every path', '/', written('/*rest', '*')],
    ['with a parameter for a parameter', '/:x', '/:y'],
    ['with a parameter for a name', '/:x', '/a'],
    ['with a parameter for the first of two', '/:x', '/a/b'],
    ['with a dot in its name', '/v1.0', '/v1.0/a'],
    ['below which every path matches', '/a', `/a/${REST}`],
    ['of which the end may be left out', '/a', `/a${ID}`],
    ['where the end of its own path may be left out', `/a${ID}`, '/a'],
    ['where its own path may be longer', `/a${ID}`, '/a/b/c'],
    ['at each of several paths', ['/a', '/b'], ['/a/x', '/b/y']],
    ['at paths in lists of lists', ['/a', '/b'], [['/a/x'], '/b/y']],
    ['at an empty path, which is /', '', ''],
  ])('%s', (_name, mount, path) => {
    expect(new Set(stands(mount, path).split(','))).toEqual(new Set(['gated']));
  });

  it.each([
    ['at another path', '/a', '/b'],
    ['whose name goes on', '/a', '/ab'],
    ['above it', '/a/b', '/a'],
    ['with a parameter, of which it takes one name', '/a', '/:x'],
    ['with a regular expression, which may take anything', '/a', /^\/a/],
    ['with a list of which it takes one', '/a', ['/a/x', '/b'], 'gated,open'],
    ['that takes everything', '/a', `/${REST}`],
    [
      'that takes everything, also the target *, where it is at a list of the slash',
      ['/', '/v1'],
      written('/*rest', '*'),
    ],
    ['that takes everything, also the target *, where it is at an empty path', '', written('/*rest', '*')],
    ['with a regular expression, which may take the target *, where it is at an empty path', '', /.*/],
    ['with a parameter alone, where text follows its own', written('/{:x}b', '/:x?b'), '/:y'],
    ['of which the part may be left out that it needs', '/a/:x', `/a${ID}`],
    ['where all may be left out', '/a', ID],
    ['with a wildcard, which takes the slash that its parameter does not', '/a/:x', `/a/${REST}`],
    ['where it has a further name after its parameter', '/:x/b', '/:y'],
    ['at a wildcard, whatever it may take', `/a/${REST}`, `/a/${REST}`],
    ['at a regular expression, whatever it may take', /^\/a/i, '/a/b'],
    ['with a regular expression that looks like a path', '/a', /a/],
    ['at a path without a slash, which no request matches', 'a', '/a'],
    ['at a list of such paths', ['a', 'b'], '/a'],
  ])('but not %s', (_name, mount, path, expected = 'open') => {
    expect(stands(mount, path)).toBe(expected);
  });
});

describe('a strict router', () => {
  const strict = () => express.Router({ strict: true });

  it('is not strict about the path of a gate', async () => {
    const router = strict().use('/payments/', gate);
    router.get('/payments', handler);
    expect((await request(express().use(router)).get('/payments')).status).toBe(401);
    expect(routesOf(router)).toEqual(['GET /payments gated']);
  });

  if (EXPRESS === 5) {
    it.each([
      ['/payments', 200, 'in another router', express.Router(), 'open'],
      ['/payments', 404, 'in a strict router', strict(), 'gated'],
    ])('a request for %s is answered with %d at a path with a slash %s', async (url, status, _name, router, state) => {
      const app = express().use('/payments/{x}', gate);
      app.use(router.get('/payments/', handler));
      expect((await request(app).get(url)).status).toBe(status);
      expect((await request(app).get('/payments/')).status).toBe(401);
      expect(routesOf(app)).toEqual([`GET /payments/ ${state}`]);
    });
  }
});

describe('a router that is less case-sensitive than the app', () => {
  const app = (sensitiveRouter: boolean) => {
    const made = express();
    made.enable('case sensitive routing');
    const router = express.Router({ caseSensitive: sensitiveRouter });
    router.get('/payments', handler);
    made.use('/api/payments', gate);
    made.use('/api', router);
    return routesOf(made);
  };

  it('would let /PAYMENTS bypass a gate at /payments', () => {
    expect(app(false)).toEqual(['GET /api/payments open']);
    // Express 4 would let /api//payments past it.
    expect(app(true)).toEqual([`GET /api/payments ${EXPRESS === 4 ? 'open' : 'gated'}`]);
  });
});

describe('names of routes', () => {
  const named = (mount: (app: Express) => void) => {
    const app = express();
    mount(app);
    return auditRoutes(app).map(({ path }) => path);
  };
  const below = (mount: unknown, path: unknown) =>
    named((app) => {
      const router = express.Router();
      router.get(path as string, handler);
      app.use(mount as string, router);
    });

  it.each([
    ['by the paths of the routers around it', '/a', '/b', ['/a/b']],
    ['by the mount path, where it is /', '/a', '/', ['/a']],
    ['by its own, where the mount path is /', '/', '/b', ['/b']],
    ['with the parameters of both', '/a/:b/:c', '/:d', ['/a/:b/:c/:d']],
    ['with what may be left out', `/a${ID}`, `/b${ID}`, [`/a${ID}/b${ID}`]],
    ['with dots and dashes', '/v1.0/a-b', '/c.d', ['/v1.0/a-b/c.d']],
    ['with a wildcard', '/a', `/${REST}`, [`/a/${REST}`]],
    ['once for each of several paths', ['/a/:x', '/b/:y'], ['/c', '/d'], ['/a/:x/c', '/b/:y/c', '/a/:x/d', '/b/:y/d']],
    ['by a regular expression as it is', '/', /^\/b/, ['/^\\/b/']],
  ])('%s', (_name, mount, path, expected) => {
    expect(below(mount, path).sort()).toEqual([...expected].sort());
  });

  it('by a regular expression that a function is mounted at', () => {
    expect(named((app) => app.use(/^\/a/, handler as never))).toEqual(['/^\\/a/']);
  });

  it('only by the slash if its path is empty', () => {
    expect(named((app) => app.get('', handler))).toEqual(['/']);
  });
});

if (EXPRESS === 5) {
  it('a route at an empty list, which matches no path, is not listed', async () => {
    const app = express();
    app.get([], handler);
    expect((await request(app).get('/')).status).toBe(404);
    expect(auditRoutes(app)).toEqual([]);
  });
}

if (EXPRESS === 4) {
  describe('paths that only Express 4 knows', () => {
    it.each([
      ['*', '/a', 'open'],
      ['/a/*', '/a', 'gated'],
      ['/a/:x(\\d+)', '/a', 'gated'],
      ['/a/:x(\\d+)', '/a/:x(\\d+)', 'open'],
      ['/a/:x(\\d+)', '/a/1', 'open'],
      ['/a/:x(\\d+)?', '/a/:x', 'open'],
      ['/a/:x(.*)', '/a/:x', 'open'],
      ['/a/:x([0-9a-f]{24})', '/a', 'gated'],
      ['/a/:x', '/a/:x(\\d+)', 'open'],
    ])('a route at %s with a gate at %s is %s', (path, mount, expected) => {
      expect(stands(mount, path)).toBe(expected);
    });

    it.each([
      ['a path with a second slash at its end', '/a//', '/a', '/a'],
      ['a path of slashes alone', '//', '/a', '/a'],
      ['a path without a slash at its start', 'a', '/a', '/a'],
      ['a parameter with a pattern, and text after it', '/:x([^/]+?)b', '/:y', '/a'],
      ['an expression that is case-sensitive', /^\/a\/?(?=\/|$)/, '/a', '/A'],
      ['an expression that asks more, before a path', /(?!\/a\/b)^\/a\/?(?=\/|$)/i, '/a/b', '/a/b'],
      ['an expression that asks more, behind a path', /^\/a\/?(?=\/|$)(?!\/b)/i, '/a/b', '/a/b'],
      ['an expression that asks more, before a list', /(?!\/b)(?:^\/a\/?(?=\/|$)|^\/b\/?(?=\/|$))/i, '/b', '/b'],
      ['an expression that asks more, behind a list', /(?:^\/b\/?(?=\/|$)|^\/a\/?(?=\/|$))\/c/i, '/b', '/b'],
    ])('a gate at %s does not apply to every request for a route', async (_name, mount, path, asked) => {
      const app = express().use(mount, gate);
      app.get(path, handler);
      expect((await request(app).get(asked)).status).toBe(200);
      expect(routesOf(app)).toEqual([`GET ${path} open`]);
    });

    it.each([
      ['before a pattern', ['/b/:w', '/a/:x(\\d+)'], 401, 'gated'],
      ['behind a pattern', ['/a/:x(\\d+)', '/b'], 401, 'gated'],
      ['behind a pattern, with a parameter that has a callback', ['/a/:x(\\d+)', '/b/:y'], 200, 'open'],
    ])('a mount path in a list, %s', async (_name, mount, status, state) => {
      const app = express();
      app.param('y', (_req, _res, next) => next('route'));
      app.use(mount, gate);
      app.use(express.Router().get('/b/:z/c', handler));
      expect((await request(app).get('/b/1/c')).status).toBe(status);
      expect(routesOf(app)).toEqual([`GET /b/:z/c ${state}`]);
    });

    it('a gate at an expression with the flag g, which matches every other time, does not apply', async () => {
      const app = express().use(/^\/a\/?(?=\/|$)/gi, gate);
      app.get('/a/b', handler);
      const statuses = [await request(app).get('/a/b'), await request(app).get('/a/b')].map(({ status }) => status);
      expect(statuses).toEqual([401, 200]);
      expect(routesOf(app)).toEqual(['GET /a/b open']);
    });

    it('an expression with the flag g is its own path', () => {
      const expression = /^\/a/g;
      expect(writtenPaths({ handle: handler, name: '', regexp: expression, keys: [] })).toEqual([expression]);
    });

    it.each([
      ['a parameter', /^\/a\/(?:([^/]+?))\/?(?=\/|$)/i, ['x'], '/a/:x', 'gated'],
      ['a parameter that may be left out', /^\/a(?:\/([^/]+?))?\/?(?=\/|$)/i, ['x'], '/a/:x?', 'gated'],
      ['a list', /(?:^\/b\/?(?=\/|$)|^\/a\/(?:([^/]+?))\/?(?=\/|$))/i, ['x'], '/b /a/:x', 'gated'],
      ['a list of patterns', /(?:^\/a)(?:\/b)\/?(?=\/|$)/i, [], '/^(?:^\\/a)(?:\\/b)/', 'open'],
    ])('%s is read back from what Express 4.18 stores', (_name, regexp, keys, paths, state) => {
      const app = express().use('/a', gate, handler);
      const stack = (app as unknown as { _router: { stack: { regexp: RegExp; keys: object[] }[] } })._router.stack;
      for (const layer of stack.slice(-2)) Object.assign(layer, { regexp, keys: keys.map((name) => ({ name })) });
      app.get('/a/:y/b', handler);
      const names = paths.startsWith('/^')
        ? [`USE ${regexp} ${state}`]
        : paths.split(' ').map((path) => `USE ${path} gated`);
      expect(routesOf(app)).toEqual([...names, `GET /a/:y/b ${state}`]);
    });

    it('a mount path that cannot be read back is named by its expression', () => {
      const app = express();
      app.use('/ab?c', handler as never);
      app.use('/a/:x(\\d+)', handler as never);
      app.use(/^\/a/, handler as never);
      app.use(['/a', /^\/b/], handler as never);
      app.use(['/a', '/b/:x(\\d+)', '/c/:y'], handler as never);
      const list = '/^\\/a\\/?(?=\\/|$)|^\\/b(?:\\/(\\d+))\\/?(?=\\/|$)|^\\/c(?:\\/([^/]+?))\\/?(?=\\/|$)/i';
      expect(routesOf(app)).toEqual([
        'USE /^\\/ab?c\\/?(?=\\/|$)/i open',
        'USE /^\\/a(?:\\/(\\d+))\\/?(?=\\/|$)/i open',
        'USE /^\\/a/ open',
        'USE /a open',
        'USE /^\\/a\\/?(?=\\/|$)|^\\/b/i open',
        'USE /a open',
        `USE ${list} open`,
        `USE ${list} open`,
      ]);
    });

    it('a router at a regular expression, which matches a dot where a path does not, is open', () => {
      const [app, router] = [express(), express.Router()];
      router.get('/b', handler);
      app.use('/a', gate);
      app.use(/^\/a/, router);
      expect(routesOf(app)).toEqual(['GET /^\\/a//b open']);
    });

    it('a wildcard in a router is named below its mount path', () => {
      const [app, router] = [express(), express.Router()];
      router.get('*', handler);
      app.use('/a', gate);
      app.use('/a', router);
      expect(routesOf(app)).toEqual(['GET /a/* gated']);
    });

    it('a route at an empty list, which matches every path, is open', async () => {
      const app = express().use('/a', gate);
      app.get([], handler);
      expect((await request(app).get('/x')).status).toBe(200);
      expect(routesOf(app)).toEqual(['GET /(?:)/i open']);
    });

    it('an app on which nothing was ever mounted has no routes', () => {
      expect(auditRoutes(express())).toEqual([]);
    });
  });
}

describe('what auditRoutes can read', () => {
  it('a router by itself, and an app of nothing', () => {
    const router = express.Router();
    router.get('/a', gate, handler);
    expect(routesOf(router)).toEqual(['GET /a gated']);
    expect(routesOf(express())).toEqual([]);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', '/payments'],
    ['a number', 1],
    ['an object', {}],
    ['an object that holds a router', { router: express.Router() }],
    ['a function', () => {}],
    ['a gate', gate],
    ['an object with a stack that is none', { stack: 'x' }],
  ])('not %s', (_name, app) => {
    const audit = () => auditRoutes(app as object);
    expect(audit).toThrow(TypeError);
    expect(audit).toThrow(new TypeError('auditRoutes: expected an Express app or router'));
  });

  it('not a router of another framework', () => {
    const routerOf = (parts: object) => Object.assign(() => {}, { stack: [], use: () => {}, params: {}, ...parts });
    expect(auditRoutes(routerOf({}))).toEqual([]);
    for (const parts of [
      { use: undefined },
      { params: undefined },
      { stack: 'x' },
      { stack: [{}] },
      { stack: [null] },
    ]) {
      expect(() => auditRoutes(routerOf(parts))).toThrow('auditRoutes: expected an Express app or router');
    }
  });

  /** Mounts a function at a path, and wraps it as express-async-errors does. */
  const wrapping = (mounted: express.Router) => {
    const router = express.Router().use('/a', mounted);
    const [layer] = router.stack as unknown as [object];
    const prototype = Object.create(Object.getPrototypeOf(layer), { handle: { set() {} } });
    Object.assign(layer, { handle: Object.assign(() => {}, mounted) });
    Object.setPrototypeOf(layer, prototype);
    return router;
  };

  it('a router in a wrapper that copies only its own properties', () => {
    expect(routesOf(wrapping(express.Router().use(gate).get('/b', handler)))).toEqual(['GET /a/b gated']);
  });

  it('no other function in such a wrapper', () => {
    const foreign = Object.assign(() => {}, { stack: [], params: {} });
    expect(routesOf(wrapping(foreign as never))).toEqual(['USE /a open']);
  });

  it('not a router of Express 5 without mount paths, with a message that has the remedy', () => {
    const layer = { handle: handler, name: 'handler', slash: false, match: () => true };
    const router = Object.assign(() => {}, { stack: [layer], use: () => {}, params: {} });
    expect(() => auditRoutes(router)).toThrow(TypeError);
    expect(() => auditRoutes(router)).toThrow(
      new TypeError(
        'auditRoutes: this version of the package "router" does not store the paths of mounted routers; run: npm install router@^2.3',
      ),
    );
  });
});

describe('a callback for a parameter, which can skip the functions mounted there', () => {
  const audited = (name: string) => {
    const app = express();
    app.param(name, (_req, _res, next) => next());
    app.use('/a/:x', gate);
    app.get('/a/:x/b', handler);
    return routesOf(app);
  };

  it('invalidates only gates at a path with that parameter', () => {
    expect(audited('x')).toEqual(['GET /a/:x/b open']);
    expect(audited('y')).toEqual(['GET /a/:x/b gated']);
  });
});
