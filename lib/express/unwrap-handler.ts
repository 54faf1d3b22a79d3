/**
 * Finds the function that the app mounted, even if instrumentation such as OpenTelemetry has replaced it with a
 * wrapper.
 */
import type { GateMetadata, GuardMetadata } from './route-metadata.js';
import { copiedMarkOf, type MarkName, markOf } from './route-metadata.js';

/** A function that is mounted in a router or a route, and what keyward knows about it. */
export interface Handler {
  /** The mounted function. It is the wrapper if the function is wrapped and the wrapper does not store it. */
  readonly handle: unknown;
  readonly name: string;
  /** The number of parameters. Express recognizes an error handler by its four parameters. */
  readonly length: number;
  /** Whether express-async-errors is in use. `handle` is then a wrapper with copies of the function's properties. */
  readonly isCopy: boolean;
  readonly gate: GateMetadata | undefined;
  readonly guard: GuardMetadata | undefined;
  readonly isBearerErrors: boolean;
  readonly isResourceMetadata: boolean;
  /**
   * Whether the handler belongs to the Dashboard, the issuer or the management API of keyward. It needs no gate,
   * because it authenticates its callers itself or serves public data.
   */
  readonly isOwnEndpoint: boolean;
}

/** What Express stores about a mounted function. */
export interface MountedLayer {
  readonly handle: unknown;
  /** The name that the function had when it was mounted, before a wrapper replaced it. */
  readonly name: string;
}

/**
 * Maximum depth of nested wrappers. Without a limit, a function whose `__original` is itself would cause an endless
 * loop.
 */
const MAX_WRAPPERS = 16;

/**
 * Finds the mounted function of a layer, and the marks by which keyward recognizes its own functions.
 *
 * OpenTelemetry replaces `layer.handle` with a wrapper that stores the original function as `__original`.
 * express-async-errors wraps every function in Express 4. Its wrapper keeps only the length and the enumerable
 * properties of the function, which include copies of the marks (see `mark` in route-metadata.ts).
 *
 * A copied mark is trusted only in a wrapper of express-async-errors: another wrapper might never call the gate, and
 * the route audit would report an open route as protected.
 */
export function readHandler(layer: MountedLayer): Handler {
  const handle = originalOf(layer.handle);
  // express-async-errors defines a setter for `handle` on the prototype of all layers.
  const isCopy = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(layer) ?? {}, 'handle')?.set !== undefined;
  const read = (name: MarkName) => markOf(handle, name) ?? (isCopy ? copiedMarkOf(handle, name) : undefined);
  const { name, length } = typeof handle === 'function' ? handle : { name: '', length: 0 };
  return {
    handle,
    name: isCopy ? layer.name : name,
    length,
    isCopy,
    gate: read('keyward.gate') as GateMetadata | undefined,
    guard: read('keyward.guard') as GuardMetadata | undefined,
    isBearerErrors: read('keyward.bearerErrors') !== undefined,
    isResourceMetadata: read('keyward.resourceMetadata') !== undefined,
    isOwnEndpoint: read('keyward.ownEndpoint') !== undefined,
  };
}

/**
 * Whether two handlers are the same mounted function. express-async-errors wraps a function of `app.all` again for each
 * method, so its wrappers are different objects. Two of them count as the same function if they have the same name,
 * length and properties that keyward sets on its own handlers.
 */
export function isSameHandler(one: Handler, other: Handler | undefined): boolean {
  if (one.handle === other?.handle) return true;
  if (other === undefined || !one.isCopy) return false;
  const hasSameMarks =
    one.gate === other.gate &&
    one.guard === other.guard &&
    one.isBearerErrors === other.isBearerErrors &&
    one.isOwnEndpoint === other.isOwnEndpoint;
  return hasSameMarks && one.name === other.name && one.length === other.length;
}

function originalOf(handle: unknown): unknown {
  let found = handle;
  for (let depth = 0; depth < MAX_WRAPPERS && typeof found === 'function'; depth += 1) {
    const { __original: original } = found as { __original?: unknown };
    if (!Object.hasOwn(found, '__original') || typeof original !== 'function') return found;
    found = original;
  }
  return found;
}
