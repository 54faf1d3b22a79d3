import { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import express, { type Express, type IRouter, type NextFunction, type Request, type Response } from 'express';
import fc from 'fast-check';
import { assertGuarded, auditRoutes, bearerErrors, requireApi } from 'keyward';
import request from 'supertest';
import { gate, handler } from '../../support/audited.js';
import { law } from '../../support/law.js';
import { requestOf } from '../../support/passage.js';

// Every refusal would write its stack down: half of the time that the law takes.
Error.stackTraceLimit = 0;

const swallow = (_error: unknown, _req: Request, _res: Response, next: NextFunction) => next();
const step = (_req: Request, _res: Response, next: NextFunction) => next();
const errors = bearerErrors();
const routerOf = (...mounted: unknown[]) => express.Router().use(...(mounted as [typeof swallow]));

function appWith(mount: (app: Express) => unknown): Express {
  const app = express();
  mount(app);
  return app.use(errors);
}

describe('an error handler that lets a refused request continue', () => {
  it.each<[string, (app: Express) => unknown]>([
    ['between the gate and the handler of a route', (app) => app.get('/x', gate, swallow, handler)],
    ['in a list of them', (app) => app.get('/x', [gate, [swallow]] as never, handler)],
    ['for every method of a route', (app) => app.route('/x').all(gate, swallow).get(handler)],
    ['of a route, behind an optional guard too', (app) => app.get('/x', gate, requireApi('a'), swallow, handler)],
    ['before the second handler of a route', (app) => app.get('/x', gate, step, swallow, handler)],
    ['in a router that holds the gate', (app) => app.use(routerOf(gate, swallow)).get('/x', handler)],
    ['in a router before the handler', (app) => app.use('/x', routerOf(gate, swallow), handler)],
    [
      'at a path of a router that holds the gate',
      (app) => app.use(routerOf(gate).use('/x', swallow)).get('/x', handler),
    ],
    [
      'behind a route of a router that holds the gate',
      (app) => app.use(routerOf(gate).get('/y', handler).use(swallow)).get('/x', handler),
    ],
    ['after the router that holds the gate', (app) => app.use(routerOf(gate)).use(swallow).get('/x', handler)],
  ])('invalidates the gates before it: %s', async (_name, mount) => {
    const app = appWith(mount);
    expect((await request(app).get('/x')).status).toBe(200);
    expect(() => assertGuarded(app)).toThrow(/ (?:GET|USE) \/x has no requireBearer/);
  });

  it.each<[string, (app: Express) => unknown]>([
    ['before the gate of the route', (app) => app.get('/x', swallow, gate, handler)],
    ['in a route behind the gate of the app', (app) => app.use(gate).get('/x', swallow, handler)],
    ['in a router behind the gate of the app', (app) => app.use(gate).use(routerOf(swallow).get('/x', handler))],
    ['in a router beside the gate', (app) => app.use(gate).use(routerOf(swallow)).get('/x', handler)],
    ['in another route', (app) => app.get('/y', gate, swallow).get('/x', gate, handler)],
    ['before the router that holds the gate', (app) => app.use(swallow).use(routerOf(gate)).get('/x', handler)],
    ['made by keyward, in a route', (app) => app.get('/x', gate, errors, handler)],
    ['made by keyward, in a router that holds the gate', (app) => app.use(routerOf(gate, errors)).get('/x', handler)],
    ['made by keyward, before the gate of a router', (app) => app.use(routerOf(errors, gate)).get('/x', handler)],
  ])('does not if the refusal never reaches it: %s', async (_name, mount) => {
    const app = appWith(mount);
    expect((await request(app).get('/x')).status).toBe(401);
    expect(() => assertGuarded(app)).not.toThrow();
  });

  it('does not after the last handler of a route', async () => {
    const app = appWith((made) => made.get('/x', gate, handler, swallow));
    expect((await request(app).get('/x')).status).toBe(404);
    expect(() => assertGuarded(app)).not.toThrow();
  });

  it('is not a route if there is only a gate before it', () => {
    expect(auditRoutes(appWith((app) => app.get('/x', gate, swallow)))).toEqual([]);
  });
});

type Part = 'gate' | 'swallow' | 'errors' | 'handler';
type Tree = { readonly use: Part } | { readonly route: readonly Part[] } | { readonly router: readonly Tree[] };

const part = fc.constantFrom<Part[]>('gate', 'gate', 'swallow', 'errors', 'handler', 'handler');
const { trees } = fc.letrec<{ trees: Tree[] }>((tie) => ({
  trees: fc.array(
    fc.oneof(
      { maxDepth: 2 },
      { arbitrary: fc.record({ use: part }), weight: 5 },
      { arbitrary: fc.record({ route: fc.array(part, { minLength: 1, maxLength: 4 }) }), weight: 2 },
      { arbitrary: fc.record({ router: tie('trees') }), weight: 3 },
    ),
    { minLength: 1, maxLength: 4 },
  ),
}));

/** Mounts trees in order; each route, and each function mounted at a path, gets the next number. */
function mountAll(at: IRouter, list: readonly Tree[], reached: Set<number>, count: () => number): void {
  const made = (name: Part, number: () => number) => {
    if (name !== 'handler') return { gate, swallow, errors }[name] as typeof step;
    const own = number();
    return (_req: Request, _res: Response, next: NextFunction) => {
      reached.add(own);
      next();
    };
  };
  for (const tree of list) {
    if ('use' in tree) at.use(tree.use === 'handler' ? '/x' : '/', made(tree.use, count));
    else if ('route' in tree) {
      let own: number | undefined;
      const once = () => {
        own ??= count();
        return own;
      };
      at.get('/x', ...tree.route.map((name) => made(name, once)));
    } else {
      const router = express.Router();
      mountAll(router, tree.router, reached, count);
      at.use(router);
    }
  }
}

/** Settles when a request for `/x` without a credential was answered, or nobody is left to answer it. */
function answerTo(app: Express): Promise<void> {
  const req = requestOf({ url: '/x', originalUrl: '/x' });
  const res = new ServerResponse(req);
  return new Promise((resolve) => app(req as never, Object.assign(res, { end: resolve }) as never, () => resolve()));
}

describe('a route that the audit reports as guarded', () => {
  law('is reached by no request without a credential, however gates, handlers and error handlers are mixed', () =>
    fc.asyncProperty(trees, async (list) => {
      const reached = new Set<number>();
      let routes = 0;
      const app = express();
      mountAll(app, list, reached, () => routes++);
      const reports = auditRoutes(app);
      expect(reports).toHaveLength(routes);
      await answerTo(app);
      expect([...reached].filter((number) => reports[number]?.open !== true)).toEqual([]);
    }),
  );
});
