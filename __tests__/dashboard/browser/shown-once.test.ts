import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { press } from '../../support/browser-forms.js';
import { browserSite, signIn } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

interface Shown {
  readonly page: Page;
  readonly text: string;
  readonly href: string;
}

/** Makes a key, as a Developer; the page that shows its text is the one that is there then. */
async function shownOnce(kind: 'secret' | 'public', javaScriptEnabled = true): Promise<Shown> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const page = await site.enter(chromium, 'developer', { javaScriptEnabled, permissions });
  await page.goto(`${site.url}/keys/new?kind=${kind}`);
  await page.locator('#field-name').fill('Once');
  if (kind === 'secret') await page.locator('[name="apis.of"][value=some]').check();
  await page.locator('[name=apis][value=payments]').check();
  expect((await press(page, `Create a ${kind} key`)).status()).toBe(201);
  const href = await page.getByRole('link', { name: 'Go to Once' }).getAttribute('href');
  return { page, text: await page.locator('#text').inputValue(), href: new URL(String(href), page.url()).href };
}

const ALL_HELD = `document.documentElement.outerHTML +
  [...document.querySelectorAll('input')].map(({ value }) => value).join(' ')`;

const SELECTED =
  '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)';

/** All that a page holds: its markup as it is now, and what stands in its fields. */
async function heldBy(page: Page): Promise<string> {
  // A page that the browser kept loads itself again, which ends what is evaluated meanwhile.
  const reloaded = () => page.waitForLoadState().then(() => page.evaluate<string>(ALL_HELD));
  return await page.evaluate<string>(ALL_HELD).catch(reloaded);
}

describe.each([
  { how: 'with JavaScript', javaScriptEnabled: true },
  { how: 'without JavaScript', javaScriptEnabled: false },
])('$how', ({ javaScriptEnabled }) => {
  it('M23 going back to the page does not show the secret again', async () => {
    const { page, text, href } = await shownOnce('secret', javaScriptEnabled);
    const before = (await site.management.keys.list(site.owner)).items.length;
    await page.goto(href);
    expect(await heldBy(page)).not.toContain(text);
    // Chromium has kept nothing of it, and asks whether to send the form again.
    await expect(page.goBack()).rejects.toThrow('ERR_CACHE_MISS');
    await page.waitForURL('chrome-error://chromewebdata/');
    expect(await heldBy(page)).not.toContain(text);
    await page.goForward({ waitUntil: 'commit' });
    expect(page.url()).toBe(href);
    expect(await heldBy(page)).not.toContain(text);
    expect((await site.management.keys.list(site.owner)).items).toHaveLength(before);
  });

  it('M23 reloading the page, which sends the form again, says that the key was already created', async () => {
    const { page, text } = await shownOnce('secret', javaScriptEnabled);
    const before = (await site.management.keys.list(site.owner)).items.length;
    await page.reload();
    expect(await page.title()).toMatch(/^The API key “.+” was already created - keyward$/);
    expect(await heldBy(page)).not.toContain(text);
    expect((await site.management.keys.list(site.owner)).items).toHaveLength(before);
  });

  it('M23 no later page contains it: lists, key page, edit page and audit log', async () => {
    const { page, text, href } = await shownOnce('secret', javaScriptEnabled);
    for (const path of [site.url, href, `${href}?done=edited`, `${site.url}/audit`, `${site.url}/keys/new`]) {
      await page.goto(path);
      expect(await heldBy(page)).not.toContain(text);
    }
  });
});

it('M23 the browser does not store it: cookies, storage, caches, URL, history', async () => {
  const { page, text } = await shownOnce('secret');
  expect(await heldBy(page)).toContain(text);
  const kept = await page.evaluate<string>(`(async () => JSON.stringify([
    { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, window.name,
    document.referrer, await caches.keys(), await indexedDB.databases(),
  ]))()`);
  expect(JSON.parse(kept)).toEqual([{}, {}, '', `${site.url}/keys`, null, '', expect.any(String), [], []]);
  expect(kept).not.toContain(text);
  expect(JSON.stringify(await page.context().storageState({ indexedDB: true }))).not.toContain(text);
});

it('M23 the page is emptied when it is left, so that a snapshot shows nothing', async () => {
  const { page, text } = await shownOnce('secret');
  await page.evaluate(`dispatchEvent(new Event('pagehide'))`);
  const values = page.locator('#text, #command');
  expect(
    await values.evaluateAll((fields) => fields.map((field) => (field as unknown as { value: string }).value)),
  ).toEqual(['', '']);
  expect(await page.locator('main').textContent()).not.toContain(text);
  expect(await page.getByText('Download .env file').getAttribute('href')).toBeNull();
});

it('a public key can be seen again', async () => {
  const { page, text, href } = await shownOnce('public');
  await page.goto(href);
  expect(await page.getByLabel('Public key').inputValue()).toBe(text);
});

describe('leaving the page before copying', () => {
  /** Presses what leads on, and says whether the browser asked. */
  async function leave(page: Page): Promise<boolean> {
    let asked = false;
    page.on('dialog', (dialog) => {
      asked = dialog.type() === 'beforeunload';
    });
    await page.getByRole('link', { name: 'Go to Once' }).click();
    await page.waitForURL(/keys\/(?:key|ack)_/);
    return asked;
  }

  it('asks for confirmation if the secret was not copied', async () => {
    const { page } = await shownOnce('secret');
    expect(await leave(page)).toBe(true);
  });

  it.each(['the button', 'the keyboard'])('does not ask if it was copied, by %s', async (by) => {
    const { page, text } = await shownOnce('secret');
    if (by === 'the button') {
      await page.locator('[data-copy=text]').click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
    } else {
      await page.locator('#text').focus();
      await page.keyboard.press('Control+C');
    }
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
    expect(await leave(page)).toBe(false);
  });

  it('asks if the browser refused to copy: the button says so, and the secret is selected', async () => {
    const { page, text } = await shownOnce('secret');
    await page.evaluate(
      `navigator.clipboard.writeText = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
    );
    await page.locator('[data-copy=text]').click();
    await page.getByRole('button', { name: 'Copy failed' }).waitFor();
    expect(await page.evaluate(SELECTED)).toBe(text);
    expect(await page.evaluate('document.activeElement.id')).toBe('text');
    expect(await leave(page)).toBe(true);
  });

  it('asks if only the client ID was copied', async () => {
    const page = await site.enter(chromium, 'developer', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.goto(`${site.url}/access-keys/new`);
    await page.locator('#field-name').fill('Once');
    await page.locator('[name=scopes]').first().check();
    expect((await press(page, 'Create an access key')).status()).toBe(201);
    await page.locator('[data-copy=identifier]').click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.locator('#identifier').inputValue());
    expect(await leave(page)).toBe(true);
  });

  it('does not ask if the secret was saved as a file', async () => {
    const { page, text } = await shownOnce('secret');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download .env file' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(`KEYWARD_KEY=${text}\n`);
    expect(await leave(page)).toBe(false);
  });

  it('does not ask for a public key', async () => {
    const { page } = await shownOnce('public');
    expect(await leave(page)).toBe(false);
  });
});

it('a button that has copied can be used again after three seconds', async () => {
  const { page } = await shownOnce('secret');
  await page.clock.install();
  const label = () => page.locator('[data-copy=text]').evaluate((button) => button.firstChild?.textContent);
  await page.locator('[data-copy=text]').click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.clock.fastForward(3_000);
  expect(await label()).toBe('Copy');
});

it('a browser that cannot copy gets no copy button, and a focused secret is selected', async () => {
  const context = await chromium.context();
  await context.addInitScript(`Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined })`);
  const page = await signIn(context, site.link('developer'));
  await page.goto(`${site.url}/keys/new?kind=public`);
  await page.locator('[name=apis][value=payments]').check();
  expect((await press(page, 'Create a public key')).status()).toBe(201);
  expect(await page.locator('[data-copy]').evaluateAll((all) => all.map((one) => one.checkVisibility()))).toEqual([
    ...[false, false],
  ]);
  await page.locator('#text').focus();
  expect(await page.evaluate(SELECTED)).toBe(await page.locator('#text').inputValue());
});

describe('a screen reader', () => {
  const said = (page: Page) => page.locator('#announcement[role=status]');

  it('says what was copied (WCAG 4.1.3)', async () => {
    const { page, href } = await shownOnce('secret');
    expect(await said(page).textContent()).toBe('');
    await page.locator('[data-copy=text]').click();
    await page.getByRole('button', { name: 'Copied Secret key' }).waitFor();
    expect(await said(page).textContent()).toBe('Secret key copied');
    await page.getByRole('button', { name: 'Copy Secret key' }).waitFor();
    expect(await said(page).textContent()).toBe('');
    await page.goto(href);
    await page.locator('[data-copy=key-id]').click();
    await page.getByRole('button', { name: 'Copied Key ID' }).waitFor();
    expect(await said(page).textContent()).toBe('Key ID copied');
  });

  it('says that copying failed, and the text is selected, also one that cannot have the focus', async () => {
    const { page, text, href } = await shownOnce('secret');
    const selected = () => page.evaluate<string>('getSelection().toString()');
    const failToCopy = async (id: string) => {
      await page.evaluate(`navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))`);
      await page.locator(`[data-copy=${id}]`).click();
      await page.getByRole('button', { name: 'Copy failed' }).waitFor();
      expect(await said(page).textContent()).toBe('Copy failed. Select the text and copy it.');
    };
    await failToCopy('text');
    expect(await selected()).toBe(text);
    await page.goto(href);
    await failToCopy('key-id');
    expect(await selected()).toBe(href.split('/').at(-1));
  });
});

it('the command is copied completely, and works in a shell', async () => {
  const { page, text } = await shownOnce('secret');
  await page.locator('[data-copy=command]').click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `curl 'https://api.example.com/' -H 'Authorization: Bearer ${text}'`,
  );
});

// It comes last, because it ends the session that the other tests use.
it('signs out after the user has stayed and copied it', async () => {
  const { page } = await shownOnce('secret');
  page.context().removeAllListeners('dialog');
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.locator('details.who summary').click();
  const signOut = page.getByRole('button', { name: 'Sign out' });
  await Promise.all([page.waitForEvent('dialog'), signOut.click({ noWaitAfter: true })]);
  await page.locator('[data-copy=text]').click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await page.locator('details.who summary').click();
  await Promise.all([page.waitForURL(/\/sign-in$/, { timeout: 5_000 }), signOut.click()]);
});
