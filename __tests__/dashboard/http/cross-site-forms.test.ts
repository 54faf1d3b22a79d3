import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { KEY_TYPES, madeKey, newForm, OPERATIONS, PATH } from '../key-forms.js';
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
  it.each(OPERATIONS)('M25 $operation of $keyType: 403, no change', async ({ operation, keyType, form }) => {
    const holder = await at.account();
    const key = await madeKey(holder, keyType);
    const browser = dashboard.browser(holder.owner);
    const path = `${PATH[keyType]}/${key.id}/${operation}`;
    for (const { headers = {}, fields = {} } of ATTACKS) {
      const body = encoded({ csrf: browser.token, ...form(key), ...fields });
      const { status } = await browser.send('POST', path, { ...browser.formHeaders, ...headers }, body);
      expect([headers, fields, status]).toEqual([headers, fields, 403]);
    }
    expect(await at.management[keyType].view(holder.owner, key.id)).toEqual(key);
    // Nothing of it reached management, which would have written it down.
    expect(await holder.story()).toHaveLength(1);
  });

  it.each(KEY_TYPES)('M25 creating one of %s: 403, nothing created', async (keyType) => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    for (const { headers = {}, fields = {} } of ATTACKS) {
      const body = encoded({ csrf: browser.token, ...newForm(keyType), ...fields });
      const { status } = await browser.send('POST', PATH[keyType], { ...browser.formHeaders, ...headers }, body);
      expect([headers, fields, status]).toEqual([headers, fields, 403]);
    }
    expect((await at.management[keyType].list(holder.owner)).items).toEqual([]);
  });
});
