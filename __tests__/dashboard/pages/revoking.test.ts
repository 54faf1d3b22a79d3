import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { newForm } from '../key-forms.js';
import { servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

/** What is in the field for the name. */
const fieldValue = (body: string) => /name="confirm" value="([^"]*)"/.exec(body)?.[1];

describe('a name chosen by a Developer', () => {
  it.each(['a  b', 'a\u00A0b', 'e\u0301', 'é', '\uFF34ill'])(
    '%j can be typed as it is shown to revoke the key',
    async (name) => {
      const holder = await at.account();
      expect((await dashboard.browser(holder.developer).post('/keys', newForm('keys', { name }))).status).toBe(201);
      const [key] = (await at.management.keys.list(holder.owner)).items;
      const browser = dashboard.browser(holder.owner);
      const shown = /<code><bdi>(.*?)<\/bdi>/.exec((await browser.get(`/keys/${key?.id}/revoke`)).body)?.[1] ?? '';
      const typed = shown.replace(/[ \u00A0]+/g, ' ').normalize('NFC');
      const wrong = await browser.post(`/keys/${key?.id}/revoke`, { confirm: `${typed}x` });
      expect([wrong.status, fieldValue(wrong.body)]).toEqual([400, `${typed}x`]);
      expect((await browser.post(`/keys/${key?.id}/revoke`, { confirm: typed })).status).toBe(303);
    },
  );

  it('does not confirm the revocation in other capital letters', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    const { status, body } = await dashboard.browser(holder.owner).post(`/keys/${key.id}/revoke`, { confirm: 'till' });
    expect([status, fieldValue(body)]).toEqual([400, 'till']);
    expect((await at.management.keys.view(holder.owner, key.id)).state).toBe('active');
  });

  it.each(['\u115F', '\u1160', '\u3164', '\uFFA0'])(
    'is refused if it contains an invisible letter: %j',
    async (letter) => {
      const holder = await at.account();
      const name = `a${letter}b`;
      expect((await dashboard.browser(holder.developer).post('/keys', newForm('keys', { name }))).status).toBe(400);
      expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
    },
  );
});
