/** Optimistic locking: the version that was submitted with the form. */
import { badRequest } from '../http/http-error.js';
import type { PageContext } from '../http/page-context.js';
import { can } from '../http/permissions.js';

/** A version that no key has. */
const NONE = 0;

/**
 * Without the permission, the version does not matter: management refuses the change, and adds an entry to the audit
 * log.
 */
export function versionIn(context: PageContext): number {
  const text = context.fields.one('version') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (!can(context, 'edit')) return NONE;
  throw badRequest('The form was sent without the version of the key. Open the page again and repeat the change.');
}
