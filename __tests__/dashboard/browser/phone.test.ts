import { AxeBuilder } from '@axe-core/playwright';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { press } from '../../support/browser-forms.js';
import { type FilledSite, fill } from '../../support/browser-keys.js';
import { browserSite, signIn } from '../../support/browser-site.js';

const PHONE: BrowserContextOptions = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true };
/** What a finger hits: CSS pixels. */
const FINGER = 44;
const INLINE = 24;

const site = browserSite({}, 'a-platform-whose-account-has-an-id-that-is-as-long-as-one-may-be');
const chromium = openChromium();
let keys: FilledSite;
let wide: string;

beforeAll(async () => {
  keys = await fill(site);
  const who = { ...site.owner, id: `${'somebody.with.a.long.address'.repeat(3)}@acme.example` };
  const made = await site.management.keys.create(who, { kind: 'secret', apis: 'all', name: 'W'.repeat(100) });
  wide = made.key.id;
});

interface Laid {
  readonly width: number;
  readonly outside: readonly string[];
  readonly small: readonly string[];
  /** Links in a sentence that are lower than WCAG 2.5.8 asks for. */
  readonly low: readonly string[];
}

/** How a page is laid out: how wide it is, what stands out of it, and what is too small to be hit. */
const layoutOf = (page: Page) =>
  page.evaluate<Laid>(`(() => {
  const shown = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() && !element.closest('.unseen, .skip, thead'));
  const boxOf = (element) => element.getBoundingClientRect();
  const described = (element) => element.tagName + ' ' + element.textContent.slice(0, 60) + ' ' + JSON.stringify(boxOf(element));
  const targets = shown.filter((element) => element.matches('button, .button, .tabs a, .menu summary, .menu a, select, input, .pages a, .banner a, .empty a'));
  const sizeOf = (element) => boxOf(element.matches('[type=radio], [type=checkbox]') ? element.closest('label') : element);
  return {
    width: document.documentElement.scrollWidth,
    outside: shown.filter((element) => boxOf(element).left < 0 || boxOf(element).right > innerWidth + 0.5).map(described),
    low: shown.filter((element) => element.matches('main a') && Math.min(...[...element.getClientRects()].map(({ height }) => height)) < ${INLINE}).map(described),
    small: targets.filter((element) => sizeOf(element).height < ${FINGER} || sizeOf(element).width < ${FINGER}).map(described),
  };
})()`);

async function expectToFit(page: Page): Promise<void> {
  expect(await layoutOf(page)).toEqual({ width: PHONE.viewport?.width, outside: [], small: [], low: [] });
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().withRules(['target-size']).analyze();
  expect(violations.map(({ nodes }) => nodes.map(({ html }) => html))).toEqual([]);
}

/** Each menu of the page, when it is open. */
async function expectMenusToFit(page: Page): Promise<void> {
  for (const menu of await page.locator('.menu > summary').all()) {
    await menu.tap();
    await expectToFit(page);
    await menu.tap();
  }
}

describe('on a phone', () => {
  it('every page fits, and its controls can be tapped', async () => {
    const page = await site.enter(chromium, 'owner', PHONE);
    for (const path of [
      ...[
        '',
        '/?limit=2',
        '/?text=none',
        '/access-keys',
        '/keys/new',
        '/keys/new?kind=secret',
        '/keys/new?kind=public',
      ],
      ...['/access-keys/new', '/audit', '/keys/none', '/sign-in', `/keys/${keys.secret.id}`, `/keys/${keys.public.id}`],
      ...[`/access-keys/${keys.access.id}`, `/keys/${keys.secret.id}/edit`, `/keys/${keys.secret.id}/revoke`],
      ...[`/keys/${keys.secret.id}/rotate/confirm`, `/keys/${wide}/disable/confirm`],
      ...[`/keys/${keys.deleted.id}`, `/keys/${wide}`, `/keys/${wide}/edit`, `/keys/${wide}/revoke`],
      ...[`/access-keys/${keys.access.id}/edit`, `/audit?subject=${wide}`, '/?limit=none'],
    ]) {
      await page.goto(site.url + path);
      await expectToFit(page);
      await expectMenusToFit(page);
    }
  });

  it('responses to forms fit too: an error, a conflict, a new key, and signing in', async () => {
    const page = await signIn(await chromium.context(PHONE), site.link('owner'));
    await page.goto(`${site.url}/keys/new?kind=public`);
    expect((await press(page, 'Create a public key')).status()).toBe(400);
    await expectToFit(page);
    await page.getByLabel('Name', { exact: true }).fill('W'.repeat(100));
    await page.getByLabel('payments', { exact: true }).first().tap();
    expect((await press(page, 'Create a public key')).status()).toBe(201);
    await expectToFit(page);
    await page.goto(`${site.url}/keys/${wide}/edit`);
    const { version } = await site.management.keys.view(site.owner, wide);
    await site.management.keys.edit(site.owner, wide, { version, name: 'V'.repeat(100) });
    expect((await press(page, 'Save')).status()).toBe(409);
    await expectToFit(page);
    await press(page, 'Sign out');
    await expectToFit(page);
    await page.goto(site.link('developer'));
    await expectToFit(page);
    await page.goto(site.url);
    await expectToFit(page);
  });

  it('every page can be reached by taps in the menu', async () => {
    const page = await site.enter(chromium, 'developer', PHONE);
    const menu = page.getByRole('navigation', { name: 'Dashboard' });
    for (const name of ['Access keys', 'Audit log', 'API keys']) {
      await menu.getByRole('link', { name }).tap();
      await page.getByRole('heading', { level: 1, name }).waitFor();
      expect(await menu.locator('[aria-current=page]').textContent()).toBe(name);
    }
    await page.getByRole('link', { name: 'Create API key' }).tap();
    await page.getByRole('link', { name: /^Public key/ }).tap();
    await page.getByRole('heading', { name: 'Create a public key' }).waitFor();
  });

  it.each([true, false])('more filters are closed until a tap, with scripts: %s', async (javaScriptEnabled) => {
    const page = await site.enter(chromium, 'owner', { ...PHONE, javaScriptEnabled });
    for (const [path, name] of [
      ['', 'unused'],
      ['/audit', 'action'],
    ]) {
      await page.goto(site.url + path);
      const field = page.locator(`.filters [name=${name}]`);
      expect(await field.isVisible()).toBe(false);
      await page.getByText('More filters').tap();
      await field.waitFor();
      // The layout is measured by a script.
      if (javaScriptEnabled) await expectToFit(page);
    }
  });

  it('whatever has the focus in a list is visible (WCAG 2.4.7)', async () => {
    const page = await site.enter(chromium, 'owner', PHONE);
    const passed = new Map<string, boolean>();
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press('Tab');
      const [name, isVisible] = await page.evaluate<[string, boolean]>(`(() => {
        const element = document.activeElement;
        const { left, top, width, height } = element.getClientRects()[0];
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        return [element.tagName + ' ' + element.textContent.trim().slice(0, 40), element.contains(hit)];
      })()`);
      if (name.startsWith('BODY')) break;
      passed.set(name, isVisible);
    }
    expect(passed.get('A Order service')).toBe(true);
    expect([...passed].filter(([, isVisible]) => !isVisible)).toEqual([]);
  });

  it('a key takes two lines: name and state, then hint and last use', async () => {
    const page = await site.enter(chromium, 'owner', PHONE);
    expect(await page.getByRole('row', { name: 'Order service' }).count()).toBe(1);
    const [height, titles] = await page.evaluate<[number, readonly string[]]>(`(() => {
      const row = [...document.querySelectorAll('tbody tr')].find((one) => one.textContent.includes('Order service'));
      const shown = [...row.querySelectorAll('td')].filter((cell) => cell.checkVisibility());
      return [row.getBoundingClientRect().height, shown.map((cell) => cell.className)];
    })()`);
    expect(titles).toEqual(['key', 'used', 'state']);
    expect(height).toBeLessThan(100);
    // The column of the environment is not shown.
    const marks = page.locator('.keys .sandbox:visible');
    expect(await marks.count()).toBe(1);
    expect(await page.getByRole('row', { name: 'Shop plugin' }).locator('.sandbox').isVisible()).toBe(true);
  });
});

it('on a desktop all filters are visible, and there is nothing to open', async () => {
  const page = await site.enter(chromium, 'owner', { viewport: { width: 1_280, height: 800 } });
  for (const [path, name] of [
    ['', 'unused'],
    ['/audit', 'action'],
  ]) {
    await page.goto(site.url + path);
    expect(await page.locator(`.filters [name=${name}]`).isVisible()).toBe(true);
    expect(await page.getByText('More filters').isVisible()).toBe(false);
  }
});

it('on a desktop the usage of a key starts in the upper half of the window', async () => {
  const page = await site.enter(chromium, 'owner', { viewport: { width: 1_280, height: 800 } });
  await page.goto(`${site.url}/keys/${keys.secret.id}`);
  expect((await page.locator('section.usage').boundingBox())?.y).toBeLessThan(400);
});

it('pages also fit a narrow desktop window, and a zoom of 400 %', async () => {
  const page = await site.enter(chromium, 'owner', { viewport: { width: 320, height: 256 } });
  for (const path of ['', `/keys/${keys.secret.id}`, '/keys/new?kind=secret', '/audit', `/keys/${wide}`]) {
    await page.goto(site.url + path);
    expect(await layoutOf(page)).toMatchObject({ width: 320, outside: [] });
  }
});
