/**
 * Fields that stop a form: what stood in them is in no answer, so that one answer looked at in a browser stands for all of
 * them. The browser has some of the texts for each; here is each of the hundred.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Holder, managed } from '../../support/managed.js';
import { FORMS, type Ids, isTooLong, keysIn, shortened, TEXTS } from '../browser/hostile-forms.js';
import { type Form, type Reply, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

let [listed, unlisted]: Holder[] = [];
let ids: Ids;

beforeAll(async () => {
  listed = await at.account();
  unlisted = await at.account({ apis: 'all', channels: 'all' });
  const siteOf = ({ owner }: Holder) => ({ owner, management: at.management });
  ids = await keysIn(siteOf(listed), siteOf(unlisted));
});

const FORM_ID = /(?<=name="formId" value=")[0-9a-f-]{36}(?=")/g;
const DOORS = FORMS.filter(({ route }) => route !== '/sign-out').flatMap((form) =>
  Object.entries(form.gates).map(([gate, status]) => ({ ...form, gate, status })),
);

describe('checks that refuse a form', () => {
  it.each(DOORS)('M31 $what: each text as $gate gets the same page, without the text', async (door) => {
    const browser = dashboard.browser((door.listed ? listed : unlisted)?.owner);
    const path = door.action(ids);
    const version = path.includes(ids.two) ? ids.twoVersion : '1';
    const others = door.method === 'get' ? {} : { formId: randomUUID(), kind: 'secret', version, grace: '0' };
    const allowed = [...Object.keys(door.gates), ...door.free];
    const rest: Form = Object.fromEntries(Object.entries(others).filter(([name]) => allowed.includes(name)));

    async function ask(text: string): Promise<Reply> {
      const fields = { ...rest, [door.gate]: text };
      if (door.method === 'get') return await browser.get(`${path}?${new URLSearchParams(fields)}`);
      return await browser.post(path, fields);
    }

    // A page that is shown again may have other forms, whose IDs are new each time.
    const withoutIds = ({ body }: Reply) => body.replaceAll(FORM_ID, '');
    const first = await ask('x');
    expect(first.status).toBe(door.status);
    for (const text of door.method === 'get' ? TEXTS.map(shortened) : TEXTS) {
      const reply = await ask(text);
      if (isTooLong(text)) expect([text, reply.status]).toEqual([text, 413]);
      else expect([text, reply.status, withoutIds(reply)]).toEqual([text, first.status, withoutIds(first)]);
    }
  });
});

/** What management says of lists it says with the names in them. */
describe('error messages about form fields', () => {
  it.each([
    { path: '/keys', fields: { kind: 'secret', 'apis.of': 'all', 'scopes.of': 'some' }, field: 'scopes' },
    { path: '/access-keys', fields: { 'defaultScopes.of': 'all' }, field: 'scopes' },
    { path: '/access-keys', fields: { scopes: 'payments' }, field: 'defaultScopes' },
  ])('M31 $path shows each text as $field in its message as text', async ({ path, fields, field }) => {
    const browser = dashboard.browser(listed?.owner);
    let refusals = 0;
    for (const text of TEXTS.map(shortened)) {
      const more = { 'channels.of': 'all', formId: randomUUID(), [field]: text };
      const { status, body } = await browser.post(path, { ...fields, ...more });
      expect([text, status]).toEqual([text, 400]);
      const words = /<ul><li><a href="#field-\w+">(.*?)<\/a>/s.exec(body)?.[1] ?? '';
      expect(words).toMatch(/^(?:Default s|S)copes: [^<>"'`]+$/);
      if (/does not have|not allowed to use/.test(words)) refusals += 1;
      if (!/[<>"'`\p{Cc}\p{Cf}]/u.test(text)) continue;
      expect(body.replaceAll(/ value="[^"]*"/g, '')).not.toContain(text);
      // A field sends its text back, so a line break is not replaced in it; it cannot end the value.
      if (/(?![\r\n\u0080-\u009f])[<>"'`\p{Cc}\p{Cf}]/u.test(text)) expect(body).not.toContain(text);
    }
    expect(refusals).toBeGreaterThan(20);
  });
});
