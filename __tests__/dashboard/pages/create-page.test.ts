import { expect, it } from '@jest/globals';
import { fixedManagement } from '../fixed-keys.js';
import { contentOf, open } from '../whole-page.js';

it.each(['/keys/new', '/access-keys/new'])('%s of a disabled account says so, and has no form', async (address) => {
  const page = contentOf(await open({ management: fixedManagement({ account: { disabled: true } }) }, address));
  expect(page).toContain(
    'Your account is disabled, so you cannot create keys. To enable the account, contact support.',
  );
  expect(page).not.toContain('<form');
});
