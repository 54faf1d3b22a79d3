import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { answerTo } from '../../support/browser-forms.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

interface Focused {
  readonly name: string;
  readonly isSeen: boolean;
  readonly contrast: number;
}

/** What has the focus: what it is called, and how well its outline stands out from what is around it. */
const focused = (page: Page) =>
  page.evaluate<Focused>(`(() => {
  const element = document.activeElement;
  const luminanceOf = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  let around = element.parentElement;
  while (getComputedStyle(around).backgroundColor === 'rgba(0, 0, 0, 0)') around = around.parentElement;
  const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(element);
  const [dark, light] = [outlineColor, getComputedStyle(around).backgroundColor].map(luminanceOf).sort((a, b) => a - b);
  // The browser itself outlines the calendar within a field for a date, which is focused then, and is not.
  const isOutlined = (outlineStyle === 'solid' && parseFloat(outlineWidth) >= 2) || element.matches('[type=date]:not(:focus)');
  const box = element.getBoundingClientRect();
  return {
    name: (element.labels?.[0] ?? element).textContent.trim(),
    isSeen: isOutlined && box.bottom > 0 && box.top < innerHeight,
    contrast: (light + 0.05) / (dark + 0.05),
  };
})()`);

/** Presses Tab until what is called so has the focus, which can be seen wherever it goes. */
async function tabTo(page: Page, name: RegExp, key = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press(key);
    const at = await focused(page);
    expect([at.name, at.isSeen]).toEqual([at.name, true]);
    expect(at.contrast).toBeGreaterThanOrEqual(3);
    if (name.test(at.name)) return;
    passed.push(at.name);
  }
  throw new Error(`${name} was not reached; only ${passed.join(' | ')}`);
}

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  it('a key can be created, copied and renamed with the keyboard only, with a visible focus at each step', async () => {
    const permissions = ['clipboard-read', 'clipboard-write'];
    const page = await site.enter(chromium, 'owner', { colorScheme, permissions });
    const { keyboard } = page;
    const enter = () => answerTo(page, () => keyboard.press('Enter'));

    await tabTo(page, /^Create API key$/);
    await enter();
    await tabTo(page, /^Secret key/);
    await enter();
    await tabTo(page, /^Name$/);
    await keyboard.type('By keyboard');
    await tabTo(page, /^Live$/);
    await keyboard.press('ArrowDown');
    await tabTo(page, /^disputes$/);
    await tabTo(page, /^payments$/, 'Shift+Tab');
    await keyboard.press('Space');
    await tabTo(page, /^Create a secret key$/);
    expect((await enter()).status()).toBe(201);
    const [key] = (await site.management.keys.list(site.owner)).items;
    expect(key).toMatchObject({ name: 'By keyboard', environment: 'sandbox', apis: ['payments'] });

    await tabTo(page, /^Copy Secret key$/);
    await keyboard.press('Space');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.locator('#text').inputValue());
    await tabTo(page, /^Go to By keyboard$/);
    await enter();

    await tabTo(page, /^Edit$/);
    await enter();
    await tabTo(page, /^Name$/);
    await keyboard.press('Control+A');
    await keyboard.type('Renamed');
    expect((await enter()).status()).toBe(200);
    await tabTo(page, /^More actions$/);
    await keyboard.press('Enter');
    await tabTo(page, /^Revoke$/);
    await enter();
    await tabTo(page, /^To confirm, type Renamed$/);
    await keyboard.type('Renamed');
    expect((await enter()).status()).toBe(200);
    expect(await page.locator('.status').textContent()).toContain('was revoked');
  });

  it('the first tab stop skips the menu', async () => {
    const page = await site.enter(chromium, 'owner', { colorScheme });
    await tabTo(page, /^Skip to content$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Create API key$/);
    expect(await page.evaluate(`document.activeElement.closest('main') !== null`)).toBe(true);
  });

  it('an error gets the focus and links to its field', async () => {
    const page = await site.enter(chromium, 'owner', { colorScheme });
    await page.goto(`${site.url}/keys/new?kind=secret`);
    await page.getByLabel('Name', { exact: true }).focus();
    expect((await answerTo(page, () => page.keyboard.press('Enter'))).status()).toBe(400);
    expect((await focused(page)).name).toContain('There is a problem with your input');
    await tabTo(page, /^APIs: /);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('field-apis');
  });
});

describe('motion', () => {
  const longest = `Math.max(...[...document.querySelectorAll('*')].flatMap((element) => {
    const { transitionDuration, animationDuration } = getComputedStyle(element);
    return [...transitionDuration.split(','), ...animationDuration.split(',')].map(parseFloat);
  }))`;

  it.each([
    ['reduce', 0],
    ['no-preference', 0.1],
  ] as const)('of a user who prefers %s: %d seconds', async (reducedMotion, seconds) => {
    const page = await site.enter(chromium, 'owner', { reducedMotion });
    expect(await page.evaluate(longest)).toBe(seconds);
  });
});
