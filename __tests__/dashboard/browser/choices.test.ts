import { describe, expect, it } from '@jest/globals';
import { openChromium } from '../../support/browser.js';
import { press } from '../../support/browser-forms.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const all = browserSite({ apis: 'all' }, 'whole');
const chromium = openChromium();

describe('a choice of all values or some', () => {
  it('sends no value that was checked before all were chosen', async () => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(`${site.url}/keys/new?kind=secret`);
    const apis = page.getByRole('group', { name: 'APIs' });
    await apis.getByLabel('payments', { exact: true }).check();
    expect(await apis.getByLabel('Only these APIs').isChecked()).toBe(true);
    await apis.getByLabel('All APIs of your account').check();
    expect(await apis.getByLabel('payments', { exact: true }).isVisible()).toBe(false);
    expect((await press(page, 'Create a secret key')).status()).toBe(201);
    expect((await site.management.keys.list(site.owner)).items).toMatchObject([{ apis: 'all' }]);
  });

  it('sends the values again that were checked before all and then some were chosen', async () => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(`${site.url}/keys/new?kind=secret`);
    const apis = page.getByRole('group', { name: 'APIs' });
    await apis.getByLabel('disputes', { exact: true }).check();
    await apis.getByLabel('All APIs of your account').check();
    await apis.getByLabel('Only these APIs').check();
    expect((await press(page, 'Create a secret key')).status()).toBe(201);
    expect((await site.management.keys.list(site.owner)).items[0]).toMatchObject({ apis: ['disputes'] });
  });

  it('selects some if a name is typed', async () => {
    const page = await all.enter(chromium, 'owner');
    await page.goto(`${all.url}/keys/new?kind=secret`);
    await page.locator('[name="apis.named"]').fill('payments');
    expect((await press(page, 'Create a secret key')).status()).toBe(201);
    expect((await all.management.keys.list(all.owner)).items).toMatchObject([{ apis: ['payments'] }]);
  });
});

it('an error of a field is removed when the field changes, and not that of another field', async () => {
  const page = await site.enter(chromium, 'owner');
  await page.goto(`${site.url}/keys/new?kind=secret`);
  await page.getByLabel('All APIs of your account').check();
  await page.locator('summary', { hasText: 'Rate limits and metadata' }).click();
  await page.locator('#field-limits').fill('many');
  expect((await press(page, 'Create a secret key')).status()).toBe(400);
  const limits = page.locator('#field-limits');
  expect(await limits.getAttribute('aria-invalid')).toBe('true');
  await page.locator('#field-name').fill('Till');
  expect(await page.locator('#limits-error').isVisible()).toBe(true);
  await limits.fill('100/minute');
  expect([await page.locator('#limits-error').count(), await limits.getAttribute('aria-invalid')]).toEqual([0, null]);
});

it('a click between the buttons for a date does not clear the date', async () => {
  const page = await site.enter(chromium, 'owner');
  await page.goto(`${site.url}/keys/new?kind=secret`);
  const date = page.locator('#field-expiresAt');
  await page.getByRole('button', { name: 'In 90 days' }).click();
  const chosen = await date.inputValue();
  expect(chosen).toMatch(/^\d{4}-\d\d-\d\d$/);
  await page.locator('[data-presets]').dispatchEvent('click');
  expect(await date.inputValue()).toBe(chosen);
});

it('a page that the browser kept is loaded again, another one is not', async () => {
  const page = await site.enter(chromium, 'owner');
  let loads = 0;
  page.on('request', (request) => {
    if (request.isNavigationRequest()) loads += 1;
  });
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }))`);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  expect(loads).toBe(0);
  const loaded = page.waitForEvent('load');
  await page.evaluate(`void dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
  await loaded;
  expect(loads).toBe(1);
});
