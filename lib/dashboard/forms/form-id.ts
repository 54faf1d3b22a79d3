/** The id of a form. A form that is sent twice, by a reload or a double click, is carried out once. */
import { randomUUID } from 'node:crypto';
import { hidden } from '../components/controls.js';
import type { Html } from '../components/html.js';
import { badRequest, type HttpError } from '../http/http-error.js';
import type { Fields } from '../http/request-fields.js';

/** The name of the hidden field. */
export const FORM_ID = 'formId';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** @param id - The id of a form that is shown again because it was not accepted. */
export function formIdField(id: string = randomUUID()): Html {
  return hidden(FORM_ID, id);
}

/** @throws HttpError 400 for an invalid form id. */
export function formIdIn(fields: Fields): string | undefined {
  const id = fields.one(FORM_ID);
  if (id !== undefined && !UUID.test(id)) throw missingFormId();
  return id;
}

export function missingFormId(): HttpError {
  return badRequest('The form was sent without a valid ID. Open the page again and repeat the change.');
}
