/** Tells the operator what the member is not told. */
import { types } from 'node:util';
import { type DashboardNotice, dashboardNotices } from '../events/dashboard-notice.js';
import { causeOf } from '../issuer/cause-of.js';
import { ManagementError } from '../management/management-error.js';
import { Refusal } from './refusal.js';
import { CrossSite } from './same-origin.js';
import { MemberUnknown } from './signed-in.js';

const FRAME = /^ {4}at /;

/** Publishes what was thrown, where it is for the operator. */
export function notice(method: string, route: string | undefined, thrown: unknown): void {
  const kind = kindOf(thrown);
  if (kind === undefined || !dashboardNotices.hasSubscribers) return;
  const cause = kind === 'unavailable' && thrown instanceof Error ? thrown.cause : thrown;
  const detail = thrown instanceof CrossSite ? thrown.reason : causeOf(cause);
  dashboardNotices.publish({
    notice: kind,
    method,
    route,
    detail,
    where: kind === 'cross_site' ? [] : framesOf(cause),
  });
}

function kindOf(thrown: unknown): DashboardNotice['notice'] | undefined {
  if (thrown instanceof CrossSite) return 'cross_site';
  if (thrown instanceof MemberUnknown) return 'unavailable';
  if (thrown instanceof ManagementError) return thrown.code === 'unavailable' ? 'unavailable' : undefined;
  return thrown instanceof Refusal ? undefined : 'failed';
}

function framesOf(thrown: unknown): readonly string[] {
  if (!types.isNativeError(thrown)) return [];
  // The message stands before the frames, and may hold anything.
  const frames = (thrown.stack ?? '').replace(thrown.message, '');
  return frames.split('\n').filter((line) => FRAME.test(line));
}
