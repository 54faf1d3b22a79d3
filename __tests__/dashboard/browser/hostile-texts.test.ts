import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ManagementError } from 'keyward/management';
import { ROUTES } from '../../../lib/dashboard/routes.js';
import { openChromium } from '../../support/browser.js';
import { type BrowserSite, browserSite } from '../../support/browser-site.js';
import { eventually } from '../../support/store-wait.js';
import { everyTextInEach, FORMS, type HostileForm, type Ids, shareOf, TEXTS, TOO_LONG } from './hostile-forms.js';
import { HOSTILE } from './hostile-texts.js';
import { expectText, isName, type Seen, seenIn, visible } from './shown-as-text.js';
import { type WrittenForm, writtenForm } from './written-form.js';

const listed = browserSite();
// An account that has every API and channel is asked for their names.
const unlisted = browserSite({ apis: 'all', channels: 'all' });
const chromium = openChromium();

const FAMILIES = Object.entries(HOSTILE);
/** Hundreds of forms each. */
const PATIENCE = 240_000;

it('there are a hundred of them', () => {
  expect(new Set(TEXTS).size).toBe(100);
});

it('the browser would tell of a dialog, of what the policy stops, and of an error', async () => {
  const page = await listed.enter(chromium, 'owner');
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
      const page = await unlisted.enter(chromium, 'owner');
      const made = [];
      for (const text of texts) made.push(await keyOf(text));
      for (const { path, name, text } of made) {
        await page.goto(unlisted.url + path);
        await expectText(page, [visible(name), visible(text)]);
        expect(await page.title()).toBe(`${visible(name)} - keyward`);
      }
      await page.goto(`${unlisted.url}?limit=${texts.length}`);
      await expectText(page, [...made.map(({ name }) => visible(name)), ...texts.map(visible)]);
      await page.goto(`${unlisted.url}/audit?limit=${texts.length}`);
      await expectText(page, texts.map(visible));
      for (const { path, name } of made.filter(({ text }) => isName(text))) {
        await page.goto(`${unlisted.url}${path}/delete`);
        await expectText(page, [visible(name)]);
        expect(await page.title()).toBe(`Delete ${visible(name)} - keyward`);
      }
    },
  );

  /** Makes a key of that name, or of none where it is refused, by a member of that id. */
  async function keyOf(text: string) {
    const member = { ...unlisted.owner, id: text };
    const named = (name: string | null) =>
      unlisted.management.keys.create(member, { kind: 'secret', apis: 'all', name });
    if (!isName(text)) await expect(named(text)).rejects.toThrow(ManagementError);
    const { key } = await named(isName(text) ? text : null);
    return { path: `/keys/${key.id}`, name: key.name ?? key.id, text };
  }
});
