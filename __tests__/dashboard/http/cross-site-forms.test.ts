import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { DEEDS, madeKey, newForm, PATH, SORTS } from '../key-forms.js';
import { encoded, type Form, type Headers, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

/** What is changed about a good form; each alone must be enough to refuse it. */
const ATTACKS: readonly { readonly headers?: Headers; readonly fields?: Form }[] = [
  { fields: { csrf: [] } },
  { fields: { csrf: 'A'.repeat(22) } },
  { headers: { origin: 'https://evil.example' } },
  { headers: { origin: 'null' } },
  { headers: { 'sec-fetch-site': 'cross-site' } },
  { headers: { 'content-type': 'text/plain' } },
];

describe('a form from another site', () => {
  it.each(DEEDS)('M25 $deed of $sort: 403, no change', async ({ deed, sort, form }) => {
    const holder = await at.account();
    const key = await madeKey(holder, sort);
    const browser = dashboard.browser(holder.owner);
    const path = `${PATH[sort]}/${key.id}/${deed}`;
    for (const { headers = {}, fields = {} } of ATTACKS) {
      const body = encoded({ csrf: browser.token, ...form(key), ...fields });
      const { status } = await browser.send('POST', path, { ...browser.formHeaders, ...headers }, body);
      expect([headers, fields, status]).toEqual([headers, fields, 403]);
    }
    expect(await at.management[sort].view(holder.owner, key.id)).toEqual(key);
    // Nothing of it reached management, which would have written it down.
    expect(await holder.story()).toHaveLength(1);
  });

  it.each(SORTS)('M25 creating one of %s: 403, nothing created', async (sort) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    for (const { headers = {}, fields = {} } of ATTACKS) {
      const body = encoded({ csrf: browser.token, ...newForm(sort), ...fields });
      const { status } = await browser.send('POST', PATH[sort], { ...browser.formHeaders, ...headers }, body);
      expect([headers, fields, status]).toEqual([headers, fields, 403]);
    }
    expect((await at.management[sort].list(holder.owner)).items).toEqual([]);
  });
});
