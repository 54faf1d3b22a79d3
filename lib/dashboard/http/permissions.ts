/** Which actions pages offer to a member. Management checks the permission again for every operation. */
import { ManagementError } from '../../management/management-error.js';
import type { Member } from '../../management/member.js';
import { type Action, isAllowed, permissionTitle } from '../../management/permissions.js';
import type { PageContext } from './page-context.js';

/** The highest permission of a member, as pages show it. A member without permissions is shown as `Reader`. */
export function roleTitle({ permissions }: Pick<Member, 'permissions'>): string {
  if (isAllowed('edit', permissions)) return 'Owner';
  return isAllowed('create', permissions) ? 'Developer' : 'Reader';
}

export function can({ member }: PageContext, action: Action): boolean {
  return isAllowed(action, member.permissions);
}

/** The permission that a member needs and lacks for an action, as pages show it; `undefined` if none is missing. */
export function missingPermission(context: PageContext, action: Action): string | undefined {
  if (can(context, action)) return undefined;
  return permissionTitle(action);
}

/**
 * Checks a permission before a page shows a form. Without this check, a member would fill in a form that management
 * then refuses.
 *
 * @throws ManagementError `forbidden`
 */
export function assertCan(context: PageContext, action: Action): void {
  const permission = missingPermission(context, action);
  if (permission !== undefined)
    throw new ManagementError('forbidden', `this operation requires the ${permission} permission`);
}
