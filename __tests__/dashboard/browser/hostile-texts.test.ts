import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ManagementError } from 'keyward/management';
import { DASHBOARD_PATH as MOUNT } from '../../../lib/cli/serve/served-dashboard.js';
import { ROUTES } from '../../../lib/dashboard/pages/routes.js';
import { openChromium } from '../../support/browser.js';
import { browserSite } from '../../support/browser-site.js';
import { eventually } from '../../support/store-wait.js';
import {
  everyTextInEach,
  FORMS,
  type HostileForm,
  type Ids,
  isTooLong,
  isTooLongToSignIn,
  keysIn,
  shortened,
  TEXTS,
  type Texts,
} from './hostile-forms.js';
import { HOSTILE } from './hostile-texts.js';
import { expectText, expectWritten, isName, type Seen, seenIn, visible } from './shown-as-text.js';
import { type WrittenForm, writtenForm } from './written-form.js';

const listed = browserSite();
// An account that has every API and channel is asked for their names.
const unlisted = browserSite({ apis: 'all', channels: 'all' });
const chromium = openChromium();

const FAMILIES = Object.entries(HOSTILE);
/** Hundreds of pages each, with little to paint. */
const TIMEOUT_MS = 480_000;
const SMALL = { viewport: { width: 200, height: 200 } };

let ids: Ids;
beforeAll(async () => {
  ids = await keysIn(listed, unlisted);
});

it('there are at least a hundred hostile texts', () => {
  expect(new Set(TEXTS).size).toBe(100);
});

it('the test notices a dialog, a violation of the policy, and an error', async () => {
  const page = await listed.enter(chromium, 'owner');
  await page.evaluate(`document.querySelector('main').innerHTML = '<b onclick="alert(1)" style="color: red">x</b>'`);
  await page.evaluate(`alert(1), setTimeout(() => { throw new Error('thrown') })`);
  await eventually(() => chromium.hadTrouble(/^error: thrown/));
  const troubles = chromium.troubles().join('\n');
  for (const one of ['dialog: 1', 'policy: script-src-attr inline', 'policy: style-src-attr inline', 'console: ']) {
    expect(troubles).toContain(one);
  }
});

describe('as a name, and as the id of the creator', () => {
  it.each(FAMILIES)(
    'M31 %s are shown as text on lists, the key page, edit and revoke pages, the audit log and in titles',
    async (_, texts) => {
      const page = await unlisted.enter(chromium, 'owner');
      const made = [];
      for (const text of texts.filter((one) => !one.includes('\0'))) made.push(await keyOf(text));
      for (const { path, name, text } of made) {
        await page.goto(unlisted.url + path);
        await expectText(page, [visible(name), visible(text)]);
        expect(await page.title()).toBe(`${visible(name)} - keyward`);
      }
      await page.goto(`${unlisted.url}?limit=${texts.length}`);
      await expectText(
        page,
        made.map(({ name }) => visible(name)),
      );
      await page.goto(`${unlisted.url}/audit?limit=${texts.length}`);
      await expectText(
        page,
        made.map(({ text }) => visible(text)),
      );
      for (const { path, name } of made.filter(({ text }) => isName(text))) {
        await page.goto(`${unlisted.url}${path}/revoke`);
        await expectText(page, [visible(name)]);
        expect(await page.title()).toBe(`Revoke ${visible(name)} - keyward`);
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

describe('in every form field', () => {
  it('every form with fields is tested', () => {
    const posted = FORMS.filter(({ method }) => method === 'post').map(({ route }) => route);
    const taking = ROUTES.filter(({ post }) => post !== undefined).map(({ path }) => path);
    expect(new Set(posted)).toEqual(new Set([...taking, '/sign-out']));
  });

  it.each(FORMS)(
    'M31 $what: every text is accepted or refused, and only ever shown as text',
    async (form) => {
      const written = await opened(form);
      const [free, gates] = [[...form.free], Object.keys(form.gates)];
      expect([...free, ...gates]).toEqual(expect.arrayContaining([...written.names]));
      // Those that the page shows come whole.
      free.sort((one, other) => Number(written.names.includes(other)) - Number(written.names.includes(one)));
      const isPost = form.method === 'post';

      for (const texts of free.length === 0 ? [] : everyTextInEach(free)) {
        const isRefused = isPost || Object.values(texts).some((text) => text.includes('\0'));
        const seen = await sendsTo(written, texts, isRefused ? 400 : 200);
        const shown = Object.entries(texts).filter(([name]) => written.names.includes(name));
        if (isPost || !isRefused) expectWritten(seen, Object.fromEntries(shown));
      }
      // A form that lacks what it needs is not sent.
      const rest = Object.fromEntries(free.map((name) => [name, 'x']));
      for (const gate of gates) {
        for (const text of TEXTS) {
          await sendsTo(written, { ...rest, [gate]: isPost ? text : shortened(text) }, form.gates[gate] ?? 0);
        }
      }
    },
    TIMEOUT_MS,
  );

  it(
    'M31 a sign-in link: every text is refused, and only ever shown as text',
    async () => {
      const page = await chromium.page(SMALL);
      for (let at = 0; at < TEXTS.length; at += 9) {
        await page.goto(listed.link('owner'));
        const written = await writtenForm(page, `${MOUNT}/sign-in`);
        for (const token of TEXTS.slice(at, at + 9)) await sendsTo(written, { token }, 401, 429);
        // A good link is accepted even after too many bad ones.
        expect((await written.send({})).status()).toBe(200);
        await written.answer.close();
      }
    },
    TIMEOUT_MS,
  );
});

describe('as the name of a form field', () => {
  const third = (which: number) => TEXTS.filter((_, at) => at % 3 === which);

  it.each([
    { what: 'a new secret key', reach: { 'apis.of': 'all' }, texts: third(0) },
    { what: 'a new public key', reach: { 'apis.named': 'payments' }, texts: third(1) },
    { what: 'a new access key', reach: { scopes: 'payments' }, texts: third(2) },
  ])(
    'M31 $what has the name, or is not created',
    async ({ what, reach, texts }) => {
      const written = await opened(formOf(what));
      for (const name of texts) {
        const seen = await sendsTo(written, { ...reach, formId: randomUUID(), name }, isName(name) ? 201 : 400);
        if (isName(name)) expect(seen.texts).toContain(visible(name));
      }
    },
    TIMEOUT_MS,
  );

  it.each([
    { what: 'the edit of a secret key', texts: third(1) },
    { what: 'the edit of a public key', texts: third(2) },
    { what: 'the edit of an access key', texts: third(0) },
  ])(
    'M31 $what has the name, also on the conflict page',
    async ({ what, texts }) => {
      const written = await opened(formOf(what));
      let version = Number(await written.page.locator('[name=version]').inputValue());
      for (const [at, name] of texts.entries()) {
        const seen = await sendsTo(written, { version: String(version), name }, isName(name) ? 200 : 400);
        if (!isName(name)) continue;
        expect(seen.texts).toContain(visible(name));
        version += 1;
        if (at % 3 > 0) continue;
        expect((await sendsTo(written, { version: '1', name: `${name}.` }, 409)).texts).toContain(visible(`${name}.`));
      }
    },
    TIMEOUT_MS,
  );
});

describe('in every URL', () => {
  const PLACES = [
    ...['/?text=', '/?api=', '/?state=', '/?after=', '/?', '/keys/', '/keys/new?kind=', '/sign-in?token='],
    ...['/audit?actor=', '/audit?subject='],
  ];

  it.each(FAMILIES)('M31 %s are accepted or refused, and only ever shown as text', async (_, [text = '']) => {
    const page = await listed.enter(chromium, 'owner', SMALL);
    for (const place of PLACES) {
      const response = await page.goto(listed.url + place + encodeURIComponent(shortened(text)));
      expect([200, 400, 404]).toContain(response?.status());
      await seenIn(page);
    }
  });
});

function formOf(what: string): HostileForm {
  const form = FORMS.find((one) => one.what === what);
  if (form === undefined) throw new Error(`there is no form of ${what}`);
  return form;
}

async function opened(form: HostileForm): Promise<WrittenForm> {
  const site = form.listed ? listed : unlisted;
  const page = await site.enter(chromium, 'owner', SMALL);
  await page.goto(site.url + form.page(ids));
  return await writtenForm(page, MOUNT + form.action(ids));
}

/** Sends texts, and expects a status; a body that is too long is refused. */
async function sendsTo(written: WrittenForm, texts: Texts, ...statuses: readonly number[]): Promise<Seen> {
  const response = await written.send(texts);
  const isLimited = /\/sign-(?:in|out)$/.test(new URL(response.url()).pathname) ? isTooLongToSignIn : isTooLong;
  const expected = Object.values(texts).some(isLimited) ? [413] : statuses;
  const status = response.status();
  expect({ texts, isExpected: expected.includes(status), status }).toMatchObject({ texts, isExpected: true });
  return await seenIn(written.answer);
}
