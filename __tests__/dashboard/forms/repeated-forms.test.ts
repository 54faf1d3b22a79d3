import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { type Holder, managed } from '../../support/managed.js';
import { engines } from '../../support/test-stores.js';
import { DEEDS, madeKey, PATH, type Sort } from '../key-forms.js';
import { type Form, fieldOf, servedDashboard, textIn } from '../served-dashboard.js';

const SHOWING = ['rotate', 'secrets'];

/** Their forms are on the page of the key; the others have a page of confirmation. */
const ON_KEY_PAGE = ['end-grace', 'secrets/delete'];

describe.each(engines.filter((engine) => engine !== 'SQLite'))('on %s', (engine) => {
  const at = managed(engine);
  const dashboard = servedDashboard(at);

  /** A key that each form can be sent for: with an old secret that is still accepted, or with a second one. */
  async function keyFor(deed: string, holder: Holder, sort: Sort): Promise<KeyView> {
    const { id } = await madeKey(holder, sort);
    const keys = at.management[sort];
    if (deed === 'end-grace') return (await keys.rotate(holder.owner, id, 3_600)).key;
    if (deed === 'secrets/delete') return (await at.management.accessKeys.addSecret(holder.owner, id)).key;
    if (deed === 'enable') return await keys.edit(holder.owner, id, { version: 1, disabled: true });
    return await keys.view(holder.owner, id);
  }

  async function formFor(deed: string, sort: Sort, form: (key: KeyView) => Form) {
    const holder = await at.account();
    const key = await keyFor(deed, holder, sort);
    const browser = dashboard.browser(holder.owner);
    const path = `${PATH[sort]}/${key.id}`;
    const formId = deed === 'edit' ? {} : { formId: randomUUID() };
    const send = () => browser.post(`${path}/${deed}`, { ...form(key), ...formId });
    const now = () => at.management[sort].view(holder.owner, key.id);
    return { holder, browser, path, send, now, entries: (await holder.story()).length };
  }

  it.each(DEEDS)('N36 $deed of $sort, sent twice: the same response, one change, one audit entry', async (it) => {
    const { holder, send, now, entries } = await formFor(it.deed, it.sort, it.form);
    const first = await send();
    const changed = await now();
    at.clock.advance(60_000);
    const again = await send();
    expect(await now()).toEqual(changed);
    const story = await holder.story();
    expect(story).toHaveLength(entries + 1);
    expect(story.map(({ outcome }) => outcome)).not.toContain('refused');
    if (SHOWING.includes(it.deed)) return;
    expect([first.status, again.status]).toEqual([303, 303]);
    expect(again.headers.location).toBe(first.headers.location);
  });

  it.each(DEEDS)('N36 $deed of $sort, sent four times concurrently: one change, one audit entry', async (it) => {
    const { holder, send, entries } = await formFor(it.deed, it.sort, it.form);
    const statuses = (await Promise.all([1, 2, 3, 4].map(send))).map(({ status }) => status);
    for (const status of statuses) expect([200, 201, 303]).toContain(status);
    const story = await holder.story();
    expect(story).toHaveLength(entries + 1);
    expect(story.map(({ outcome }) => outcome)).not.toContain('refused');
  });

  it.each(DEEDS.filter(({ deed }) => SHOWING.includes(deed)))(
    'N36 $deed of $sort, then reload: says when it was done, and shows no secret again',
    async (it) => {
      const { browser, path, send } = await formFor(it.deed, it.sort, it.form);
      const secret = textIn(await send());
      const doneAt = new Date(at.clock.now());
      at.clock.advance(3 * 60_000);
      const again = await send();
      expect(again.status).toBe(200);
      expect(again.body).toContain(`<time datetime="${doneAt.toISOString()}">`);
      expect(again.body).toContain('3 minutes ago');
      expect(again.body).toContain('nothing was changed now');
      expect(again.body).not.toContain('Nothing was changed.');
      for (const { body } of [again, await browser.get(path)]) expect(body).not.toContain(secret);
    },
  );

  it.each(DEEDS.filter(({ deed }) => deed !== 'edit'))('N36 the form of $deed of $sort has an id', async (it) => {
    const { browser, path } = await formFor(it.deed, it.sort, it.form);
    const own =
      it.deed === 'revoke' ? `${path}/revoke` : ON_KEY_PAGE.includes(it.deed) ? path : `${path}/${it.deed}/confirm`;
    const page = await browser.get(own);
    const [, form = ''] = page.body.split(`${path}/${it.deed}"`);
    expect(fieldOf({ ...page, body: form.split('</form>', 1).join() }, 'formId')).toMatch(/^[0-9a-f-]{36}$/);
    const next = await browser.get(own);
    expect(fieldOf(next, 'formId')).not.toBe(fieldOf(page, 'formId'));
  });
});
