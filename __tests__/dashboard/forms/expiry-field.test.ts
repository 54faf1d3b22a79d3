import { expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

it('has buttons with days that the server computed from its own clock, in UTC', async () => {
  const { body } = await dashboard.browser((await at.account()).owner).get('/keys/new?kind=secret');
  const days = [...body.matchAll(/data-day="([^"]*)"/g)].map(([, day]) => day);
  const dayOf = (count: number) => new Date(at.clock.now() + count * 86_400_000).toISOString().slice(0, 10);
  expect(days).toEqual([dayOf(30), dayOf(90), dayOf(365), '']);
});
