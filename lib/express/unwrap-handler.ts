/** Finds the function that the app mounted in a router, without the wrappers of instrumentation. */
import type { GateMetadata, GuardMetadata } from './route-metadata.js';
import { copiedMarkOf, type MarkName, markOf } from './route-metadata.js';

/** One function of a router or a route. */
export interface Handler {
  /** The mounted function. If it is wrapped, and the wrapper does not store it, this is the wrapper. */
  readonly handle: unknown;
  readonly name: string;
  /** How many parameters it has. Express recognizes an error handler by its four parameters. */
  readonly length: number;
  /** Whether `handle` is a wrapper with a copy of the properties of the mounted function. */
  readonly isCopy: boolean;
  readonly gate: GateMetadata | undefined;
  readonly guard: GuardMetadata | undefined;
  readonly isBearerErrors: boolean;
  readonly isResourceMetadata: boolean;
  /** Whether it is an endpoint of the Dashboard, the issuer or the management API of keyward, which needs no gate. */
  readonly isOwnEndpoint: boolean;
}

/** What Express stores about a mounted function. */
export interface MountedLayer {
  readonly handle: unknown;
  /** The name of the function before it was wrapped. */
  readonly name: string;
}

/**
 * Maximum depth of nested wrappers. Without a limit, a function whose `__original` is itself would cause an endless
 * loop.
 */
const MAX_WRAPPERS = 16;

/**
 * Finds the function of a layer.
 *
 * OpenTelemetry replaces `layer.handle`, and stores the original as `__original`. express-async-errors wraps every
 * function of Express 4 layers, and keeps only its length and the properties that `Object.keys` finds. A copied mark
 * (see `mark` in route-metadata.ts) is trusted only in wrappers of express-async-errors.
 */
export function readHandler(layer: MountedLayer): Handler {
  const handle = originalOf(layer.handle);
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
 * method, so its wrappers are compared by their marks, names and lengths.
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
