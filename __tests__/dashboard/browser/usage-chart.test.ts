import { AxeBuilder } from '@axe-core/playwright';
import { expect, it } from '@jest/globals';
import { dayOf } from '../../../lib/store/usage/utc-days.js';
import { openChromium } from '../../support/browser.js';
import { managed } from '../../support/managed.js';
import { onDatabase } from '../../support/store-database.js';
import { MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('SQLite');
const dashboard = servedDashboard(at);
const chromium = openChromium();

it.each([1_280, 768, 390])('the chart and the table of a key that is used fit a window of %d pixels', async (width) => {
  const holder = await at.account();
  const { key } = await holder.key({ name: 'Order service' });
  const today = dayOf(at.clock.now());
  const days = [0, 1, 2, 7, 29].map((ago) => `('${key.id}', ${today - ago}, ${1_000_000 + ago}, ${ago % 2})`);
  await onDatabase(at.url, `insert into usage (key_id, day, accepted, refused) values ${days.join(', ')}`);

  const { cookie } = dashboard.browser(holder.owner).formHeaders;
  const page = await chromium.page({ viewport: { width, height: 800 }, extraHTTPHeaders: { cookie: String(cookie) } });
  await page.goto(`http://127.0.0.1:${dashboard.port}${MOUNT}/keys/${key.id}`);
  const chart = page.getByRole('img', { name: /^Requests from .*: 5,000,039 accepted, 3 refused$/ });
  const box = await chart.boundingBox();
  expect(box?.width).toBeGreaterThan(width / 2);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width);
  const bars = await page.locator('.usage rect').evaluateAll((rects) => rects.map((one) => one.getAttribute('height')));
  expect(bars.filter((height) => height !== '0')).toHaveLength(8);

  await page.getByText('Requests by day').click();
  // Only days with requests.
  const rows = page.locator('.days tbody tr');
  expect(await rows.count()).toBe(5);
  expect(await rows.first().textContent()).toBe('15 Jan1,000,0000');
  expect((await page.locator('.days').boundingBox())?.height).toBeLessThan(350);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
});
