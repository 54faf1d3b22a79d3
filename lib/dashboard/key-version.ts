/** The version of a key that stood in a form: of two who saw the same one is the first. */
import type { KeyView } from '../management/key-view.js';
import { ManagementError } from '../management/management-error.js';
import { may } from './permitted.js';
import { badRequest } from './refusal.js';
import type { Sort } from './sort.js';
import { idIn, type Visit } from './visit.js';

export function versionIn({ fields }: Visit): number {
  const text = fields.one('version') ?? '';
  if (!/^\d{1,15}$/.test(text)) throw badRequest('The form has lost the version of the key. Open it anew.');
  return Number(text);
}

/**
 * For what management does to whatever version it finds: a form that is sent again, as by a reload, does nothing again.
 * Who may not do it goes on, so that management refuses it and writes that down.
 *
 * @throws ManagementError `version_conflict`
 */
export async function assertUnchanged(visit: Visit, sort: Sort): Promise<void> {
  if (!may(visit, 'roll')) return;
  const { version } = await viewed(visit, sort);
  if (version === versionIn(visit)) return;
  throw new ManagementError('version_conflict', 'it was changed meanwhile, perhaps by this form, sent before');
}

/** The key that the path names. @throws ManagementError `not_found` */
export function viewed(visit: Visit, { name }: Sort): Promise<KeyView> {
  return visit.site.management[name].view(visit.member, idIn(visit));
}
