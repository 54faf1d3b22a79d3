/** The version of a key that stood in a form: of two who saw the same one is the first. */
import type { KeyView } from '../management/key-view.js';
import { may } from './permitted.js';
import { badRequest } from './refusal.js';
import type { Sort } from './sort.js';
import { idIn, type Visit } from './visit.js';

/** No key has it. */
const NONE = 0;

/** Who may not do it goes on without one, so that management refuses them and writes that down. */
export function versionIn(visit: Visit): number {
  const text = visit.fields.one('version') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (!may(visit, 'edit')) return NONE;
  throw badRequest('The form has lost the version of the key. Open it anew.');
}

/** The key that the path names. @throws ManagementError `not_found` */
export function viewed(visit: Visit, { name }: Sort): Promise<KeyView> {
  return visit.site.management[name].view(visit.member, idIn(visit));
}
