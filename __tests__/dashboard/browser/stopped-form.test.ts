import { expect, it } from '@jest/globals';
import { openChromium } from '../../support/browser.js';
import { browserSite } from '../../support/browser-site.js';

const site = browserSite();
const chromium = openChromium();

it('a form can be sent again after its request was stopped, but not by a double click', async () => {
  const { key } = await site.management.keys.create(site.owner, { kind: 'secret', apis: ['payments'] });
  const page = await site.enter(chromium, 'owner');
  await page.goto(`${site.url}/keys/${key.id}/edit`);
  await page.clock.install();
  let posts = 0;
  await page.route('**/edit', async (route) => {
    posts += 1;
    await (posts === 1 ? route.abort('aborted') : route.continue());
  });
  const save = page.getByRole('button', { name: 'Save' });
  await page.locator('[name=name]').fill('Desk');
  const stopped = page.waitForEvent('requestfailed');
  await save.dblclick();
  await stopped;
  expect(posts).toBe(1);
  await page.clock.fastForward(15_000);
  await save.click();
  await page.getByText('The key “Desk” was updated.').waitFor();
  expect([posts, (await site.management.keys.view(site.owner, key.id)).name]).toEqual([2, 'Desk']);
  chromium.troubles();
});
