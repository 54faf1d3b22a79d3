import { eventChannel } from './event-channel.js';

/**
 * A problem of a Dashboard or of its sign-in. The event contains only the method and the route of the request, such as
 * `/keys/:id/edit`. A member is a person who may use the Dashboard; your function `memberOf` returns the member of each
 * request.
 */
export interface DashboardWarning {
  /**
   * `failed`: an unexpected error occurred. The member got 500; if a part of the response was already sent, the
   * connection was closed.
   *
   * `unavailable`: the store failed, or `memberOf` threw or rejected. The member got 503; only a sign-out succeeds
   * nevertheless.
   *
   * `member_invalid`: `memberOf` returned a value that is not a `Member`, `undefined` or `null`, or a member with only
   * unknown permissions. The request got 401.
   *
   * `cross_site`: a form was not sent from a page of the Dashboard, or the page was outdated. The request got 403.
   */
  readonly warning: 'failed' | 'unavailable' | 'member_invalid' | 'cross_site';
  readonly method: string;
  /** The path of the route, such as `/keys/:id/edit`; `undefined` if no route matched. */
  readonly route: string | undefined;
  /**
   * The class and code of the error and of up to three causes. For `cross_site`, it is the check that failed: `origin`,
   * `fetch_site`, `media_type` or `form_token`. For `member_invalid`, it says what `memberOf` must return.
   */
  readonly detail: string;
  /**
   * Where the error was thrown: up to 8 places `file:line:column`, innermost first. Empty for `cross_site` and
   * `member_invalid`.
   */
  readonly where: readonly string[];
}

/** `keyward:dashboard`: publishes problems of a Dashboard that its operator should know. */
export const dashboardWarnings = eventChannel<DashboardWarning>('keyward:dashboard');
