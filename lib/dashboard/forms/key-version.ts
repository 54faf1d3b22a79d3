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
 * Reads the version from a form. A missing version is an error, except for a member who may not edit keys. That request
 * must reach management, which refuses it and writes the denied attempt to the audit log.
 */
export function versionIn(context: PageContext): number {
  const text = context.fields.one('version') ?? '';
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  if (!can(context, 'edit')) return NO_VERSION;
  throw incompleteForm();
}
