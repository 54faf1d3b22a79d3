/** The Dashboard: what members do with keys, in pages (spec section 5.4). */
import { type NextFunction, type Request, type Response, Router } from 'express';
import { type Clock, systemClock } from '../contracts/clock.js';
import type { Management } from '../management/create-management.js';
import { Options } from '../options/options.js';
import { secureUrl } from '../verify/secure-url.js';
import { ASSETS, serveAsset } from './assets.js';
import { notFound } from './refusal.js';
import { ROUTES } from './routes.js';
import { setSecurityHeaders } from './security-headers.js';
import { routesOf } from './serve-route.js';
import type { MemberOf } from './signed-in.js';
import type { Site } from './visit.js';

/** Options of `createDashboard`. */
export interface DashboardOptions {
  /** Of `createManagement`. */
  readonly management: Management;
  /** Who sent a request, by your own sign-in. It is asked for every request, and nothing is remembered. */
  readonly memberOf: MemberOf;
  /** Where one signs in: a path, or an https URL. The page for those who are not signed in has a link there. */
  readonly signInUrl?: string | undefined;
  /** A path of yours that ends the session: every page then has a button that posts there. */
  readonly signOutUrl?: string | undefined;
  /** A path of yours to a stylesheet that is loaded after the Dashboard's own, to give its custom properties other values. */
  readonly stylesheet?: string | undefined;
  /** The API, for the ready command beside a new key; `'https://api.example.com'`. */
  readonly apiUrl?: string | undefined;
  /** The token endpoint, for the one beside a new access key; `'https://access.example.com/connect/token'`. */
  readonly tokenUrl?: string | undefined;
  readonly clock?: Clock | undefined;
}

const OPTION_NAMES = [
  ...['management', 'memberOf', 'signInUrl', 'signOutUrl', 'stylesheet', 'apiUrl', 'tokenUrl', 'clock'],
];

/** A path on this origin: `//host` and `/\host` are none. */
const OWN_PATH = /^\/(?![/\\])[^\s\\]*$/;

/**
 * Makes a Router of pages in which members see, make and change the keys of their account: mount it in your own site,
 * over TLS, at any path.
 *
 * Every answer has strict security headers; every form is taken from the Dashboard's own pages alone; a secret stands in
 * one answer, once. What a member may not do is refused by management, whatever the page shows.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 */
export function createDashboard(options: DashboardOptions): Router {
  const { memberOf, ...site } = readOptions(options);
  const { serveGet, servePost, refuseMethod, respond } = routesOf(site, memberOf);

  function nothingHere(req: Request, res: Response): void {
    respond(req, res, undefined, () => {
      throw notFound();
    });
  }

  /** The router itself refuses a path whose escapes are broken. Express knows an error handler by its four parameters. */
  function brokenPath(_error: unknown, req: Request, res: Response, _next: NextFunction): void {
    nothingHere(req, res);
  }

  const router = Router({ caseSensitive: true });
  router.use(setSecurityHeaders);
  for (const asset of ASSETS) router.get(asset.path, serveAsset(asset));
  for (const route of ROUTES) {
    if (route.get !== undefined) router.get(route.path, serveGet(route, route.get));
    if (route.post !== undefined) router.post(route.path, servePost(route, route.post));
    router.all(route.path, refuseMethod(route));
  }
  router.use(nothingHere);
  router.use(brokenPath);
  return router;
}

function readOptions(given: DashboardOptions): Site & { readonly memberOf: MemberOf } {
  const options = new Options('createDashboard', given, OPTION_NAMES);
  return {
    management: readManagement(options),
    memberOf: options.method<MemberOf>('memberOf'),
    signInUrl: readPlace(options, 'signInUrl', true),
    signOutUrl: readPlace(options, 'signOutUrl', false),
    stylesheet: readPlace(options, 'stylesheet', false),
    apiUrl: readUrl(options, 'apiUrl', 'https://api.example.com'),
    tokenUrl: readUrl(options, 'tokenUrl', 'https://access.example.com/connect/token'),
    clock: options.has('clock') ? options.object<Clock>('clock', ['now', 'monotonic']) : systemClock,
  };
}

function readManagement(options: Options): Management {
  const management = options.object<Management>('management', ['audit']);
  if (management.keys === undefined || management.accessKeys === undefined) {
    throw options.mistake('management', 'what createManagement made');
  }
  return management;
}

function readPlace(options: Options, name: string, mayBeElsewhere: boolean): string | undefined {
  if (!options.has(name)) return undefined;
  const place = options.text(name);
  if (OWN_PATH.test(place) || (mayBeElsewhere && secureUrl(place) !== undefined)) return place;
  throw options.mistake(
    name,
    mayBeElsewhere ? 'a path that begins with / or an https URL' : 'a path that begins with /',
  );
}

function readUrl(options: Options, name: string, fallback: string): string {
  const url = secureUrl(options.has(name) ? options.text(name) : fallback);
  if (url === undefined) throw options.mistake(name, 'an https URL (http to this machine only)');
  // The one sign of a URL that would end a quoted argument of a shell.
  return url.href.replaceAll("'", '%27');
}
