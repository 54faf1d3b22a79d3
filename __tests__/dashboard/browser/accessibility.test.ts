import { AxeBuilder } from '@axe-core/playwright';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { press, sendAnyway } from '../../support/browser-forms.js';
import { type FilledSite, fill } from '../../support/browser-keys.js';
import { browserSite } from '../../support/browser-site.js';

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa'];
/** The rules that look at colours: all that a dark page has of its own. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

const site = browserSite();
const newcomer = browserSite({}, 'newcomer');
const whole = browserSite({ apis: 'all', channels: 'all', platforms: [] }, 'whole');
const chromium = openChromium();
let keys: FilledSite;

beforeAll(async () => {
  keys = await fill(site);
});

/** What axe finds, on a light page and on a dark one. */
async function violationsOn(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
    const { violations, passes } = await (colorScheme === 'light'
      ? axe.withTags(WCAG)
      : axe.withRules(OF_COLOURS)
    ).analyze();
    expect(passes.map(({ id }) => id)).toContain('color-contrast');
    for (const { id, nodes } of violations) {
      found.push(...nodes.map(({ html, failureSummary }) => `${colorScheme} ${id}: ${html} ${failureSummary}`));
    }
  }
  return found;
}

it('axe finds a gray with too little contrast, in light and dark mode', async () => {
  const page = await site.enter(chromium, 'owner');
  await page.goto(site.url);
  await page.evaluate(`document.documentElement.style.setProperty('--kw-muted', '#777')`);
  const found = await violationsOn(page);
  for (const scheme of ['light', 'dark'])
    expect(found).toContainEqual(expect.stringMatching(`${scheme} color-contrast`));
});

describe('axe finds no problem, in light and dark mode, on', () => {
  it.each<[string, () => string]>([
    ['the list of API keys', () => ''],
    ['a list that nothing matches', () => '/?text=nothing-like-it'],
    ['what was deleted', () => '/?state=revoked'],
    ['a second page', () => '/?limit=2'],
    ['the list of access keys', () => '/access-keys'],
    ['the kinds of keys', () => '/keys/new'],
    ['the form for a secret key', () => '/keys/new?kind=secret'],
    ['the form for a public key', () => '/keys/new?kind=public'],
    ['the form for an access key', () => '/access-keys/new'],
    ['a secret key whose old text is in its grace', () => `/keys/${keys.secret.id}`],
    ['a public key', () => `/keys/${keys.public.id}`],
    ['a disabled key', () => `/keys/${keys.disabled.id}`],
    ['a deleted key', () => `/keys/${keys.deleted.id}`],
    ['a key without a name', () => `/keys/${keys.nameless.id}`],
    ['an access key', () => `/access-keys/${keys.access.id}?done=edited`],
    ['the form that edits a key', () => `/keys/${keys.secret.id}/edit`],
    ['the form that edits an access key', () => `/access-keys/${keys.access.id}/edit`],
    ['the page that asks before a key is deleted', () => `/keys/${keys.secret.id}/revoke`],
    ['the audit', () => '/audit'],
    ['an audit that nothing matches', () => '/audit?actor=nobody'],
    ['404', () => '/keys/none'],
    ['400', () => '/?limit=none'],
    ['405', () => '/keys'],
    ['signing in without a link', () => '/sign-in'],
  ])('%s', async (_name, path) => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(site.url + path());
    expect(await violationsOn(page)).toEqual([]);
  });

  it.each([
    ['the first list of API keys', ''],
    ['the first list of access keys', '/access-keys'],
  ])('%s, empty', async (_name, path) => {
    const page = await newcomer.enter(chromium, 'owner');
    await page.goto(newcomer.url + path);
    expect(await violationsOn(page)).toEqual([]);
  });

  it('the form and the list of an account with all APIs', async () => {
    const page = await whole.enter(chromium, 'owner');
    for (const path of ['/keys/new?kind=secret', '']) {
      await page.goto(whole.url + path);
      expect(await violationsOn(page)).toEqual([]);
    }
  });

  it('the pages of a Developer: a key that they cannot change, and 403', async () => {
    const page = await site.enter(chromium, 'developer');
    for (const path of [`/keys/${keys.secret.id}`, `/access-keys/${keys.access.id}`, `/keys/${keys.secret.id}/edit`]) {
      await page.goto(site.url + path);
      expect(await violationsOn(page)).toEqual([]);
    }
  });

  it('the ends of a grace period, of a client secret and of a public key, which are confirmed', async () => {
    const page = await site.enter(chromium, 'owner');
    for (const path of [
      `/keys/${keys.secret.id}/end-grace/confirm`,
      `/keys/${keys.secret.id}/rotate/confirm`,
      `/access-keys/${keys.access.id}/secrets/delete/confirm?secret=${keys.access.secrets[0]?.id}`,
    ]) {
      expect((await page.goto(site.url + path))?.status()).toBe(200);
      expect(await violationsOn(page)).toEqual([]);
    }
  });

  it('401, and signing in with a valid link and with a used one', async () => {
    const page = await chromium.page();
    await page.goto(site.url);
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(site.link('owner'));
    expect(await violationsOn(page)).toEqual([]);
    site.link('owner');
    expect((await press(page, 'Sign in')).status()).toBe(401);
    expect(await violationsOn(page)).toEqual([]);
  });

  it.each([
    ['secret key', '/keys/new?kind=secret', ['apis', 'payments']],
    ['public key', '/keys/new?kind=public', ['apis', 'payments']],
    ['access key', '/access-keys/new', ['scopes', 'payments']],
  ] as const)(
    'the forms of a %s that is wrong, that is good, and that is sent again',
    async (kind, path, [name, value]) => {
      const page = await site.enter(chromium, 'owner');
      await page.goto(site.url + path);
      const create = `Create ${kind === 'access key' ? 'an' : 'a'} ${kind}`;
      await page.locator('#field-name').fill(' ');
      await page.locator(`[name=${name}][value=${value}]`).check();
      expect((await press(page, create)).status()).toBe(400);
      expect(await violationsOn(page)).toEqual([]);
      await page.locator('#field-name').fill('By axe');
      const formId = await page.locator('[name=formId]').inputValue();
      expect((await press(page, create)).status()).toBe(201);
      expect(await violationsOn(page)).toEqual([]);
      const again = {
        ...{ formId, name: 'By axe', [name]: value, environment: 'live', 'channels.of': 'all' },
        ...(kind === 'access key' ? { 'defaultScopes.of': 'all' } : { kind: path.split('=')[1] ?? '' }),
        ...(kind === 'secret key' ? { 'apis.of': 'some', 'scopes.of': 'all' } : {}),
      };
      const target = site.url + (kind === 'access key' ? '/access-keys' : '/keys');
      await onward(page);
      expect(await sendAnyway(page, target, again)).toBe(200);
      expect(await page.title()).toMatch(/was already created/);
      expect(await violationsOn(page)).toEqual([]);
    },
  );

  it('a conflict of two editors, a rotation that was repeated, and a wrong name when revoking', async () => {
    const { key } = await site.management.keys.create(site.owner, { kind: 'secret', apis: ['payments'], name: 'Both' });
    const page = await site.enter(chromium, 'owner');
    const path = `${site.url}/keys/${key.id}`;
    await page.goto(`${path}/edit`);
    await site.management.keys.edit(site.owner, key.id, { version: key.version, name: 'Theirs' });
    await page.locator('#field-name').fill('Mine');
    expect((await press(page, 'Save')).status()).toBe(409);
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(path);
    expect(await sendAnyway(page, `${path}/rotate`, { version: String(key.version), grace: '0' })).toBe(409);
    expect(await violationsOn(page)).toEqual([]);
    await page.goto(`${path}/revoke`);
    await page.locator('#field-confirm').fill('Both');
    expect((await press(page, 'Revoke')).status()).toBe(400);
    expect(await violationsOn(page)).toEqual([]);
  });
});

/** Leaves the page that shows a secret. The page asks for a confirmation only after an action of the user. */
async function onward(page: Page): Promise<void> {
  await page.locator('[data-copy=text]').click();
  await page.getByRole('link', { name: /^Go to / }).click();
  await page.waitForURL(/keys\/(?:key|ack)_/);
}
