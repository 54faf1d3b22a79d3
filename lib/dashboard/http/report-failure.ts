/** Publishes errors as events for the operator. The error page that the member sees does not contain the cause. */
import { describeError, placesOf } from '../../errors/describe-error.js';
import { type DashboardWarning, dashboardWarnings } from '../../events/dashboard-warning.js';
import { ManagementError } from '../../management/management-error.js';
import { MemberInvalidError, MemberLookupError } from './current-member.js';
import { HttpError } from './http-error.js';
import { CrossSiteError } from './same-origin.js';

/** Publishes a warning for an error. Errors that members cause in normal use, such as a wrong value, are skipped. */
export function reportFailure(method: string, route: string | undefined, thrown: unknown): void {
  const warning = warningOf(thrown);
  if (warning === undefined || !dashboardWarnings.hasSubscribers) return;
  const cause = warning === 'unavailable' && thrown instanceof Error ? thrown.cause : thrown;
  dashboardWarnings.publish({
    warning,
    method,
    route,
    detail: detailOf(thrown, cause),
    where: thrown instanceof CrossSiteError || thrown instanceof MemberInvalidError ? [] : placesOf(cause),
  });
}

function detailOf(thrown: unknown, cause: unknown): string {
  if (thrown instanceof CrossSiteError) return thrown.reason;
  if (thrown instanceof MemberInvalidError)
    return 'memberOf must return undefined or { id, account, permissions }, where permissions is a list of "reader", "developer" or "owner"; the id has at most 256 characters, and the optional environment must be "live" or "sandbox"';
  return describeError(cause);
}

function warningOf(thrown: unknown): DashboardWarning['warning'] | undefined {
  if (thrown instanceof CrossSiteError) return 'cross_site';
  if (thrown instanceof MemberLookupError) return 'unavailable';
  if (thrown instanceof MemberInvalidError) return 'member_invalid';
  if (thrown instanceof ManagementError) return thrown.code === 'unavailable' ? 'unavailable' : undefined;
  return thrown instanceof HttpError ? undefined : 'failed';
}
