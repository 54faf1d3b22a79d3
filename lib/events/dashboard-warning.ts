import { eventChannel } from './event-channel.js';

/**
 * A problem of a Dashboard. Of the request, it contains only the method and the route, such as `/keys/:id/edit`. A
 * member is a person who may use the Dashboard: `memberOf` names the member of each request.
 */
export interface DashboardWarning {
  /**
   * `failed`: an unexpected error, and the member got 500. `unavailable`: the store or `memberOf` did not answer, and
   * the member got 503. `member_invalid`: `memberOf` returned something that is not a `Member`, and the request got
   * 401. `cross_site`: a form was not sent from a page of the Dashboard.
   */
  readonly warning: 'failed' | 'unavailable' | 'member_invalid' | 'cross_site';
  readonly method: string;
  /** The path of the route, such as `/keys/:id/edit`; `undefined` if no route matched. */
  readonly route: string | undefined;
  /**
   * The class and code of the error and of its causes. For `cross_site`: the check that failed (`origin`, `fetch_site`,
   * `media_type` or `form_token`). For `member_invalid`: what `memberOf` must return.
   */
  readonly detail: string;
  /** Where it was thrown: up to 8 places `file:line:column`, innermost first. */
  readonly where: readonly string[];
}

/** `keyward:dashboard`: publishes problems of a Dashboard for its operator. */
export const dashboardWarnings = eventChannel<DashboardWarning>('keyward:dashboard');
