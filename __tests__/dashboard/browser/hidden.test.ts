import { describe, expect, it } from '@jest/globals';
import { openChromium } from '../../support/browser.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

describe('the warning about a key that does not expire', () => {
  it('cannot be seen once a day or the sandbox is chosen', async () => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(`${site.url}/keys/new?kind=secret`);
    const warning = page.locator('#expiresAt-warning');
    expect(await warning.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'In 90 days' }).click();
    await warning.waitFor({ state: 'hidden' });
    const pressed = page.locator('[data-presets] [aria-pressed=true]');
    expect(await pressed.allTextContents()).toEqual(['In 90 days']);
    await page.getByRole('button', { name: 'Never' }).click();
    expect(await pressed.allTextContents()).toEqual(['Never']);
    await warning.waitFor({ state: 'visible' });
    await page.getByLabel('Sandbox (for testing)').check();
    await warning.waitFor({ state: 'hidden' });
  });
});

it('no class shows an element that is hidden', async () => {
  const page = await site.enter(chromium, 'owner');
  const shown = await page.evaluate<readonly string[]>(`(() => {
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
    const names = new Set(rules.flatMap((rule) => rule.cssText.match(/[.][a-z][\\w-]*/g) ?? []).map((name) => name.slice(1)));
    return [...names].filter((name) => {
      const element = Object.assign(document.createElement('p'), { className: name, hidden: true });
      document.body.append(element);
      return getComputedStyle(element).display !== 'none';
    });
  })()`);
  expect(shown).toEqual([]);
});
