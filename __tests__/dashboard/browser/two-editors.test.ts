import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openChromium } from '../../support/browser.js';
import { press } from '../../support/browser-forms.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

interface Edit {
  readonly first: Page;
  readonly second: Page;
  readonly id: string;
}

/** Two Owners, each with a browser, who have opened the same version of a key. */
async function bothEditing(javaScriptEnabled: boolean): Promise<Edit> {
  const [{ key }, first, second] = [
    await site.management.keys.create(site.owner, { kind: 'secret', apis: ['payments'], name: 'Orders' }),
    await site.enter(chromium, 'owner', { javaScriptEnabled }),
    await site.enter(chromium, 'owner', { javaScriptEnabled }),
  ];
  for (const page of [first, second]) await page.goto(`${site.url}/keys/${key.id}/edit`);
  return { first, second, id: key.id };
}

const viewed = (id: string) => site.management.keys.view(site.owner, id);

describe.each([
  { how: 'with JavaScript', javaScriptEnabled: true },
  { how: 'without JavaScript', javaScriptEnabled: false },
])('$how', ({ javaScriptEnabled }) => {
  it('M37 the second editor sees both versions, and can overwrite the first', async () => {
    const { first, second, id } = await bothEditing(javaScriptEnabled);
    await first.getByLabel('Name', { exact: true }).fill('Order service');
    await first.getByRole('group', { name: 'APIs' }).getByLabel('disputes').check();
    expect((await press(first, 'Save')).status()).toBe(200);

    await second.getByLabel('Name', { exact: true }).fill('Orders of the shop');
    expect((await press(second, 'Save')).status()).toBe(409);
    expect(await second.getByRole('alert').textContent()).toContain('This key has changed since you opened it');
    expect((await viewed(id)).name).toBe('Order service');
    const rows = await second.locator('tr.differs').evaluateAll((rows) => rows.map((row) => row.textContent));
    expect(rows).toEqual(['Name (differs)Order serviceOrders of the shop', 'APIs (differs)disputes, paymentspayments']);
    // What they wrote is in the form still.
    expect(await second.getByLabel('Name', { exact: true }).inputValue()).toBe('Orders of the shop');

    expect((await press(second, 'Save anyway')).status()).toBe(200);
    expect(await viewed(id)).toMatchObject({ name: 'Orders of the shop', apis: ['payments'], version: 3 });
    expect(await second.locator('p.status').textContent()).toContain('The key “Orders of the shop” was updated.');
  });

  it('M37 the second editor can keep the current version', async () => {
    const { first, second, id } = await bothEditing(javaScriptEnabled);
    for (const page of [first, second]) await page.getByLabel('Name', { exact: true }).fill('Theirs');
    await press(first, 'Save');
    await second.getByLabel('Name', { exact: true }).fill('Mine');
    expect((await press(second, 'Save')).status()).toBe(409);
    expect((await press(second, 'Discard changes', 'link')).status()).toBe(200);
    expect(await second.getByRole('heading', { level: 1 }).textContent()).toContain('Theirs');
    expect(await viewed(id)).toMatchObject({ name: 'Theirs', version: 2 });
  });

  it('M37 a third change in between is a conflict again', async () => {
    const { first, second, id } = await bothEditing(javaScriptEnabled);
    await first.getByLabel('Name', { exact: true }).fill('First');
    await press(first, 'Save');
    await second.getByLabel('Name', { exact: true }).fill('Second');
    expect((await press(second, 'Save')).status()).toBe(409);
    await first.goto(`${site.url}/keys/${id}`);
    await press(first, 'Disable', 'link');
    await press(first, 'Disable');
    expect((await press(second, 'Save anyway')).status()).toBe(409);
    expect(await viewed(id)).toMatchObject({ name: 'First', state: 'disabled' });
  });
});
