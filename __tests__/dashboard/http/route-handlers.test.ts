import { expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

it('a link on another site keeps the filters of a list, but shows no message', async () => {
  const holder = await at.account();
  await holder.key({ name: 'Till' });
  const browser = dashboard.browser(holder.owner);
  for (const [site, isShown] of [
    ['same-origin', true],
    ['cross-site', false],
  ] as const) {
    const { body } = await browser.get('/?done=revoked&text=Till', { 'sec-fetch-site': site });
    expect([site, body.includes('class="status"')]).toEqual([site, isShown]);
    expect(body).toMatch(/<input[^>]* name="text"[^>]* value="Till"/);
  }
});
