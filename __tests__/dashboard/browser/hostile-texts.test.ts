import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { ManagementError } from 'keyward/management';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { sendAnyway } from '../../support/browser-forms.js';
import { browserSite } from '../../support/browser-site.js';
import { eventually } from '../../support/store-wait.js';
import { HOSTILE } from './hostile-texts.js';

// An account that has every API and channel is asked for their names, so that there are more fields to write in.
const site = browserSite({ apis: 'all', channels: 'all' });
const chromium = openChromium();

const FAMILIES = Object.entries(HOSTILE);

it('there are a hundred of them', () => {
  expect(new Set(Object.values(HOSTILE).flat()).size).toBe(100);
});

it('the browser would tell of a dialog, of what the policy stops, and of an error', async () => {
  const page = await site.enter(chromium, 'owner');
  await page.evaluate(`document.querySelector('main').innerHTML = '<b onclick="alert(1)" style="color: red">x</b>'`);
  await page.evaluate(`alert(1), setTimeout(() => { throw new Error('thrown') })`);
  await eventually(() => chromium.hasTold(/^error: thrown/));
  const troubles = chromium.troubles().join('\n');
  for (const one of ['dialog: 1', 'policy: script-src-attr inline', 'policy: style-src-attr inline', 'console: ']) {
    expect(troubles).toContain(one);
  }
});

describe('as a name, and as the id of who made the key', () => {
  it.each(FAMILIES)(
    'M31 %s are text in the lists, the key, its edit, its delete, the audit and the titles',
    async (_, texts) => {
      const page = await site.enter(chromium, 'owner');
      const made = [];
      for (const text of texts) made.push(await keyOf(text));
      for (const { path, name, text } of made) {
        await page.goto(site.url + path);
        await expectText(page, [visible(name), visible(text)]);
        expect(await page.title()).toBe(`${visible(name)} - keyward`);
      }
      // Of those that are names.
      for (const { path, name } of made.filter(({ name, text }) => name === text)) {
        await page.goto(`${site.url}${path}/delete`);
        await expectText(page, [visible(name)]);
        expect(await page.title()).toBe(`Delete ${visible(name)} - keyward`);
      }
      for (const { path, name } of made.filter(({ name, text }) => name === text).slice(0, 2)) {
        await page.goto(`${site.url}${path}/edit`);
        expect(await page.locator('#field-name').inputValue()).toBe(name);
      }
      await page.goto(`${site.url}?limit=${texts.length}`);
      await expectText(page, [...made.map(({ name }) => visible(name)), ...texts.map(visible)]);
      await page.goto(`${site.url}/audit?limit=${texts.length}`);
      await expectText(page, texts.map(visible));
    },
  );
});

/** What a page is asked for, with a text at the end. */
const PLACES = [
  ...['/?text=', '/?api=', '/?state=', '/?after=', '/?', '/keys/', '/keys/new?kind=', '/sign-in?token='],
  ...['/audit?actor=', '/audit?subject='],
];
const OF_NEW = 'name environment apis.named apis scopes channels.named platform expiresAt kind formId'.split(' ');
const OF_ONE = [
  ...['delete confirm', 'roll grace', 'roll version', 'disable version'],
  ...['edit version', 'edit apis.named', 'edit expiresAt', 'edit name'],
];
const SETTINGS = { 'apis.of': 'some', 'apis.named': 'payments', 'scopes.of': 'all', 'channels.of': 'all' };

describe('in every field', () => {
  it.each(FAMILIES)('M31 %s are taken or refused with 400, and never more than text', async (_, [text = '']) => {
    const page = await site.enter(chromium, 'owner');
    const { keys } = site.management;
    const { key } = await keys.create(site.owner, { kind: 'secret', apis: 'all', name: 'Mine' });

    /** Sends a form from a page that has nothing to do with it, which an answer before it may be. */
    async function send(path: string, form: Readonly<Record<string, string>>, isTaken: boolean): Promise<void> {
      if ((await page.locator('[name=csrf]').count()) === 0) await page.goto(`${site.url}/keys/new`);
      const status = await sendAnyway(page, site.url + path, form);
      expect([path, form, status]).toEqual([path, form, isTaken && status < 300 ? status : 400]);
      await expectText(page, []);
    }

    for (const field of OF_NEW) {
      const form = { kind: 'secret', formId: randomUUID(), ...SETTINGS, [field]: text };
      await send('/keys', form, field === 'name');
    }
    for (const one of OF_ONE) {
      const [deed = '', field = ''] = one.split(' ');
      const version = String((await keys.view(site.owner, key.id)).version);
      const rest = { delete: {}, roll: { version, grace: '0' }, disable: {}, edit: { version, ...SETTINGS } }[deed];
      await send(`/keys/${key.id}/${deed}`, { ...rest, [field]: text }, one === 'edit name');
    }
    for (const place of PLACES) {
      const response = await page.goto(site.url + place + encodeURIComponent(text.slice(0, 2_000)));
      expect([200, 400, 404]).toContain(response?.status());
      await expectText(page, []);
    }
  });
});

/** Makes a key of that name, or of none where it is refused, by a member of that id. */
async function keyOf(text: string) {
  const member = { ...site.owner, id: text };
  const named = (name: string | null) => site.management.keys.create(member, { kind: 'secret', apis: 'all', name });
  try {
    const { key } = await named(text);
    return { path: `/keys/${key.id}`, name: text, text };
  } catch (error) {
    expect(error).toBeInstanceOf(ManagementError);
    expect(error).toMatchObject({ status: 400, field: 'name' });
    const { key } = await named(null);
    return { path: `/keys/${key.id}`, name: key.id, text };
  }
}

/** How a page writes a text: what cannot be seen by its number. */
function visible(text: string): string {
  return text.replace(UNSEEN, (sign) => `[U+${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`);
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

interface Seen {
  readonly texts: readonly string[];
  readonly strangers: readonly string[];
  readonly unseen: boolean;
}

/** Expects the texts, each alone in an element, and nothing that a text brought with it. */
async function expectText(page: Page, texts: readonly string[]): Promise<void> {
  const seen = await page.evaluate<Seen>(SEE);
  expect(seen).toMatchObject({ strangers: [], unseen: false });
  for (const text of texts) expect(seen.texts).toContain(text);
}

const SEE = `(() => ({
  texts: [...document.querySelectorAll('bdi, bdi *')].map((element) => element.textContent),
  strangers: [...document.querySelectorAll('*')]
    .filter((element) =>
      element.matches('main :is(script, style, img, svg, iframe, object, embed, video, audio, details, base, link), [style], [autofocus]') ||
      element.getAttributeNames().some((name) => name.startsWith('on')) ||
      ['href', 'src', 'action', 'formaction'].some((name) => element.hasAttribute(name) && new URL(element.getAttribute(name), location).origin !== location.origin))
    .map((element) => element.outerHTML),
  unseen: /[\\0-\\x08\\x0B-\\x1F\\x7F-\\x9F\\p{Cf}\\p{Zl}\\p{Zp}]/u.test(document.documentElement.outerHTML),
}))()`;
