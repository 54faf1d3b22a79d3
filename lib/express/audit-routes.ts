/** Every route of an app, with what stands before it. */
import type { Kind } from '../credentials/kind.js';
import { type GateFacts, gateFactsOf } from './gate.js';
import { type GuardFacts, guardFactsOf } from './guard.js';
import { type Layer, layersOf } from './router-layers.js';

/** One route, as an audit sees it. */
export interface RouteReport {
  /** `'GET'`, …; `'ALL'` for `app.all`; `'USE'` for a function, or another app, mounted at a path. */
  readonly method: string;
  /** As it was written, with the paths of the routers around it. */
  readonly path: string;
  /** The gates before it, the last of which decides. Empty: the route is open. */
  readonly gates: readonly { readonly kinds: readonly Kind[] | 'any'; readonly optional: boolean }[];
  /** The names of the guards before it. */
  readonly guards: readonly string[];
  /** Whether the last gate, or a guard behind it, says which kinds are taken. */
  readonly namesKinds: boolean;
}

/** A gate or a guard on the way to a route. */
type Post = { readonly gate: GateFacts } | { readonly guard: GuardFacts };

interface Route {
  readonly method: string;
  readonly path: string;
  /** The texts to try on the layers before it; none where only a layer that takes every path covers it. */
  readonly samples: readonly string[];
  readonly posts: readonly Post[];
}

/**
 * Lists every route of an app or a router, in the order in which they were mounted.
 *
 * What it cannot see, it reports as open: another app mounted in this one (audit that by itself), and a gate wrapped
 * in a function.
 *
 * @param app - An Express 4 or 5 app or router.
 * @throws TypeError for something that is neither, and on Express 5 with a router older than 2.3, which does not keep
 *   the paths that things are mounted at.
 */
export function auditRoutes(app: object): readonly RouteReport[] {
  return routesOf(layersOf(app)).map(({ method, path, posts }) => {
    const gates = posts.flatMap((post) => ('gate' in post ? [post.gate] : []));
    const last = posts.findLastIndex((post) => 'gate' in post);
    const guards = posts.slice(last + 1).flatMap((post) => ('guard' in post ? [post.guard] : []));
    return {
      method,
      path,
      gates: gates.map(({ kinds, optional }) => ({ kinds: kinds ?? 'any', optional })),
      guards: posts.flatMap((post) => ('guard' in post ? [post.guard.name] : [])),
      namesKinds: gates.at(-1)?.kinds !== undefined || guards.some(({ kinds }) => kinds !== undefined),
    };
  });
}

function routesOf(layers: readonly Layer[]): Route[] {
  return layers.flatMap((layer, index) => {
    const before = layers.slice(0, index);
    return routesAt(layer, layers.slice(index + 1)).map((route) => ({
      ...route,
      posts: [...before.flatMap((earlier) => postsFor(earlier, route.samples)), ...route.posts],
    }));
  });
}

function routesAt(layer: Layer, later: readonly Layer[]): Route[] {
  switch (layer.sort) {
    case 'route':
      return layer.methods
        .filter(({ handles }) => handles.some((handle) => postOf(handle) === undefined))
        .flatMap(({ method, handles }) =>
          layer.paths.map((path) => ({ method, path: path.text, samples: path.samples, posts: postsBefore(handles) })),
        );
    case 'router':
      return routesOf(layer.layers).flatMap((inner) =>
        layer.paths.map((path) => ({
          ...inner,
          path: joined(path.text, inner.path),
          samples: path.samples.flatMap((outer) => inner.samples.map((sample) => joined(outer, sample))),
        })),
      );
    case 'function':
      if (postOf(layer.handle) !== undefined || !isEndpoint(layer, later)) return [];
      return layer.paths.map((path) => ({ method: 'USE', path: path.text, samples: path.samples, posts: [] }));
  }
}

/**
 * Whether a mounted function may answer by itself. At `/` it is taken for preparation (a body parser, CORS), and so is
 * one with a gate mounted after it at its path; another app is always an endpoint.
 */
function isEndpoint(layer: Layer & { sort: 'function' }, later: readonly Layer[]): boolean {
  if (layer.isApp) return true;
  if (layer.takesEveryPath || layer.isErrorHandler) return false;
  const samples = layer.paths.flatMap((path) => path.samples);
  return !later.some((other) => postsFor(other, samples).some((post) => 'gate' in post));
}

/** The gates and guards that a request to a route meets at an earlier layer. */
function postsFor(layer: Layer, samples: readonly string[]): readonly Post[] {
  if (!layer.takesEveryPath && (samples.length === 0 || !samples.every((sample) => layer.covers(sample)))) return [];
  if (layer.sort === 'router') {
    return layer.layers.filter((inner) => inner.takesEveryPath).flatMap((inner) => postsFor(inner, []));
  }
  const post = layer.sort === 'function' ? postOf(layer.handle) : undefined;
  return post === undefined ? [] : [post];
}

/** Those of a route's own handlers that stand before the one which answers: the last. */
function postsBefore(handles: readonly unknown[]): readonly Post[] {
  const answers = handles.findLastIndex((handle) => postOf(handle) === undefined);
  return handles.slice(0, answers).flatMap((handle) => postOf(handle) ?? []);
}

function postOf(handle: unknown): Post | undefined {
  const gate = gateFactsOf(handle);
  if (gate !== undefined) return { gate };
  const guard = guardFactsOf(handle);
  return guard === undefined ? undefined : { guard };
}

function joined(outer: string, inner: string): string {
  if (outer === '/') return inner;
  return inner === '/' ? outer : `${outer}${inner}`;
}
