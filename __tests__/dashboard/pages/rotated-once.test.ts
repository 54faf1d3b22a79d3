import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { LIST, madeKey, PATH } from '../key-forms.js';
import { servedDashboard, textIn } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

describe('a secret of a later rotation', () => {
  it.each([
    { keyType: 'keys', operation: 'rotate', form: { version: '1', grace: '3600' } },
    { keyType: 'accessKeys', operation: 'rotate', form: { version: '1', grace: '3600' } },
    { keyType: 'accessKeys', operation: 'secrets', form: { version: '1' } },
  ] as const)('M23 by $operation of $keyType is in no other answer', async ({ keyType, operation, form }) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const browser = dashboard.browser(holder.owner);
    const own = `${PATH[keyType]}/${id}`;
    const made = await browser.post(`${own}/${operation}`, form);
    const secret = textIn(made).slice(0, -4);
    expect(secret.length).toBeGreaterThan(20);
    expect(made.headers['cache-control']).toBe('no-store');
    expect(JSON.stringify(made.headers)).not.toContain(secret);

    const replies = [await browser.post(`${own}/${operation}`, form)];
    for (const path of [LIST[keyType], own, `${own}/edit`, `${own}/revoke`, '/audit', '/audit.csv']) {
      replies.push(await browser.get(path));
    }
    replies.push(await browser.post(`${own}/disable`, { version: '2' }));
    expect(replies.map(({ status }) => status)).toEqual([409, 200, 200, 200, 200, 200, 200, 303]);
    for (const { headers, body } of replies) expect(JSON.stringify(headers) + body).not.toContain(secret);
  });
});
