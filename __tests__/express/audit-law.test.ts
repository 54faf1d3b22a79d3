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

/** To each route. */
const REQUESTS = 8;

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

/** The paths of the routes, with the mount paths around them. */
function routePathsOf(list: readonly Mounted[], outer = ''): string[] {
  return list.flatMap((one) => {
    if (one.sort === 'gate') return [];
    const path = `${outer}${one.path}`;
    return one.sort === 'route' ? [path] : routePathsOf(one.mounted, path);
  });
}

/** Writes a path as somebody may who looks for a way around: other cases, more slashes, dots, escapes, more or less. */
function requestFor(path: string, draw: (below: number) => number): string {
  const choose = (...choices: string[]) => choices[draw(choices.length)] ?? '';
  const filled = path
    .replaceAll(/\{([^}]*)\}|(\/:\w+)\?/g, (_whole, braced, marked) => choose('', braced ?? marked))
    .replaceAll(/:\w+/g, () => choose('a', 'b', 'A', 'c', 'a.b', '%61'))
    .replaceAll(/\*\w*/g, () => choose('', '/', 'a', 'b/a', '/a'));
  return filled
    .replaceAll(/\/+/g, (slashes) => choose(slashes, slashes, slashes, '/', '//'))
    .replaceAll(/[a-z]/gi, (letter) => choose(letter, letter, letter, letter.toUpperCase(), letter.toLowerCase()))
    .concat(choose('', '', '', '/', '.', '/.'));
}

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
    const law = fc.property(mounted, fc.boolean(), fc.infiniteStream(fc.nat()), (list, sensitive, entropy) => {
      const reached = new Set<number>();
      const app = express();
      if (sensitive) app.enable('case sensitive routing');
      mount(app, list, reached);
      const routes = auditRoutes(app);
      const draw = (below: number) => (entropy.next().value ?? 0) % below;
      for (const path of routePathsOf(list)) {
        for (let i = 0; i < REQUESTS; i += 1) {
          const req = requestOf({ url: requestFor(path, draw) });
          app(req as never, new ServerResponse(req) as never, () => {});
        }
      }
      expect([...reached].filter((number) => routes[number]?.open !== true)).toEqual([]);
    });
    fc.assert(law, { numRuns: Math.ceil(RUNS / 20) });
  }, 3_600_000);
});
