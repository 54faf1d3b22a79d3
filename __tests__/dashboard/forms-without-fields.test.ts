import { expect, it } from '@jest/globals';
import { managed } from '../support/managed.js';
import { servedDashboard } from './served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

it('a Developer who posts a form that lacks fields is refused with 403, and that is written down', async () => {
  const holder = await at.account();
  const { key } = await holder.key();
  for (const deed of ['disable', 'roll']) {
    expect((await dashboard.browser(holder.developer).post(`/keys/${key.id}/${deed}`, {})).status).toBe(403);
  }
  expect(await holder.story()).toHaveLength(3);
});
