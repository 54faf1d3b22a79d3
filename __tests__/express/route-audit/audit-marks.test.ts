import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { assertGuarded, auditRoutes, bearerErrors, requireBearer, requireKeyKind, requireScopes } from 'keyward';
import { createGate, gateMetadataOf } from '../../../lib/express/gate/gate-type.js';
import { guardMetadataOf } from '../../../lib/express/guards/guard.js';
import { readRoutes } from '../../../lib/express/route-audit/audit-routes.js';
import { type GateMetadata, ownEndpoint, type RouteSecurity } from '../../../lib/express/route-metadata.js';
import { gate, handler } from '../../support/audited.js';
import { DECLINING } from '../../support/stub-verifier.js';

const own = () => ownEndpoint<RequestHandler>((_req, res) => void res.end());

function appWith(mount: (app: Express) => unknown): Express {
  const app = express();
  mount(app);
  return app;
}

describe('an endpoint of keyward itself', () => {
  const ownOf = (mount: (app: Express) => unknown) =>
    auditRoutes(appWith(mount)).map((route) => [route.method, route.path, route.ownEndpoint]);

  it.each<[string, (app: Express) => unknown, unknown[]]>([
    ['as a route', (app) => app.get('/x', own()), ['GET', '/x', true]],
    ['as a function at a path', (app) => app.use('/x', own()), ['USE', '/x', true]],
    ['in a router', (app) => app.use('/r', express.Router().post('/x', own())), ['POST', '/r/x', true]],
    ['behind a gate', (app) => app.get('/x', gate, own()), ['GET', '/x', true]],
    ['twice in a route', (app) => app.get('/x', own(), own()), ['GET', '/x', true]],
    ['before a handler of the app', (app) => app.get('/x', own(), handler), ['GET', '/x', false]],
    ['after a handler of the app', (app) => app.get('/x', handler, own()), ['GET', '/x', false]],
    ['not at all', (app) => app.get('/x', handler), ['GET', '/x', false]],
    ['not at all, as a function at a path', (app) => app.use('/x', handler), ['USE', '/x', false]],
  ])('%s', (_name, mount, expected) => {
    expect(ownOf(mount)).toEqual([expected]);
  });

  it('needs no gate, but the routes of the app beside it do', () => {
    const mounted = (app: Express) => app.get('/own', own()).use('/also', own());
    expect(() => assertGuarded(appWith(mounted))).not.toThrow();
    expect(() => assertGuarded(appWith((app) => mounted(app).get('/x', handler)))).toThrow(
      new Error(
        [
          'assertGuarded: 1 route is not guarded; guard it, or name it in "except":',
          '  GET /x has no requireBearer that runs for every request; mount requireBearer before it, at the start of the app or of its router, or on the route',
        ].join('\n'),
      ),
    );
  });
});

describe('a gate with different checks on each route', () => {
  const metadata = gateMetadataOf(gate) as GateMetadata;
  const any = gateMetadataOf(requireBearer({ accept: [DECLINING], optional: true })) as GateMetadata;
  const guards = [requireKeyKind('secret'), requireScopes('a')].map((guard) => guardMetadataOf(guard));

  /** A gate that asks for the security of each route. */
  function gateAt(security: Partial<RouteSecurity>, asked: unknown[] = []) {
    const atRoute: GateMetadata['atRoute'] = (method, paths) => {
      asked.push([method, paths]);
      return { gates: [], guards: [], openByDocument: false, ...security };
    };
    return createGate(
      (_req, _res, next) => next(),
      { ...metadata, atRoute },
      () => undefined,
    );
  }
  const reportOf = (security: Partial<RouteSecurity>, mount?: (app: Express, made: RequestHandler) => unknown) => {
    const made = gateAt(security) as RequestHandler;
    const app = appWith((given) => (mount === undefined ? given.get('/x', made, handler) : mount(given, made)));
    return auditRoutes(app)[0];
  };

  it('is asked with the method and the paths of each route', () => {
    const asked: unknown[] = [];
    const made = gateAt({}, asked) as RequestHandler;
    auditRoutes(appWith((app) => app.use(made).get('/x', handler).post('/x/:id', handler)));
    const x = { literal: 'x', sensitive: false };
    expect(asked).toEqual([
      ['GET', [[x]]],
      ['POST', [[x, { parameter: 'id' }]]],
    ]);
  });

  it('is replaced by the gates and guards of the route', () => {
    expect(reportOf({ gates: [any], guards: guards.flatMap((guard) => guard ?? []) })).toMatchObject({
      gates: [{ kinds: 'any', optional: true }],
      guards: ['requireKeyKind(secret)', 'requireScopes(a)'],
      ...{ open: false, openByDocument: false, namesKinds: true },
    });
  });

  it('keeps the checks beside it in their places', () => {
    const route = reportOf({ gates: [metadata] }, (app, made) =>
      app.get('/x', requireScopes('b'), made, requireScopes('c'), handler),
    );
    expect(route).toMatchObject({ gates: [{ kinds: ['secret'] }], guards: ['requireScopes(b)', 'requireScopes(c)'] });
  });

  it.each([true, false])('may say that the route is open: %s', (openByDocument) => {
    expect(reportOf({ openByDocument })).toMatchObject({ gates: [], open: true, openByDocument });
    const made = gateAt({ openByDocument }) as RequestHandler;
    const asserting = () => assertGuarded(appWith((app) => app.get('/x', made, handler)));
    if (openByDocument) expect(asserting).not.toThrow();
    else expect(asserting).toThrow('GET /x has no requireBearer');
  });

  it('is not open by its document if another gate is before the route', () => {
    const route = reportOf({ openByDocument: true }, (app, made) => app.get('/x', gate, made, handler));
    expect(route).toMatchObject({ open: false, openByDocument: false });
  });

  it('may refuse the requests that its document does not describe', () => {
    const found = (security: Partial<RouteSecurity>) =>
      readRoutes(appWith((app) => app.get('/x', gateAt(security) as RequestHandler, handler)))[0]?.refusesUndocumented;
    expect([found({ refusesUndocumented: true }), found({ refusesUndocumented: false }), found({})]).toEqual([
      ...[true, false, false],
    ]);
    expect(readRoutes(appWith((app) => app.get('/x', gate, handler)))[0]).toMatchObject({
      ...{ openByDocument: false, refusesUndocumented: false },
    });
  });

  it('refuses such requests beside a gate that does not', () => {
    const made = gateAt({ refusesUndocumented: true }) as RequestHandler;
    const [route] = readRoutes(appWith((app) => app.get('/x', gate, made, handler)));
    expect(route?.refusesUndocumented).toBe(true);
  });
});

describe('the checks of a route', () => {
  const swallow: ErrorRequestHandler = (_error, _req, _res, next) => next();
  const errors = bearerErrors();

  it.each<[string, (app: Express) => unknown]>([
    ['a route', (app) => app.get('/x', express.json(), gate, handler)],
    ['a function at a path', (app) => app.use('/x', express.json(), gate, handler)],
    ['a route behind a router', (app) => app.use(express.Router().use(express.json(), gate)).get('/x', handler)],
    [
      'a route behind gates that do not count',
      (app) =>
        app.use(swallow).use(express.Router().use(gate, swallow)).use('/y', gate).use(gate, errors).get('/x', handler),
    ],
  ])('are only its gates and guards: %s', (_name, mount) => {
    const [route] = readRoutes(appWith(mount));
    expect(route?.checks.map(({ gate: found }) => found)).toStrictEqual([gateMetadataOf(gate)]);
  });
});
