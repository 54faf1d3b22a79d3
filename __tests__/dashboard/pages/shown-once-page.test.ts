import { expect, it } from '@jest/globals';
import type { SecretView } from 'keyward/management';
import { accessKey, clientSecret, fixedManagement } from '../fixed-keys.js';
import { contentOf, FORM_ID, send } from '../whole-page.js';

/** The other secret that the page of a new client secret names. */
async function otherOn(...secrets: SecretView[]): Promise<string | undefined> {
  const management = fixedManagement({ keys: [accessKey({ secrets })], secret: 'a-new-secret' });
  const page = contentOf(await send({ management }, '/access-keys/ack_3/secrets', { formId: FORM_ID, version: '3' }));
  expect(page).toContain('a-new-secret');
  return /The other client secret .*?(end\d)/.exec(page)?.[1];
}

it('the page of a new client secret names the other one that is accepted, if there is one', async () => {
  const ended = clientSecret(2, { state: 'ended' });
  expect(await otherOn(clientSecret(3), ended, clientSecret(1))).toBe('end1');
  expect(await otherOn(clientSecret(3), ended)).toBeUndefined();
  expect(await otherOn(clientSecret(3))).toBeUndefined();
});
