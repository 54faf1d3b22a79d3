import { expect, it } from '@jest/globals';
import { formIdField, formIdIn } from '../../../lib/dashboard/forms/form-id.js';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';
import { fixedManagement } from '../fixed-keys.js';
import { contextOf, DEVELOPER, FORM_ID, OWNER } from '../whole-page.js';

function idOf(text: string | undefined, member = OWNER): string | undefined {
  const fields = new Fields(text === undefined ? [] : [['formId', text]], ['formId']);
  return formIdIn(contextOf({ management: fixedManagement(), member }, { fields }));
}

const WRONG = [`a${FORM_ID}`, `${FORM_ID}0`, FORM_ID.slice(1), FORM_ID.slice(0, -1), FORM_ID.toUpperCase(), 'x'];

it.each([FORM_ID, undefined, ''])('the ID %j', (id) => {
  const read = id === '' ? undefined : id;
  expect([idOf(id), idOf(id, DEVELOPER)]).toEqual([read, read]);
});

it.each(WRONG)('the ID %j of an owner is refused', (id) => {
  expect(() => idOf(id)).toThrow(expect.objectContaining({ status: 400 }));
});

it.each(WRONG)('the ID %j of a member who may not edit is none', (id) => expect(idOf(id, DEVELOPER)).toBeUndefined());

it('the field of a form has an ID of its own, or the one that is given', () => {
  const ids = [formIdField(), formIdField()].map(({ text }) => /value="([^"]*)"/.exec(text)?.[1]);
  expect(new Set(ids).size).toBe(2);
  expect(ids.map((id) => idOf(id))).toEqual(ids);
  expect(formIdField(FORM_ID).text).toContain(`name="formId" value="${FORM_ID}"`);
});
