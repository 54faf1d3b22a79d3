import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

/** The page that rotates a key, which was made for the test. */
async function pageOfKey(javaScriptEnabled = true): Promise<{ page: Page; id: string; href: string }> {
  const { key } = await site.management.keys.create(site.owner, { kind: 'secret', apis: ['payments'], name: 'Again' });
  const page = await site.enter(chromium, 'owner', { javaScriptEnabled });
  const href = `${site.url}/keys/${key.id}/rotate/confirm`;
  await page.goto(href);
  return { page, id: key.id, href };
}

const ROTATE = 'form[action$="/rotate"] button';

async function rotationsOf(id: string) {
  const { items } = await site.management.audit(site.owner, { subject: id, limit: 50 });
  return items.filter(({ action }) => action !== 'key.create').map(({ action, outcome }) => `${action} ${outcome}`);
}

describe.each([
  { how: 'with JavaScript', javaScriptEnabled: true },
  { how: 'without JavaScript', javaScriptEnabled: false },
])('$how', ({ javaScriptEnabled }) => {
  it('N36 rotate, then reload: the page says that the key was rotated, and does not rotate again', async () => {
    const { page, id } = await pageOfKey(javaScriptEnabled);
    await page.locator(ROTATE).click();
    const secret = await page.locator('#text').inputValue();
    await page.reload();
    expect(await page.locator('h1').textContent()).toMatch(/already rotated/);
    expect(await page.locator('main').textContent()).toContain('did not change anything');
    expect(await page.content()).not.toContain(secret);
    expect(await rotationsOf(id)).toEqual(['key.rotate done']);
    expect((await site.management.keys.view(site.owner, id)).version).toBe(2);
  });

  it('N36 rotate, go back, rotate: the page is up to date, or says that the key was rotated', async () => {
    const { page, id, href } = await pageOfKey(javaScriptEnabled);
    await page.locator(ROTATE).click();
    const secret = await page.locator('#text').inputValue();
    await page.goBack({ waitUntil: 'commit' });
    expect(page.url()).toBe(href);
    if (javaScriptEnabled) {
      // Loaded again: it shows the old secret, with its end.
      await page.getByText(/The newest secret was created/).waitFor();
    } else {
      await page.locator(ROTATE).click();
      await page.getByText('did not change anything').waitFor();
    }
    expect(await page.content()).not.toContain(secret);
    expect(await rotationsOf(id)).toEqual(['key.rotate done']);
  });
});

it('N36 a double click rotates once, and the secret is shown', async () => {
  const { page, id } = await pageOfKey();
  await page.locator(ROTATE).dblclick();
  await page.locator('#text').waitFor();
  expect(await page.locator('#text').inputValue()).toMatch(/^sk_/);
  expect(await rotationsOf(id)).toEqual(['key.rotate done']);
});
