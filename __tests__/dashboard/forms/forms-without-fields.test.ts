import { expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

it('a Developer who posts a form with missing fields gets 403, and the refusal is audited', async () => {
  const holder = await at.account();
  const { key } = await holder.key();
  for (const operation of ['disable', 'rotate']) {
    expect((await dashboard.browser(holder.developer).post(`/keys/${key.id}/${operation}`, {})).status).toBe(403);
  }
  expect(await holder.story()).toHaveLength(3);
});
