/** Gates and guards on the way to a route, and what keeps them from counting. */
import { isBearerErrors } from './bearer-errors.js';
import { type GateFacts, gateFactsOf } from './gate.js';
import { type GuardFacts, guardFactsOf } from './guard.js';
import { coversPath, type Segments } from './route-path.js';
import type { Layer } from './router-layers.js';

/** A gate or a guard that every request for a route meets. */
export type Post =
  | { readonly gate: GateFacts; readonly guard?: never }
  | { readonly guard: GuardFacts; readonly gate?: never };

/**
 * Middlewares that prepare a request and answer none, by the names that their packages give them. Names that somebody
 * may give a handler of their own (`session`, `query`) are not among them.
 */
const PREPARATIONS: ReadonlySet<string> = new Set([
  ...['jsonParser', 'urlencodedParser', 'textParser', 'rawParser', 'cookieParser', 'compression'],
  ...['corsMiddleware', 'helmetMiddleware', 'logger'],
]);

/** What a request for a route meets at the layers before it, in one stack. */
export function postsAt(layers: readonly Layer[], route: readonly Segments[]): readonly Post[] {
  return layers.slice(layers.findLastIndex(isSwallower) + 1).flatMap((layer) => postsOfLayer(layer, route));
}

/** What a request meets among a route's own handlers, before the first which may answer. */
export function postsAmong(handles: readonly unknown[]): readonly Post[] {
  const answers = handles.findIndex(mayAnswer);
  // Past a swallowed refusal the request goes on to any handler behind, the last one too.
  const swallowed = handles.slice(0, handles.findLastIndex(takesRequests)).findLastIndex(swallowsErrors);
  const before = answers === -1 ? handles : handles.slice(0, answers);
  return before.slice(swallowed + 1).flatMap((handle) => postOf(handle) ?? []);
}

/** Whether a function takes requests for something else than to judge them: it is no gate, guard or error handler. */
export function takesRequests(handle: unknown): boolean {
  return postOf(handle) === undefined && !isErrorHandler(handle);
}

/** Whether a request may end at a function, or leave its router there: one of those that is no known preparation. */
export function mayAnswer(handle: unknown): boolean {
  return takesRequests(handle) && !isPreparation(handle);
}

function postsOfLayer(layer: Layer, route: readonly Segments[]): readonly Post[] {
  if (layer.sort === 'route' || layer.hasCallbacks || !covers(layer, route)) return [];
  if (layer.sort === 'function') return [layer.handle].flatMap((handle) => postOf(handle) ?? []);
  // A refusal that is swallowed in the router leaves it like a request that was let pass.
  if (layer.layers.some(isSwallower)) return [];
  // Any other function could leave the router before its gates.
  const stop = layer.layers.findIndex((inner) => inner.sort !== 'function' || mayAnswer(inner.handle));
  return layer.layers
    .slice(0, stop === -1 ? undefined : stop)
    .flatMap((inner) => (inner.takesEveryPath ? postsOfLayer(inner, []) : []));
}

function covers({ paths, takesEveryPath }: Layer, route: readonly Segments[]): boolean {
  if (takesEveryPath) return true;
  const mounts = paths.flatMap(({ choices }) => choices);
  return route.length > 0 && route.every((segments) => mounts.some((mount) => coversPath(mount, segments)));
}

function isSwallower(layer: Layer): boolean {
  return layer.sort === 'function' && swallowsErrors(layer.handle);
}

/** Whether an error handler may let a refused request go on: whatever `bearerErrors` did not make. */
function swallowsErrors(handle: unknown): boolean {
  return isErrorHandler(handle) && !isBearerErrors(handle);
}

/** Express tells an error handler by its four parameters. */
function isErrorHandler(handle: unknown): boolean {
  return typeof handle === 'function' && handle.length === 4;
}

/** Whether a function is known by its name, and has the three parameters that all of them have. */
function isPreparation(handle: unknown): boolean {
  return typeof handle === 'function' && handle.length === 3 && PREPARATIONS.has(handle.name);
}

function postOf(handle: unknown): Post | undefined {
  const gate = gateFactsOf(handle);
  if (gate !== undefined) return { gate };
  const guard = guardFactsOf(handle);
  return guard === undefined ? undefined : { guard };
}
