import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { press, sendAnyway } from '../../support/browser-forms.js';
import { programs } from '../../support/browser-programs.js';
import { type Role, signIn } from '../../support/browser-site.js';
import { eventually } from '../../support/store-wait.js';

const served = programs();
const chromium = openChromium();

const KEY_TYPES = [
  { title: 'an API key', list: '', path: '/keys', noun: 'API key', demo: 'all APIs' },
  { title: 'an access key', list: '/access-keys', path: '/access-keys', noun: 'access key', demo: 'server' },
] as const;
type KeyTypeName = (typeof KEY_TYPES)[number];

interface Made {
  /** Where its page is. */
  readonly href: string;
  readonly id: string;
  readonly text: string;
}

describe.each([
  { how: 'with JavaScript', javaScriptEnabled: true },
  { how: 'without JavaScript', javaScriptEnabled: false },
])('$how', ({ javaScriptEnabled }) => {
  const permissions = javaScriptEnabled ? ['clipboard-read', 'clipboard-write'] : [];
  const signedIn = async (role: Role) =>
    signIn(await chromium.context({ javaScriptEnabled, permissions }), await served.link(role));

  describe.each(KEY_TYPES)('$title', (keyType) => {
    it('a Developer can list, view, create and use a key, but not edit or revoke it', async () => {
      const page = await signedIn('developer');
      await lists(page, keyType);
      const made = await creates(page, keyType, javaScriptEnabled);
      await views(page, made);
      await eventually(async () => (await statusOf(keyType, made)) < 300);

      await expectShown(page, [
        ...['Edit', 'Rotate', 'Disable', 'Revoke'],
        ...(keyType.path === '/keys' ? [] : ['Add a client secret', 'Revoke tokens']),
      ]);
      const version = '1';
      const operations = { edit: { name: 'Other' }, disable: {}, rotate: { grace: '0' }, revoke: { confirm: 'Mine' } };
      for (const [operation, fields] of Object.entries(operations)) {
        const sent = await sendAnyway(
          page,
          `${made.href}/${operation}`,
          operation === 'revoke' ? fields : { ...fields, version },
        );
        expect([operation, sent]).toEqual([operation, 403]);
        await expectText(page, 'You need the Owner role to do this.');
        await page.goto(made.href);
      }
      for (const asked of ['edit', 'revoke']) {
        expect((await page.goto(`${made.href}/${asked}`))?.status()).toBe(403);
      }
      expect(await statusOf(keyType, made)).toBeLessThan(300);
      await page.goto(made.href);
      // Edit and disable are one action. Entries of the same action within one minute are one entry.
      const refused = await page
        .locator('li', { has: page.locator('strong', { hasText: /^Refused$/ }) })
        .allTextContents();
      const tried = refused.map((text) => /tried to (\w+)/.exec(text)?.[1]);
      expect(new Set(tried)).toEqual(new Set(['edit', 'rotate', 'revoke']));
    });

    it('an Owner can list, view, create, use, edit and revoke a key', async () => {
      const page = await signedIn('owner');
      await lists(page, keyType);
      const made = await creates(page, keyType, javaScriptEnabled);
      await views(page, made);
      await eventually(async () => (await statusOf(keyType, made)) < 300);

      await press(page, 'Edit', 'link');
      await page.getByLabel('Name', { exact: true }).fill('Order service');
      await press(page, 'Save');
      await expectText(page, 'The key “Order service” was updated.');
      await expectText(page, 'Order service');

      await press(page, 'Disable', 'link');
      await press(page, 'Disable');
      await eventually(async () => (await statusOf(keyType, made)) === 401);
      await press(page, 'Enable', 'link');
      await press(page, 'Enable');
      await eventually(async () => (await statusOf(keyType, made)) < 300);

      await press(page, 'Rotate', 'link');
      await page.getByLabel('1 hour').check();
      await press(page, 'Rotate');
      const rotated = { ...made, text: await textOn(page) };
      expect(rotated.text).not.toBe(made.text);
      await eventually(async () => (await statusOf(keyType, rotated)) < 300);
      expect(await statusOf(keyType, made)).toBeLessThan(300);
      await onwards(page, made, javaScriptEnabled);
      await press(page, 'End the grace period now', 'link');
      await press(page, 'End the grace period');
      await eventually(async () => (await statusOf(keyType, made)) === 401);
      expect(await statusOf(keyType, rotated)).toBeLessThan(300);

      await press(page, 'Revoke', 'link');
      await page.getByRole('textbox').fill('order service');
      expect((await press(page, 'Revoke')).status()).toBe(400);
      await page.getByRole('textbox').fill('Order service');
      await press(page, 'Revoke');
      await expectText(page, 'The key “Order service” was revoked.');
      expect(new URL(page.url()).search).toMatch(/^\?done=revoked&key=(key|ack)_\w+$/);
      await eventually(async () => (await statusOf(keyType, rotated)) === 401);
      expect(await page.getByRole('link', { name: 'Order service' }).count()).toBe(0);
    });
  });

  it('a visitor who is not signed in sees nothing', async () => {
    const page = await chromium.page({ javaScriptEnabled });
    for (const path of ['', '/access-keys', '/keys/new', '/audit']) {
      expect((await page.goto(served.url + path))?.status()).toBe(401);
      await expectText(page, 'Sign in to see your keys.');
    }
  });
});

async function lists(page: Page, { list, demo }: KeyTypeName): Promise<void> {
  expect((await page.goto(served.url + list))?.status()).toBe(200);
  expect(await page.getByRole('link', { name: demo }).count()).toBe(1);
}

async function views(page: Page, { href, id }: Made): Promise<void> {
  expect((await page.goto(href))?.status()).toBe(200);
  await expectText(page, id);
  await expectText(page, 'Never used.');
}

/** From the list to the page that shows the text, which is copied there. */
async function creates(page: Page, { noun, path }: KeyTypeName, withScripts: boolean): Promise<Made> {
  await press(page, `Create ${noun}`, 'link');
  if (path === '/keys') await page.getByRole('link', { name: /^Secret key/ }).click();
  await page.getByLabel('Name', { exact: true }).fill('Mine');
  const reach = page.getByRole('group', { name: path === '/keys' ? 'APIs' : 'Scopes', exact: true });
  if (path === '/keys' && !withScripts) await reach.getByLabel('Only these').check();
  await reach.getByRole('checkbox', { name: 'payments', exact: true }).check();
  const heading = path === '/keys' ? 'Create a secret key' : 'Create an access key';
  expect((await press(page, heading)).status()).toBe(201);
  const text = await textOn(page);
  const copy = page.locator('[data-copy=text]');
  expect(await copy.isVisible()).toBe(withScripts);
  if (withScripts) {
    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
  }
  const link = page.getByRole('link', { name: 'Go to Mine' });
  const href = new URL((await link.getAttribute('href')) ?? '', page.url()).href;
  await link.click();
  await page.waitForURL(href);
  return { href, id: href.split('/').at(-1) ?? '', text };
}

/** From the page that shows a text to that of its key. */
async function onwards(page: Page, { href }: Made, withScripts: boolean): Promise<void> {
  if (withScripts) await page.locator('[data-copy=text]').click();
  await page.getByRole('link', { name: /^Go to / }).click();
  await page.waitForURL(href);
}

function textOn(page: Page): Promise<string> {
  return page.locator('#text').inputValue();
}

/** The status of a request with a key; for an access key, of a token request. */
async function statusOf({ path }: KeyTypeName, { id, text }: Made): Promise<number> {
  if (path === '/access-keys') return await served.obtainToken(id, text);
  expect([401, 403]).toContain(await served.disputes(text));
  return await served.pay(text);
}

async function expectText(page: Page, text: string): Promise<void> {
  expect(await page.locator('body').textContent()).toContain(text);
}

/** What cannot be done is shown, cannot be pressed, and says what it needs. */
async function expectShown(page: Page, names: readonly string[]): Promise<void> {
  await page.getByText('More actions', { exact: true }).click();
  for (const name of names) {
    const button = page.getByRole('button', { name, exact: true });
    expect([name, await button.isVisible(), await button.isDisabled()]).toEqual([name, true, true]);
  }
  const disabled = await page.locator('button:disabled').count();
  expect(disabled).toBeGreaterThanOrEqual(names.length);
  expect(await page.getByText('You need the Owner role to change this key.').count()).toBe(1);
}
