import { describe, expect, it } from '@jest/globals';
import { createKeyText } from 'keyward';
import { lastCharactersOfSecret } from '../../../lib/dashboard/http/secret-in-search.js';
import { managed } from '../../support/managed.js';
import { MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);

const KEYS = (['secret', 'public'] as const).flatMap((kind) =>
  (['live', 'sandbox'] as const).flatMap((environment) => [
    createKeyText({ kind, environment }),
    createKeyText({ kind, environment, prefix: 'acme' }),
  ]),
);

describe('a whole secret', () => {
  it.each([...KEYS, 'sk_live_51Habc0123456789ABCDEFGH', 'x'.repeat(86)])('%s becomes its last characters', (key) => {
    for (const text of [key, ` ${key}\n`, `Authorization: Bearer ${key}`, `KEY=${key}`, key.toUpperCase()])
      expect(lastCharactersOfSecret(text)?.toLowerCase()).toBe(key.slice(-4).toLowerCase());
  });

  it.each([
    ...['', 'till', 'sk_\u2026abcd', 'sk_sbox_', `key_${'a'.repeat(26)}`, `ack_${'a'.repeat(26)}`],
    ...['task_reconciliationofsettlements', 'x'.repeat(85), 'x'.repeat(87), 'settlement-reconciliation-service-eu-1'],
  ])('is not seen in %j', (text) => expect(lastCharactersOfSecret(text)).toBeUndefined());
});

describe('a search for a whole secret', () => {
  it.each([
    ['/', 'text', 'keys'],
    ['/access-keys', 'text', 'accessKeys'],
    ['/audit', 'subject', 'keys'],
    ['/audit', 'subject', 'accessKeys'],
    ['/audit.csv', 'subject', 'keys'],
  ] as const)('%s?%s= of %s leads to the search for its last characters', async (path, field, keyType) => {
    const holder = await at.account();
    const { key, text: secret } = await (keyType === 'keys' ? holder.key({ name: 'Till' }) : holder.accessKey());
    const browser = dashboard.browser(holder.owner);
    const query = new URLSearchParams({ [field]: secret, limit: '7' });
    const { status, headers, body } = await browser.get(`${path}?${query}`);
    const location = `${MOUNT}${path}?${new URLSearchParams({ [field]: secret.slice(-4), limit: '7', done: 'shortened' })}`;
    const sorted = (url: string) => [...new URL(url, 'http://x').searchParams].sort();
    expect([status, sorted(String(headers.location))]).toEqual([303, sorted(location)]);
    expect(JSON.stringify(headers) + body).not.toContain(secret.slice(0, -4));
    const found = await browser.get(String(headers.location).slice(MOUNT.length));
    expect([found.status, found.body]).toEqual([200, expect.stringContaining(key.id)]);
    if (path !== '/audit.csv')
      expect(found.body).toContain('id="shortened">The search contained a complete key or secret.');
  });

  it('shows no note on other pages', async () => {
    const holder = await at.account();
    await holder.key();
    const browser = dashboard.browser(holder.owner);
    for (const path of ['/', '/?text=till', '/audit'])
      expect((await browser.get(path)).body).toContain('id="shortened" hidden>');
  });
});
