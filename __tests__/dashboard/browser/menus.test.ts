import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();
let path: string;

beforeAll(async () => {
  const { key } = await site.management.keys.create(site.owner, { kind: 'secret', name: 'Till', apis: ['payments'] });
  path = `${site.url}/keys/${key.id}`;
});

const openMenus = (page: Page) => page.locator('details.menu[open] > summary').allTextContents();
const button = (page: Page, className: string) => page.locator(`${className} > summary`);

describe('an open menu closes', () => {
  it('on a click elsewhere, and when another menu opens', async () => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(path);
    await button(page, '.actions .menu').click();
    expect(await openMenus(page)).toEqual(['More actions']);
    await button(page, '.who').click();
    expect(await openMenus(page)).toEqual([expect.stringContaining('Signed in as')]);
    await page.locator('h2').first().click();
    expect(await openMenus(page)).toEqual([]);
  });

  it('when the focus leaves it, but not while it moves inside', async () => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(path);
    await button(page, '.actions .menu').press('Enter');
    const items = page.locator('.actions .items a');
    for (let item = 0; item < (await items.count()); item += 1) {
      await page.keyboard.press('Tab');
      expect(await openMenus(page)).toEqual(['More actions']);
    }
    await page.keyboard.press('Tab');
    expect(await openMenus(page)).toEqual([]);
  });

  it('on Escape, and its button has the focus again', async () => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(path);
    await button(page, '.actions .menu').press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    expect(await openMenus(page)).toEqual([]);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('More actions');
  });
});

it('Escape leaves the focus where it is while no menu is open', async () => {
  const page = await site.enter(chromium, 'owner');
  const field = page.locator('.filters [name=text]');
  await field.focus();
  await page.keyboard.press('Escape');
  expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);
});

it.each([1280, 390, 360])('in a window of %d px, "More" opens under its own button', async (width) => {
  const page = await site.enter(chromium, 'owner', { viewport: { width, height: 700 } });
  await page.goto(path);
  const summary = button(page, '.actions .menu');
  await summary.click();
  const [own, items] = [await summary.boundingBox(), await page.locator('.actions .items').boundingBox()];
  if (own === null || items === null) throw new Error('the menu is not shown');
  expect(items.y).toBeGreaterThanOrEqual(own.y + own.height - 1);
  expect(items.x).toBeGreaterThanOrEqual(0);
  expect(items.x + items.width).toBeLessThanOrEqual(width);
  // They share at least the width of the button.
  expect(items.x).toBeLessThanOrEqual(own.x);
  expect(items.x + items.width).toBeGreaterThanOrEqual(own.x + own.width - 1);
});
