/** Every route of an app, with what stands before it. */
import type { Kind } from '../credentials/kind.js';
import { mayAnswer, type Post, postsAmong, postsAt, takesRequests } from './posts.js';
import type { Segments } from './route-path.js';
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
  /** Whether a request without a credential reaches it: it has no gate, or optional ones alone and no guard. */
  readonly open: boolean;
  /** Whether the last gate, or a guard behind it, says which kinds are taken. */
  readonly namesKinds: boolean;
}

interface Route {
  readonly method: string;
  readonly path: string;
  readonly segments: readonly Segments[];
  readonly posts: readonly Post[];
}

/**
 * Lists every route of an app or a router, in the order in which they were mounted, and every function and app that is
 * mounted at a path.
 *
 * A gate counts where every request for the route meets it: what cannot be told from the paths (patterns, wildcards,
 * regular expressions), stands behind another handler or before an error handler that `bearerErrors` did not make, or is
 * wrapped in a function, does not. Known packages that parse, log or add headers are told by name, and pass for what they
 * are called. Not seen are a handler mounted at `/` of the app itself, and middlewares that rewrite `req.url`.
 *
 * @param app - An Express 4 or 5 app or router.
 * @throws TypeError for something that is neither, and on Express 5 with a router older than 2.3, which does not keep
 *   the paths that things are mounted at.
 */
export function auditRoutes(app: object): readonly RouteReport[] {
  return routesOf(layersOf(app), false).map(({ method, path, posts }) => {
    const gates = posts.flatMap(({ gate }) => gate ?? []);
    const guards = posts.flatMap(({ guard }) => guard ?? []);
    const last = posts.findLastIndex(({ gate }) => gate !== undefined);
    const behind = posts.slice(last + 1);
    return {
      method,
      path,
      gates: gates.map(({ kinds, optional }) => ({ kinds: kinds ?? 'any', optional })),
      guards: guards.map(({ name }) => name),
      open: gates.length === 0 || (guards.length === 0 && gates.every(({ optional }) => optional)),
      namesKinds: gates.at(-1)?.kinds !== undefined || behind.some(({ guard }) => guard?.kinds !== undefined),
    };
  });
}

/** @param nested - Whether the layers are those of a router mounted below `/`: there a function at `/` is an endpoint too. */
function routesOf(layers: readonly Layer[], nested: boolean): Route[] {
  return layers.flatMap((layer, index) => {
    const before = layers.slice(0, index);
    return routesAt(layer, nested).map((route) => ({
      ...route,
      posts: [...postsAt(before, route.segments), ...route.posts],
    }));
  });
}

function routesAt(layer: Layer, nested: boolean): Route[] {
  switch (layer.sort) {
    case 'route':
      return layer.methods
        .filter(({ handles }) => handles.some(takesRequests))
        .flatMap(({ method, handles }) =>
          layer.paths.map(({ text, choices }) => ({
            method,
            path: text,
            segments: choices,
            posts: postsAmong(handles),
          })),
        );
    case 'router':
      return routesOf(layer.layers, nested || !layer.takesEveryPath).flatMap((inner) =>
        layer.paths.map(({ text, choices }) => ({
          ...inner,
          path: joined(text, inner.path),
          segments: choices.flatMap((outer) => inner.segments.map((rest) => [...outer, ...layer.joint, ...rest])),
        })),
      );
    case 'function':
      if (!isEndpoint(layer, nested)) return [];
      return layer.paths.map(({ text, choices }) => ({ method: 'USE', path: text, segments: choices, posts: [] }));
  }
}

function isEndpoint({ handle, isApp, takesEveryPath }: Layer & { sort: 'function' }, nested: boolean): boolean {
  return isApp || (mayAnswer(handle) && (nested || !takesEveryPath));
}

function joined(outer: string, inner: string): string {
  if (outer === '/') return inner;
  return inner === '/' ? outer : `${outer}${inner}`;
}
