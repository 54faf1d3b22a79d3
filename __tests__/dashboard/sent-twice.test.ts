import { describe, expect, it } from '@jest/globals';
import { managed } from '../support/managed.js';
import { altered, servedDashboard } from './served-dashboard.js';

const at = managed('memory');

describe('two forms that roll one version', () => {
  let waiting: (() => void)[] = [];
  /** Both have looked before either rolls, as over a database that takes a while. */
  const slow = servedDashboard(at, {
    management: altered(at, ({ keys }) => ({
      keys: {
        ...keys,
        async view(member, id) {
          const key = await keys.view(member, id);
          await new Promise<void>((resolve) => {
            waiting.push(resolve);
            if (waiting.length < 2) return;
            for (const go of waiting) go();
            waiting = [];
          });
          return key;
        },
      },
    })),
  });

  it('roll it once, and the grace that was asked for holds', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const browser = slow.browser(holder.owner);
    const roll = () => browser.post(`/keys/${key.id}/roll`, { version: '1', grace: '604800' });
    const statuses = (await Promise.all([roll(), roll()])).map(({ status }) => status).sort();
    const old = (await at.management.keys.view(holder.owner, key.id)).secrets.find(({ hint }) => hint === key.hint);
    expect([statuses, old?.retiresAt]).toEqual([[200, 409], new Date(at.clock.now() + 604_800_000)]);
  });
});
