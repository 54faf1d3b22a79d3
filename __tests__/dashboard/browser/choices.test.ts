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

describe('an API or a scope with the name of a radio button', () => {
  const named = browserSite({ apis: ['payments', 'some'], scopes: ['payments', 'some', 'all'] }, 'named');

  it('is not checked with another one', async () => {
    const page = await named.enter(chromium, 'owner');
    await page.goto(`${named.url}/keys/new?kind=public`);
    const checked = () => page.locator('input[type=checkbox]:checked').count();
    for (const name of ['APIs', 'Scopes'])
      await page.getByRole('group', { name }).getByLabel('payments', { exact: true }).check();
    expect(await checked()).toBe(2);
    await page.getByRole('group', { name: 'Scopes' }).getByLabel('all', { exact: true }).check();
    expect(await page.getByRole('group', { name: 'Scopes' }).getByLabel('some', { exact: true }).isEnabled()).toBe(
      true,
    );
    expect((await press(page, 'Create a public key')).status()).toBe(201);
    expect((await named.management.keys.list(named.owner)).items).toMatchObject([
      { apis: ['payments'], scopes: ['payments', 'all'] },
    ]);
  });
});

it('a form that is shown again sends the text that was typed', async () => {
  const page = await site.enter(chromium, 'owner');
  await page.goto(`${site.url}/keys/new?kind=secret`);
  await page.getByLabel('All APIs of your account').check();
  await page.locator('summary', { hasText: 'Rate limits and metadata' }).click();
  const metadata = `team=\u0645\u06cc\u200c\u062e\nlead=\u{1f469}\u200d\u{1f4bb}\ncost\tcenter=4\u00852`;
  await page.locator('#field-metadata').fill(metadata);
  await page.locator('#field-limits').fill('many\u200c');
  expect((await press(page, 'Create a secret key')).status()).toBe(400);
  expect(await page.locator('#field-metadata').inputValue()).toBe(metadata);
  expect(await page.locator('#field-limits').inputValue()).toBe('many\u200c');
  await page.locator('#field-limits').fill('');
  expect((await press(page, 'Create a secret key')).status()).toBe(201);
  expect((await site.management.keys.list(site.owner)).items[0]?.metadata).toEqual({
    team: '\u0645\u06cc\u200c\u062e',
    lead: '\u{1f469}\u200d\u{1f4bb}',
    'cost\tcenter': '4\u00852',
  });
});
