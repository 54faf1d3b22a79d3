/** Reads the path of a request, as Express compares it with the paths of routes. */
import { type ExpressRequest, routerOf } from '../../express/layers-to-route.js';

/**
 * Matches a request target with a character for which Express uses `url.parse`. `url.parse` removes or replaces
 * characters, so Express may route a different path than the client sent.
 */
const REWRITTEN = /[\t\n\f\r #\u00a0\ufeff]/;
/** Matches a target in absolute form (RFC 9112 section 3.2.2) whose path `url.parse` does not change. */
const ABSOLUTE = /^https?:\/\/[\w.:[\]-]+(\/[\w.~!$&()*+,;=:@%/-]*)(?:\?.*)?$/i;

/**
 * Returns the whole path of a request, not decoded and without its query. It includes the mount paths that Express
 * removed from `req.url`.
 *
 * @returns `undefined` if the route of the request cannot be determined: another middleware rewrote `req.url`, Express
 *   4 dropped a slash at a mount path, or Express changes characters of the target (`REWRITTEN`).
 */
export function routedPath(req: ExpressRequest): string | undefined {
  const { url = '', originalUrl = url, baseUrl = '' } = req;
  const path = pathOf(url);
  if (baseUrl === '' && url === originalUrl) return path;
  const original = pathOf(originalUrl);
  if (path === undefined || original === undefined) return undefined;
  // For a request for the mount path itself, such as `/v1`, Express sets the path in `req.url` to `/`.
  const isMountItself = path === '/' && baseUrl === original;
  return isMountItself || baseUrl + path === original ? original : undefined;
}

function pathOf(target: string): string | undefined {
  if (REWRITTEN.test(target)) return undefined;
  if (target.charCodeAt(0) !== 0x2f) return ABSOLUTE.exec(target)?.[1];
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

/**
 * Whether the router of a request's app distinguishes case, and (`strict`) paths with and without a slash at the end.
 */
export interface PathSettings {
  readonly caseSensitive: boolean;
  readonly strict: boolean;
}

/**
 * Returns the settings that the router got when it was created. Later changes of the app's settings have no effect on
 * the router.
 */
export function pathSettingsOf({ app }: ExpressRequest): PathSettings {
  const { caseSensitive, strict } = Object(routerOf(app)) as { caseSensitive?: unknown; strict?: unknown };
  return { caseSensitive: caseSensitive === true, strict: strict === true };
}
