import { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import express, { type IRouter } from 'express';
import fc from 'fast-check';
import { auditRoutes } from 'keyward';
import { gate, written } from '../support/audited.js';
import { requestOf } from '../support/passage.js';

const RUNS = Number(process.env.KEYWARD_SOAK_RUNS ?? 10_000);

/** What may be mounted, in order: a gate, a route with or without one of its own, a router with more of the same. */
type Mounted =
  | { readonly sort: 'gate'; readonly path: string }
  | { readonly sort: 'route'; readonly path: string; readonly gated: boolean }
  | { readonly sort: 'router'; readonly path: string; readonly caseSensitive: boolean; readonly mounted: Mounted[] };

const SEGMENTS = ['/a', '/A', '/b', '/a.b', '/:x', written('/*x', '/*'), written('{/:x}', '/:x?')];
const paths = fc.oneof(
  fc.constant('/'),
  fc.array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 3 }).map(joined),
);

/** Parameters of one path must have names of their own. */
function joined(segments: readonly string[]): string {
  return segments.map((segment, index) => segment.replace('x', `x${index}`)).join('');
}

const { mounted } = fc.letrec<{ mounted: Mounted[] }>((tie) => ({
  mounted: fc.array(
    fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ sort: fc.constant('gate' as const), path: paths }),
      fc.record({ sort: fc.constant('route' as const), path: paths, gated: fc.boolean() }),
      fc.record({
        ...{ sort: fc.constant('router' as const), path: paths, caseSensitive: fc.boolean() },
        mounted: tie('mounted'),
      }),
    ),
    { maxLength: 4 },
  ),
}));

const targets = fc
  .array(fc.constantFrom('', 'a', 'A', 'b', 'B', 'a.b', 'a.B', 'a.c', 'c', '%61'), { minLength: 1, maxLength: 4 })
  .map((names) => `/${names.join('/')}`);

/** Mounts it, each route with a handler that notes its number: the order in which an audit lists them. */
function mount(at: IRouter, list: readonly Mounted[], reached: Set<number>, counted = { routes: 0 }): void {
  for (const one of list) {
    if (one.sort === 'gate') at.use(one.path, gate);
    if (one.sort === 'route') {
      const number = counted.routes++;
      const handler = () => void reached.add(number);
      at.get(one.path, ...(one.gated ? [gate, handler] : [handler]));
    }
    if (one.sort === 'router') {
      const router = express.Router({ caseSensitive: one.caseSensitive });
      mount(router, one.mounted, reached, counted);
      at.use(one.path, router);
    }
  }
}

describe('a route that the audit calls gated', () => {
  it('is reached by no request without a credential, however paths, cases and routers are mixed', () => {
    const law = fc.property(
      mounted,
      fc.boolean(),
      fc.array(targets, { minLength: 20, maxLength: 20 }),
      (list, sensitive, urls) => {
        const reached = new Set<number>();
        const app = express();
        if (sensitive) app.enable('case sensitive routing');
        mount(app, list, reached);
        const routes = auditRoutes(app);
        for (const url of urls) {
          const req = requestOf({ url });
          app(req as never, new ServerResponse(req) as never, () => {});
        }
        expect([...reached].filter((number) => routes[number]?.gates.length !== 0)).toEqual([]);
      },
    );
    fc.assert(law, { numRuns: Math.ceil(RUNS / 20) });
  }, 3_600_000);
});
