/** The Dashboard: pages for managing keys (docs/spec.md §5.4). */
import { type NextFunction, type Request, type Response, Router } from 'express';
import type { Clock } from '../contracts/clock.js';
import { clockOption } from '../contracts/clock-option.js';
import { ownEndpoint } from '../express/route-metadata.js';
import { secureUrl } from '../http/secure-url.js';
import type { Management } from '../management/create-management.js';
import { managementOption } from '../management/management-option.js';
import { method, type Option, type OptionTable, optional, readTable } from '../options/option-table.js';
import { APPEARANCE_OPTIONS, type AppearanceOptions, OWN_PATH, ownPath } from './appearance-options.js';
import { ASSETS, serveAsset } from './assets/assets.js';
import type { MemberOf } from './http/current-member.js';
import { notFound } from './http/http-error.js';
import { routeHandlers } from './http/route-handlers.js';
import { setSecurityHeaders } from './http/security-headers.js';
import { ROUTES } from './pages/routes.js';

/** Options of `createDashboard`. */
export interface DashboardOptions extends AppearanceOptions {
  /** The result of `createManagement`. */
  readonly management: Management;
  /**
   * Returns the member who sent a request, from your own sign-in. It is called for every page and every form, and its
   * result is not cached. A form from another site is refused without calling it.
   */
  readonly memberOf: MemberOf;
  /**
   * The sign-in page: a path, or an https URL. The page for people who are not signed in links to it. Default: there is
   * no link.
   */
  readonly signInUrl?: string | undefined;
  /**
   * A path of your site that ends the session. Pages with the menu of the member then have the button "Sign out", which
   * sends a POST request to this path.
   */
  readonly signOutUrl?: string | undefined;
  /** A path of your site to a square logo, shown beside `productName`. */
  readonly logoUrl?: string | undefined;
  /**
   * The URL of your API. A page that shows a new API key has a sample `curl` command with this URL. Default:
   * `'https://api.example.com'`.
   */
  readonly apiUrl?: string | undefined;
  /**
   * The URL of your token endpoint. A page that shows a new client secret has a sample `curl` command with this URL.
   * Default: `'https://access.example.com/connect/token'`.
   */
  readonly tokenUrl?: string | undefined;
  /** The source of time. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

const ownPathOrUrl: Option<string> = (options, name) => {
  const value = options.text(name);
  if (OWN_PATH.test(value) || secureUrl(value) !== undefined) return value;
  throw options.wrongText(
    name,
    'an https URL (http only for a loopback host), or a path that starts with a single / and has no spaces or backslashes',
  );
};

function httpsUrl(fallback: string): Option<string> {
  return (options, name) => {
    const url = secureUrl(options.has(name) ? options.text(name) : fallback);
    if (url === undefined) throw options.wrongText(name, 'an https URL (http only for a loopback host)');
    // Pages show a `curl` command with the URL inside single quotes. A single quote in the URL would end the argument.
    return url.href.replaceAll("'", '%27');
  };
}

const OPTIONS = {
  ...APPEARANCE_OPTIONS,
  management: managementOption,
  memberOf: method<MemberOf>(),
  signInUrl: optional(ownPathOrUrl),
  signOutUrl: optional(ownPath),
  logoUrl: optional(ownPath),
  apiUrl: httpsUrl('https://api.example.com'),
  tokenUrl: httpsUrl('https://access.example.com/connect/token'),
  clock: clockOption,
} satisfies OptionTable<DashboardOptions>;

/**
 * Creates a Router with pages on which members view, create and change the keys of their account. Mount it in your own
 * site, over TLS, at any path.
 *
 * Every response has strict security headers. A form is accepted only if it comes from a page of the same origin and
 * contains the CSRF token of the browser and the member. A secret is shown in one response only. Management checks the
 * permission of the member for every operation, so hiding a button is never the only protection.
 *
 * @throws TypeError for an option that is missing, unknown or of the wrong type.
 * @example
 * ```ts
 * import express from 'express';
 * import { createDashboard } from 'keyward/dashboard';
 * import { createManagement } from 'keyward/management';
 * import { openStore } from 'keyward/store';
 *
 * const app = express();
 * const store = await openStore('file:./keyward.db');
 * const management = createManagement({ store });
 * // The member whom your own sign-in knows; undefined if nobody is signed in.
 * const memberOf = () => ({ id: 'kim', account: 'acme', permissions: ['owner' as const] });
 * app.use('/dashboard', createDashboard({ management, memberOf }));
 * ```
 */
export function createDashboard(options: DashboardOptions): Router {
  const { memberOf, ...site } = readTable('createDashboard', options, OPTIONS);
  const { serveGet, servePost, refuseMethod, respond } = routeHandlers(site, memberOf);

  function answerNotFound(req: Request, res: Response): void {
    respond(req, res, undefined, () => {
      throw notFound();
    });
  }

  /**
   * Express calls this error handler for a path with an invalid percent-escape. Express recognizes an error handler by
   * its four parameters, so the unused ones are necessary.
   */
  function answerInvalidPath(_error: unknown, req: Request, res: Response, _next: NextFunction): void {
    answerNotFound(req, res);
  }

  const router = Router({ caseSensitive: true });
  router.use(ownEndpoint(setSecurityHeaders));
  for (const asset of ASSETS) router.get(asset.path, ownEndpoint(serveAsset(asset)));
  for (const route of ROUTES) {
    if (route.get !== undefined) router.get(route.path, ownEndpoint(serveGet(route, route.get)));
    if (route.post !== undefined) router.post(route.path, ownEndpoint(servePost(route, route.post)));
    router.all(route.path, ownEndpoint(refuseMethod(route)));
  }
  router.use(ownEndpoint(answerNotFound));
  router.use(answerInvalidPath);
  return router;
}
