/**
 * Optimistic locking: a form contains the version of the key that the member saw, and management refuses the form if
 * the key has another version.
 */
import { incompleteForm } from '../http/http-error.js';
import type { PageContext } from '../http/page-context.js';
import { can } from '../http/permissions.js';

/** No key has this version. */
const NO_VERSION = 0;

/**
 * Reads the version from a form. It may be missing if the member may not edit keys: then management must see the
 * request, so that it refuses the request and audits the refusal.
 */
export function versionIn(context: PageContext): number {
  const text = context.fields.one('version') ?? '';
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  if (!can(context, 'edit')) return NO_VERSION;
  throw incompleteForm();
}
