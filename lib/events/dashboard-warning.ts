import { eventChannel } from './event-channel.js';

/**
 * A problem of a Dashboard or of its sign-in. Of the request, it contains only the method and the route, such as
 * `/keys/:id/edit`. A member is a person who may use the Dashboard: `memberOf` names the member of each request.
 */
export interface DashboardWarning {
  /**
   * `failed`: an unexpected error, and the member got 500, or the connection was closed if a part of the response was
   * already sent. `unavailable`: the store failed, or `memberOf` threw or rejected, and the member got 503; a sign-out
   * succeeds nevertheless. `member_invalid`: `memberOf` returned something other than a `Member`, `undefined` or
   * `null`, or only unknown permissions, and the request got 401. `cross_site`: a form was not sent from a page of the
   * Dashboard, or the page was outdated, and the request got 403.
   */
  readonly warning: 'failed' | 'unavailable' | 'member_invalid' | 'cross_site';
  readonly method: string;
  /** The path of the route, such as `/keys/:id/edit`; `undefined` if no route matched. */
  readonly route: string | undefined;
  /**
   * The class and code of the error and of up to three causes. For `cross_site`: the check that failed (`origin`,
   * `fetch_site`, `media_type` or `form_token`). For `member_invalid`: what `memberOf` must return.
   */
  readonly detail: string;
  /**
   * Where it was thrown: up to 8 places `file:line:column`, innermost first. Empty for `cross_site` and
   * `member_invalid`.
   */
  readonly where: readonly string[];
}

/** `keyward:dashboard`: publishes problems of a Dashboard for its operator. */
export const dashboardWarnings = eventChannel<DashboardWarning>('keyward:dashboard');
