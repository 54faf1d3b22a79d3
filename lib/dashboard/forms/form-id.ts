/** Each form has an ID, which is an idempotency key: sending the form twice does not repeat its action. */
import { randomUUID } from 'node:crypto';
import { hidden } from '../components/controls.js';
import type { Html } from '../components/html.js';
import { incompleteForm } from '../http/http-error.js';
import type { PageContext } from '../http/page-context.js';
import { can } from '../http/permissions.js';

export const FORM_ID = 'formId';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param id - The ID of a refused form, which keeps its ID when it is shown again. Default: a new ID. */
export function formIdField(id: string = randomUUID()): Html {
  return hidden(FORM_ID, id);
}

/**
 * Reads the ID of a form; `undefined` if the form has none. An invalid ID is an error, except for a member who may not
 * edit keys. That request must reach management, which refuses it and writes the denied attempt to the audit log.
 *
 * @throws HttpError 400
 */
export function formIdIn(context: PageContext): string | undefined {
  const id = context.fields.one(FORM_ID);
  if (id === undefined || UUID.test(id)) return id;
  if (!can(context, 'edit')) return undefined;
  throw incompleteForm();
}
