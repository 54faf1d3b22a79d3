import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import {
  type AssertGuardedOptions,
  apiKeys,
  assertGuarded,
  requireApi,
  requireBearer,
  requireKeyKind,
  requireScopes,
} from 'keyward';
import { gate, handler } from '../../support/audited.js';
import { DECLINING } from '../../support/stub-verifier.js';

const anyKind = requireBearer({ accept: [DECLINING] });

function appWith(mount: (app: Express) => void): Express {
  const app = express();
  mount(app);
  return app;
}

const asserting = (mount: (app: Express) => void, options?: AssertGuardedOptions) => () =>
  assertGuarded(appWith(mount), options);

const HINT = "; write an entry as a method and a path, such as 'GET /health'";

describe('assertGuarded', () => {
  it('passes if every route has a gate and names its kinds', () => {
    const mount = (app: Express) => {
      app.use('/payments', gate);
      app.get('/payments', handler);
      app.use('/reports', anyKind, requireKeyKind('access'), handler);
    };
    expect(asserting(mount)).not.toThrow();
    expect(asserting(() => {})).not.toThrow();
  });

  it('lists every route that has no gate, or names no kind', () => {
    const mount = (app: Express) => {
      app.get('/health', handler);
      app.post('/payments', gate, handler);
      app.use('/reports', anyKind, handler);
      app.route('/late').get(handler, gate);
    };
    expect(asserting(mount)).toThrow(
      new Error(
        [
          'assertGuarded: 3 routes are not guarded; guard them, or name them in "except":',
          '  GET /health has no requireBearer that runs for every request; mount requireBearer before it, at the start of the app or of its router, or on the route',
          '  USE /reports may accept keys, but no guard restricts the kinds of keys; add requireKeyKind()',
          '  GET /late has no requireBearer that runs for every request; mount requireBearer before it, at the start of the app or of its router, or on the route',
        ].join('\n'),
      ),
    );
  });

  it('lists every guard that runs before the gate', () => {
    const guards = [requireKeyKind('secret'), requireApi('payments')];
    const mount = (app: Express) => {
      app.use('/reports', requireScopes('reports'), gate, requireApi('reports'));
      app.get('/reports', handler);
      app.get('/payments', ...guards, gate, handler);
      app.get('/files', gate, ...guards, gate, handler);
    };
    expect(asserting(mount)).toThrow(
      new Error(
        [
          'assertGuarded: 2 routes are not guarded; guard them, or name them in "except":',
          '  GET /reports runs requireScopes(reports) before requireBearer, so every request gets 500; mount requireBearer before it',
          '  GET /payments runs requireKeyKind(secret) and requireApi(payments) before requireBearer, so every request gets 500; mount requireBearer before it',
        ].join('\n'),
      ),
    );
  });

  it('names every router.param callback that runs before the gate', () => {
    const mount = (app: Express) => {
      for (const name of ['account', 'id']) app.param(name, (_req, _res, next) => next());
      app.get('/:account/:id', gate, handler);
    };
    expect(asserting(mount)).toThrow(
      new Error(
        [
          'assertGuarded: 1 route is not guarded; guard it, or name it in "except":',
          `  GET /:account/:id runs the callback of router.param('account') and router.param('id') before requireBearer has accepted the request; call router.use(requireBearer(...), bearerErrors()) before the first path with the parameter "account" or "id"`,
        ].join('\n'),
      ),
    );
  });

  it.each([
    ['keys that say their kinds', apiKeys({ resolver: () => null, kinds: ['public'], environment: 'live' }), false],
    ['a verifier that says nothing', DECLINING, true],
  ])('a gate with %s', (_name, verifier, throws) => {
    const made = asserting((app) => app.get('/', requireBearer({ accept: [verifier] }), handler));
    if (throws) expect(made).toThrow('GET / may accept keys, but no guard restricts the kinds of keys');
    else expect(made).not.toThrow();
  });
});

describe('the option except', () => {
  const open = (app: Express) => {
    app.get('/health', handler);
    app.post('/health', handler);
    app.use('/docs', anyKind, handler);
  };

  it('allows only the named routes to be open', () => {
    expect(asserting(open, { except: ['GET /health', 'POST /health', 'USE /docs'] })).not.toThrow();
    expect(asserting(open, { except: ['GET /health', 'USE /docs'] })).toThrow(
      new Error(
        [
          'assertGuarded: 1 route is not guarded; guard it, or name it in "except":',
          '  POST /health has no requireBearer that runs for every request; mount requireBearer before it, at the start of the app or of its router, or on the route',
        ].join('\n'),
      ),
    );
  });

  it('may name a route that is guarded by now', () => {
    expect(asserting((app) => app.get('/', gate, handler), { except: ['GET /'] })).not.toThrow();
  });

  it.each([
    ['a route that is no more', ['GET /health', 'GET /gone', 'PUT /gone'], 'GET /gone, PUT /gone'],
    ['a path alone', ['/health'], `/health${HINT}`],
    ['a method in lower case', ['get /health'], `get /health${HINT}`],
    ['two methods at once', ['GET/POST /health'], `GET/POST /health${HINT}`],
    ['a path alone beside others', ['/health', 'M-SEARCH /a'], `/health, M-SEARCH /a${HINT}`],
  ])('that names %s throws before any other error', (_name, except, named) => {
    expect(asserting(open, { except })).toThrow(TypeError);
    expect(asserting(open, { except })).toThrow(
      new TypeError(`assertGuarded: option "except" has entries that are not routes of the app: ${named}`),
    );
  });

  it.each([
    ['a text', 'GET /health', 'a string'],
    ['a list of other things', ['GET /health', /health/], 'an invalid list'],
  ])('must be a list of routes, not %s', (_name, except, got) => {
    const message = `assertGuarded: option "except" must be a list of routes such as 'GET /health', got ${got}`;
    expect(asserting(open, { except: except as string[] })).toThrow(new TypeError(message));
  });

  it('is the only option', () => {
    const options = { exempt: [] } as AssertGuardedOptions;
    expect(asserting(open, options)).toThrow(
      new TypeError('assertGuarded: unknown option "exempt"; the options are except'),
    );
  });
});
