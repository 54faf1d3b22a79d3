/** The ID of a form is an idempotency key: a reload or a double click does not repeat the action. */
import { randomUUID } from 'node:crypto';
import { hidden } from '../components/controls.js';
import type { Html } from '../components/html.js';
import { incompleteForm } from '../http/http-error.js';
import type { Fields } from '../http/request-fields.js';

export const FORM_ID = 'formId';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param id - The ID of a form that is shown again because it had an error. */
export function formIdField(id: string = randomUUID()): Html {
  return hidden(FORM_ID, id);
}

/**
 * Reads the ID of a form; `undefined` if the form has none.
 *
 * @throws HttpError 400 for an invalid ID.
 */
export function formIdIn(fields: Fields): string | undefined {
  const id = fields.one(FORM_ID);
  if (id !== undefined && !UUID.test(id)) throw incompleteForm();
  return id;
}
