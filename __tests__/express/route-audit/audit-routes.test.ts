import { METHODS } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { auditRoutes, type CredentialVerifier, requireAny, requireApi, requireBearer, requireKeyKind } from 'keyward';
import { gate, handler, routesOf } from '../../support/audited.js';
import { DECLINING } from '../../support/stub-verifier.js';

const gateFor = (...kinds: NonNullable<CredentialVerifier['kinds']>) =>
  requireBearer({ accept: [{ ...DECLINING, kinds }] });
const anyKind = requireBearer({ accept: [DECLINING] });

function appWith(mount: (app: Express) => void): Express {
  const app = express();
  mount(app);
  return app;
}

describe('auditRoutes reports of a route', () => {
  it('its gates and guards, in order, wherever they are mounted before it', () => {
    const router = express.Router();
    router.use(requireApi('payments'));
    router.post('/:id/refunds', requireKeyKind('secret'), handler);
    const app = appWith((made) => made.use('/payments', gateFor('secret', 'public'), router));
    expect(auditRoutes(app)).toStrictEqual([
      {
        method: 'POST',
        path: '/payments/:id/refunds',
        gates: [{ kinds: ['secret', 'public'], optional: false }],
        guards: ['requireApi(payments)', 'requireKeyKind(secret)'],
        open: false,
        openByParam: [],
        openByDocument: false,
        ownEndpoint: false,
        namesKinds: true,
      },
    ]);
  });

  it('a gate that does not say its kinds, and one that is optional', () => {
    const optional = requireBearer({ accept: [DECLINING], optional: true });
    const [route] = auditRoutes(appWith((app) => app.get('/', optional, handler)));
    expect(route).toMatchObject({ gates: [{ kinds: 'any', optional: true }], open: true, namesKinds: false });
  });

  it('no gates and guards if there are none', () => {
    const route = { method: 'GET', path: '/health', gates: [], guards: [], open: true };
    expect(auditRoutes(appWith((app) => app.get('/health', handler)))).toStrictEqual([
      { ...route, openByParam: [], openByDocument: false, ownEndpoint: false, namesKinds: false },
    ]);
  });

  const optional = requireBearer({ accept: [DECLINING], optional: true });
  it.each([
    ['no gate', [], true],
    ['a gate', [gate], false],
    ['an optional gate alone', [optional], true],
    ['two of them', [optional, optional], true],
    ['a gate, then an optional one', [gate, optional], false],
    ['an optional gate, then one that is not', [optional, gate], false],
    ['an optional gate with a guard behind it', [optional, requireApi('payments')], false],
    ['a guard and no gate', [requireApi('payments')], true],
  ])('whether a request without a credential reaches it: %s', (_name, before, open) => {
    const [route] = auditRoutes(appWith((app) => app.get('/', ...before, handler)));
    expect(route?.open).toBe(open);
  });

  it.each([
    ['the last gate says them', [anyKind, gateFor('access')], true],
    ['only a gate before the last says them', [gateFor('access'), anyKind], false],
    ['a guard behind the last gate does', [gateFor('access'), anyKind, requireKeyKind('secret')], true],
    ['only a guard before the last gate does', [gateFor('access'), requireKeyKind('secret'), anyKind], false],
    ['a guard does, and no gate', [requireKeyKind('secret')], true],
    ['no guard decides by kind', [anyKind, requireApi('payments')], false],
    ['one of several guards does', [anyKind, requireApi('payments'), requireKeyKind('secret')], true],
    [
      'one of the guards that are enough does not',
      [anyKind, requireAny(requireKeyKind('access'), requireApi('a'))],
      false,
    ],
  ])('whether its kinds are named: %s', (_name, before, expected) => {
    const [route] = auditRoutes(appWith((app) => app.get('/', ...before, handler)));
    expect(route?.namesKinds).toBe(expected);
  });
});

describe('handlers in a route itself', () => {
  it.each([
    ['a gate before the handler', [gate, handler], 'gated'],
    ['in lists', [[gate], [handler]], 'gated'],
    ['after a body parser', [express.json(), gate, handler], 'gated'],
    ['after a body parser, and before no handler', [express.json(), gate], 'gated'],
    ['after a handler', [handler, gate, handler], 'open'],
    ['a gate after the handler', [handler, gate], 'open'],
    ['no gate', [handler], 'open'],
  ])('%s', (_name, handlers, expected) => {
    expect(routesOf(appWith((app) => app.get('/', handlers as never)))).toEqual([`GET / ${expected}`]);
  });

  it('gates and guards without a handler after them are not a route', () => {
    const app = appWith((made) => {
      made.get('/', gate, requireApi('payments'));
      made.all('/payments', gate);
    });
    expect(routesOf(app)).toEqual([]);
  });

  it('each method has its own gates and guards', () => {
    const app = appWith((made) => {
      made.route('/').get(handler).post(gate, handler);
    });
    expect(routesOf(app)).toEqual(['GET / open', 'POST / gated']);
  });

  it('a gate for all methods of a route applies to later handlers', () => {
    const app = appWith((made) => {
      made.route('/').get(handler).all(gate).post(handler);
    });
    expect(routesOf(app)).toEqual(['GET / open', 'POST / gated']);
  });

  it.each([
    ['before', 'open', (app: Express) => app.route('/').all(handler).get(gate, handler)],
    ['after', 'gated', (app: Express) => app.route('/').get(gate, handler).all(handler)],
  ])('a handler for all methods, %s the one of a method, handles the other methods', (_name, expected, mount) => {
    expect(routesOf(appWith(mount))).toEqual([`GET / ${expected}`, 'ALL / open']);
  });

  it.each([
    ['app.all', (app: Express) => app.all('/', gate, handler), 'gated'],
    ['route.all', (app: Express) => app.route('/').all(gate, handler), 'gated'],
    ['app.all without a gate', (app: Express) => app.all('/', handler), 'open'],
  ])('%s is one route of method ALL', (_name, mount, expected) => {
    expect(routesOf(appWith(mount))).toEqual([`ALL / ${expected}`]);
  });

  it.each<[string, unknown[], string]>([
    ['a guard', [gate, handler], 'gated'],
    ['the gate', [handler], 'open'],
    ['a gate before its handlers', [handler, requireApi('payments'), handler], 'open'],
  ])('a route with every method is not one of all methods if the last lacks %s', (_name, last, state) => {
    const app = appWith((made) => {
      const route = made.route('/') as unknown as Record<string, (...handlers: unknown[]) => unknown>;
      for (const method of METHODS) {
        const handlers = method === METHODS.at(-1) ? last : [gate, requireApi('payments'), handler];
        route[method.toLowerCase()]?.(...handlers);
      }
    });
    const gated = METHODS.slice(0, -1).map((method) => `${method} / gated`);
    expect(routesOf(app)).toEqual([...gated, `${METHODS.at(-1)} / ${state}`]);
  });

  it('a route whose methods differ is not one of all methods', () => {
    const app = appWith((made) => {
      const route = made.route('/');
      for (const method of ['get', 'post', 'put'] as const) route[method](gate, handler);
      route.all(handler);
    });
    expect(routesOf(app)).toEqual(['GET / gated', 'POST / gated', 'PUT / gated', 'ALL / open']);
  });
});

describe('functions mounted before a route', () => {
  it('apply to it; functions mounted after it do not', () => {
    const app = appWith((made) => {
      made.get('/early', handler);
      made.use(gate);
      made.get('/late', handler);
    });
    expect(routesOf(app)).toEqual(['GET /early open', 'GET /late gated']);
  });

  it('in a router apply to the routes of that router', () => {
    const [outer, inner] = [express.Router(), express.Router()];
    inner.get('/c', handler);
    outer.use(gate);
    outer.use('/b', inner);
    const app = appWith((made) => {
      made.use('/a', outer);
      made.get('/d', handler);
    });
    expect(routesOf(app)).toEqual(['GET /a/b/c gated', 'GET /d open']);
  });

  it('in a nested router do not apply to routes after both routers', () => {
    const [outer, inner] = [express.Router(), express.Router()];
    inner.use(gate);
    inner.use('/elsewhere', requireApi('unseen'));
    outer.use(inner);
    inner.get('/unseen', handler);
    inner.use(requireApi('unseen'));
    const app = appWith((made) => {
      made.use('/a', outer);
      made.get('/a/b', handler);
      made.get('/b', handler);
    });
    expect(routesOf(app)).toEqual(['GET /a/unseen gated', 'GET /a/b open', 'GET /b open']);
  });

  it('in a router without routes apply to routes after that router', () => {
    const router = express.Router();
    router.use(express.json(), gate, requireApi('seen'));
    router.use('/elsewhere', requireApi('unseen'));
    const app = appWith((made) => {
      made.use('/a', router);
      made.get('/a/b', handler);
      made.get('/b', handler);
    });
    expect(routesOf(app)).toEqual(['GET /a/b gated', 'GET /b open']);
    expect(auditRoutes(app)[0]?.guards).toEqual(['requireApi(seen)']);
  });

  it('in a route do not apply to other routes', () => {
    const app = appWith((made) => {
      made.all('/a', gate);
      made.get('/a', handler);
    });
    expect(routesOf(app)).toEqual(['GET /a open']);
  });

  it('inside another function are not recognized', () => {
    const app = appWith((made) => {
      made.use((req, res, next) => gate(req, res, next));
      made.get('/a', handler);
    });
    expect(routesOf(app)).toEqual(['GET /a open']);
  });
});

describe('functions and apps that are mounted', () => {
  it.each([
    ['at a path is an endpoint', (app: Express) => app.use('/a', handler), ['USE /a open']],
    ['at a path behind a gate is one', (app: Express) => app.use('/a', gate, handler), ['USE /a gated']],
    ['at / counts as preparation', (app: Express) => app.use(handler), []],
    ['at / of a router at / counts as preparation too', (app: Express) => app.use(express.Router().use(handler)), []],
    [
      'at a path with a gate after it is an endpoint',
      (app: Express) => app.use('/a', handler).use('/a', gate, handler),
      ['USE /a open', 'USE /a gated'],
    ],
    ['that is a body parser is none', (app: Express) => app.use('/a', express.json()), []],
    ['at two paths is one at each', (app: Express) => app.use(['/a', '/b'], handler), ['USE /a open', 'USE /b open']],
    [
      'as an error handler is none',
      (app: Express) => app.use('/a', (_error: unknown, _req: unknown, _res: unknown, _next: unknown) => {}),
      [],
    ],
  ])('a function %s', (_name, mount, expected) => {
    expect(routesOf(appWith(mount))).toEqual(expected);
  });

  const takes = (parameters: number, name: string) =>
    Object.defineProperties(() => {}, { name: { value: name }, length: { value: parameters } });

  it.each([express.json(), express.urlencoded({ extended: false }), express.text(), express.raw()])(
    'a body parser of Express is not an endpoint: %p',
    (parser) => {
      expect(routesOf(appWith((app) => app.use('/a', parser)))).toEqual([]);
    },
  );

  it.each(['jsonParser', 'cookieParser', 'compression', 'corsMiddleware', 'helmetMiddleware', 'logger'])(
    'a function named %s with the parameters of that package is not an endpoint',
    (name) => {
      const audited = (parameters: number) => routesOf(appWith((app) => app.use('/a', takes(parameters, name))));
      expect([2, 3, 4, 5].map(audited)).toEqual([['USE /a open'], [], [], ['USE /a open']]);
    },
  );

  it.each(['query', 'session', 'expressInit', 'handler'])('a function named %s is an endpoint', (name) => {
    for (const parameters of [0, 2, 3]) {
      expect(routesOf(appWith((app) => app.use('/a', takes(parameters, name))))).toEqual(['USE /a open']);
      expect(routesOf(appWith((app) => app.get('/a', takes(parameters, name), gate, handler)))).toEqual([
        'GET /a open',
      ]);
    }
  });

  it.each([
    ['at a path', (app: Express, other: Express) => app.use('/other', other), ['USE /other open']],
    ['at /', (app: Express, other: Express) => app.use(other), ['USE / open']],
    ['behind a gate', (app: Express, other: Express) => app.use(gate, other), ['USE / gated']],
    ['with a gate after it', (app: Express, other: Express) => app.use(other).use(gate), ['USE / open']],
    ['on a router', (app: Express, other: Express) => app.use(express.Router().use(other)), ['USE / open']],
    [
      'on a router at a path',
      (app: Express, other: Express) => app.use('/a', express.Router().use('/b', other)),
      ['USE /a/b open'],
    ],
    [
      'on a router behind a gate',
      (app: Express, other: Express) => app.use(express.Router().use(gate, other)),
      ['USE / gated'],
    ],
    ['on a router, empty', (app: Express) => app.use(express.Router().use(express())), ['USE / open']],
  ])('another app %s is opaque, and an endpoint', (_name, mount, expected) => {
    const other = appWith((made) => made.get('/', gate, handler));
    expect(routesOf(appWith((app) => mount(app, other)))).toEqual(expected);
  });
});
