/**
 * Warns if an app has no error handler after its gates. Express would answer a refused request with its HTML error
 * page.
 */
import type { Handler } from '../unwrap-handler.js';
import { isErrorHandler } from './checks-before-route.js';
import { isRouter, type Layer, layersOf } from './router-layers.js';

const WARNING =
  'no error handler is mounted after the gates (such as requireBearer) of this app, so Express answers refused requests with its HTML error page; ' +
  'call app.use(bearerErrors()) after the routes';

/**
 * Emits a process warning if an app has a gate but no error handler after it. It does not throw, because the route is
 * protected: the status and the challenge of a refusal are correct without an error handler.
 */
export function warnWithoutErrorHandler(app: object): void {
  // The error handler of a router or of a mounted app may be in the app around it.
  if (isRouter(app) || (app as { parent?: unknown }).parent !== undefined) return;
  const handlers = layersOf(app).flatMap(handlersOf);
  const firstGate = handlers.findIndex(({ gate }) => gate !== undefined);
  if (firstGate === -1 || handlers.slice(firstGate).some(isErrorHandler)) return;
  process.emitWarning(`assertGuarded: ${WARNING}`, { type: 'KeywardWarning', code: 'KEYWARD_NO_ERROR_HANDLER' });
}

/** Returns the functions of a layer, in the order in which Express calls them. */
function handlersOf(layer: Layer): readonly Handler[] {
  switch (layer.type) {
    case 'route':
      return layer.methods.flatMap(({ handlers }) => handlers);
    case 'router':
      return layer.layers.flatMap(handlersOf);
    case 'function':
      return [layer.handler];
  }
}
