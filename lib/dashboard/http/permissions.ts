/** Which actions pages offer to a member. Management checks the permission again for every operation. */
import { ManagementError } from '../../management/management-error.js';
import type { Member } from '../../management/member.js';
import { type Action, isAllowed, permissionTitle } from '../../management/permissions.js';
import type { PageContext } from './page-context.js';

/** The highest permission of a member, for display; `Reader` also for a member without permissions. */
export function roleTitle({ permissions }: Pick<Member, 'permissions'>): string {
  if (isAllowed('edit', permissions)) return 'Owner';
  return isAllowed('create', permissions) ? 'Developer' : 'Reader';
}

export function can({ member }: PageContext, action: Action): boolean {
  return isAllowed(action, member.permissions);
}

/** The permission that a member lacks for an action, for display; `undefined` if none is missing. */
export function missingPermission(context: PageContext, action: Action): string | undefined {
  if (can(context, action)) return undefined;
  return permissionTitle(action);
}

/**
 * Checks a permission before a page shows a form. Management checks it only when the form is sent.
 *
 * @throws ManagementError `forbidden`
 */
export function assertCan(context: PageContext, action: Action): void {
  const permission = missingPermission(context, action);
  if (permission !== undefined)
    throw new ManagementError('forbidden', `this operation requires the ${permission} permission`);
}
