import { describe, expect, it } from '@jest/globals';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { assertGuarded, bearerErrors, requireApi, requireBearer } from 'keyward';
import { EXPRESS, gate, handler } from '../../support/audited.js';
import { DECLINING } from '../../support/stub-verifier.js';

const optional = requireBearer({ accept: [{ ...DECLINING, kinds: ['access'] }], optional: true });
const skipRouter = (_req: Request, _res: Response, next: NextFunction) => next('router');
const swallow = (_error: unknown, _req: Request, _res: Response, next: NextFunction) => next();
const deep = (mount: (router: express.Router) => void) => {
  const router = express.Router();
  mount(router);
  return router;
};

/** Apps whose handler a request reaches without a credential, however well the gate seems to stand. */
const BYPASSED: Record<string, (app: Express) => void> = {
  'a gate mounted after the handler': (app) => app.use('/reports', handler).use('/reports', gate),
  'a gate for everything mounted after the handler': (app) => app.use('/proxy', handler).use(gate),
  'a function at the root of a router': (app) =>
    app.use(
      '/files',
      deep((router) => router.use(handler)),
    ),
  'an optional gate alone': (app) => app.use(optional).get('/x', handler),
  'a handler before the gate of its route': (app) => app.get('/x', handler, gate, handler),
  'a gate at a path without its slash': (app) => app.use('payments', gate).get('/payments', handler),
  'a gate at a regular expression that is no prefix': (app) => app.use(/\/admin/i, gate).get('/v1/admin', handler),
  'a gate at a regular expression that ends in a name': (app) => app.use(/^\/pay/i, gate).get('/payments', handler),
  'a router that is left before its gate': (app) =>
    app.use(deep((router) => router.use(skipRouter, gate))).get('/x', handler),
  'a gate that a callback of its parameter passes by': (app) =>
    app
      .use('/payments/:id', gate)
      .use(deep((router) => router.get('/payments/:id', handler)))
      .param('id', (_req, _res, next) => next('route')),
  'an error handler that swallows the refusal': (app) => app.use(gate).use(swallow).get('/x', handler),
  'another app on a router': (app) => app.use(deep((router) => router.use(express().get('/x', handler)))),
  'a foreign function with the name of a router, and its stack': (app) => {
    const router = () => {};
    app.use('/c', Object.assign(router, { stack: [], params: {} }) as never);
  },
  'a foreign function with a stack': (app) => app.use('/c', Object.assign(() => {}, { stack: [] }) as never),
  'a wrapper that has the properties of a gate': (app) =>
    app.use(Object.assign((_req: Request, _res: Response, next: NextFunction) => next(), gate)).get('/x', handler),
};

if (EXPRESS === 4) {
  BYPASSED['a second slash, which the mount path swallows'] = (app) =>
    app.use('/api/payments', gate).use(
      '/api',
      deep((router) => router.get('/payments', handler)),
    );
  BYPASSED['a gate at a pattern'] = (app) => app.use('/payments/:id(\\D+)', gate).get('/payments/:id', handler);
}

describe('assertGuarded throws for an app with', () => {
  it.each(Object.entries(BYPASSED))('%s', (_name, mount) => {
    const app = express();
    mount(app);
    expect(() => assertGuarded(app)).toThrow(
      /has no requireBearer that runs for every request|accepts requests without a credential/,
    );
  });
});

describe('assertGuarded passes for an app with', () => {
  const GUARDED: Record<string, (app: Express) => void> = {
    'an optional gate and a guard, which refuses who presented nothing': (app) =>
      app.use(optional, requireApi('payments')).get('/x', handler),
    'an optional gate behind one that is not': (app) => app.use(gate, optional).get('/x', handler),
    'the error handler of keyward before the route': (app) => app.use(gate).use(bearerErrors()).get('/x', handler),
    'a body parser before the gate': (app) => app.use('/x', express.json(), gate).get('/x', handler),
  };

  it.each(Object.entries(GUARDED))('%s', (_name, mount) => {
    const app = express();
    mount(app);
    expect(() => assertGuarded(app)).not.toThrow();
  });
});
