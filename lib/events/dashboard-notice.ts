import { eventChannel } from './event-channel.js';

/** Something about a Dashboard that its operator should know. It holds nothing that a request brought. */
export interface DashboardNotice {
  /**
   * `failed`: something unexpected was thrown, and the member got 500. `unavailable`: the store, or `memberOf`, gave no
   * answer, and the member got 503. `cross_site`: a form came that was not sent from a page of the Dashboard.
   */
  readonly notice: 'failed' | 'unavailable' | 'cross_site';
  readonly method: string;
  /** The path of the route, such as `/keys/:id/edit`; `undefined` where there is none. */
  readonly route: string | undefined;
  /** Name and code of what was thrown; of `cross_site` what was wrong: `origin`, `fetch_site`, `media_type`, `form_token`. */
  readonly detail: string;
  /** Where it was thrown: the frames of its stack, without its message. */
  readonly where: readonly string[];
}

/** `keyward:dashboard`: things about a Dashboard that its operator should know. */
export const dashboardNotices = eventChannel<DashboardNotice>('keyward:dashboard');
