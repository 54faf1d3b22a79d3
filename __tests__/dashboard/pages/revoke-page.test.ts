import { expect, it } from '@jest/globals';
import { fixedManagement, secretKey } from '../fixed-keys.js';
import { contentOf, FORM_ID, send } from '../whole-page.js';

const revoke = async (form: Readonly<Record<string, string>>) =>
  await send({ management: fixedManagement({ keys: [secretKey()] }) }, '/keys/key_1/revoke', {
    formId: FORM_ID,
    ...form,
  });

it.each(['Order service', ' Order \t service\n'])('%j revokes the key', async (confirm) => {
  expect((await revoke({ confirm })).status).toBe(303);
});

it.each(['Orderservice', 'order service', 'Order', ''])('%j does not, and stays in the form', async (confirm) => {
  const answer = await revoke({ confirm });
  expect(answer.status).toBe(400);
  expect(contentOf(answer)).toMatch(new RegExp(`name="confirm"[^>]* value="${confirm}"`));
});

it('a form without the name does not', async () => {
  const answer = await revoke({});
  expect(answer.status).toBe(400);
  expect(contentOf(answer)).toMatch(/name="confirm"[^>]* value=""/);
});
