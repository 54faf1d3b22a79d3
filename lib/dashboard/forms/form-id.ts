/** Each form has an ID, which is an idempotency key: sending the form twice does not repeat its action. */
import { randomUUID } from 'node:crypto';
import { hidden } from '../components/controls.js';
import type { Html } from '../components/html.js';
import { incompleteForm } from '../http/http-error.js';
import type { Fields } from '../http/request-fields.js';

export const FORM_ID = 'formId';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param id - The ID of a refused form, which keeps its ID when it is shown again. Default: a new ID. */
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
