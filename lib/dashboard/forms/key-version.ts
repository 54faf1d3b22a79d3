/** Optimistic locking: the version that was submitted with the form. */
import { incompleteForm } from '../http/http-error.js';
import type { PageContext } from '../http/page-context.js';
import { can } from '../http/permissions.js';

/** No key has this version. */
const NO_VERSION = 0;

/**
 * Without the permission, the version may be missing: management then refuses the change, and audits it.
 */
export function versionIn(context: PageContext): number {
  const text = context.fields.one('version') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (!can(context, 'edit')) return NO_VERSION;
  throw incompleteForm();
}
