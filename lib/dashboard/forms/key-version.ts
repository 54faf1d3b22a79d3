/** Optimistic locking: the version that was submitted with the form. */
import { incompleteForm } from '../http/http-error.js';
import type { PageContext } from '../http/page-context.js';
import { can } from '../http/permissions.js';

/** No key has this version. */
const NO_VERSION = 0;

/**
 * Reads the version. If the member may not edit keys, the version can be missing, because management must refuse the
 * change and add it to the audit log.
 */
export function versionIn(context: PageContext): number {
  const text = context.fields.one('version') ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  if (!can(context, 'edit')) return NO_VERSION;
  throw incompleteForm();
}
