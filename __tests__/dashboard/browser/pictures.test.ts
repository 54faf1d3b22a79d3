import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import type { BrowserContextOptions } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { press } from '../../support/browser-forms.js';
import { fill } from '../../support/browser-keys.js';
import { browserSite, signIn } from '../../support/browser-site.js';
import { eventually } from '../../support/store-wait.js';

const DOCS = new URL('../../../docs/', import.meta.url);
const FOLDER = fileURLToPath(new URL('dashboard/', DOCS));
const PICTURES = ['key.png', 'overview.png', 'phone.png', 'shown-once.png'];
/** Bytes of one. */
const LARGEST = 60_000;

describe('the pictures of the documentation', () => {
  it('are small, and each stands in docs/dashboard.md', () => {
    const page = readFileSync(new URL('dashboard.md', DOCS), 'utf8');
    expect(readdirSync(FOLDER).sort()).toEqual(PICTURES);
    for (const name of PICTURES) {
      expect(readFileSync(FOLDER + name).length).toBeLessThan(LARGEST);
      expect(page).toContain(`](dashboard/${name})`);
    }
  });
});

/** `KEYWARD_SCREENSHOTS=1 npx jest pictures` takes them anew. */
if (process.env.KEYWARD_SCREENSHOTS === '1') {
  const site = browserSite({}, 'acme');
  const chromium = openChromium();

  it('are taken', async () => {
    const keys = await fill(site);
    await site.management.keys.edit(site.owner, keys.nameless.id, { version: 1, name: 'Partner API' });
    // Uses are written some seconds after they were made.
    await eventually(
      async () => (await site.management.keys.view(site.owner, keys.public.id)).lastUsedAt !== null,
      20_000,
    );
    const desk: BrowserContextOptions = { viewport: { width: 1200, height: 480 } };
    const phone: BrowserContextOptions = { viewport: { width: 375, height: 667 }, isMobile: true, hasTouch: true };
    const open = async (options: BrowserContextOptions, role: 'developer' | 'owner' = 'owner') =>
      await signIn(await chromium.context(options), site.link(role));
    mkdirSync(FOLDER, { recursive: true });
    const take = async (page: Awaited<ReturnType<typeof open>>, name: string) =>
      writeFileSync(FOLDER + name, await page.screenshot({ animations: 'disabled', caret: 'hide' }));

    await take(await open(desk), 'overview.png');

    const once = await open(desk, 'developer');
    await once.goto(`${site.url}/keys/new?kind=secret`);
    await once.getByLabel('Name', { exact: true }).fill('Invoices');
    await once.locator('[name=apis][value=payments]').check();
    await press(once, 'Create a secret key');
    await take(once, 'shown-once.png');

    const dark = await open({ ...desk, colorScheme: 'dark' });
    await dark.goto(`${site.url}/keys/${keys.secret.id}`);
    await dark.evaluate(`document.querySelector('h2').scrollIntoView()`);
    await take(dark, 'key.png');

    const small = await open(phone);
    await small.goto(site.url);
    await take(small, 'phone.png');
  });
}
