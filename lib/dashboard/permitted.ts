/** What pages show of permissions. Whether something is done management decides, whatever stood on the page. */
import { ManagementError } from '../management/management-error.js';
import { type Action, isAllowed, permissionFor } from '../management/permissions.js';
import type { Visit } from './visit.js';

/** Whether the member may do something. */
export function may({ member }: Visit, action: Action): boolean {
  return isAllowed(action, member.permissions);
}

/** The permission that a member lacks for something, as pages write it; `undefined` where it is held. */
export function lacking(visit: Visit, action: Action): string | undefined {
  if (may(visit, action)) return undefined;
  return permissionFor(action) === 'owner' ? 'Owner' : 'Developer';
}

/** For pages that ask before something is done. @throws ManagementError `forbidden` */
export function assertMay(visit: Visit, action: Action): void {
  const permission = lacking(visit, action);
  if (permission !== undefined) throw new ManagementError('forbidden', `this needs the permission ${permission}`);
}
