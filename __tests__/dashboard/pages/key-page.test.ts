import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { digestOf } from '../../../lib/credentials/digest.js';
import { formatDay, formatTime } from '../../../lib/dashboard/components/times.js';
import { managed, OPERATOR } from '../../support/managed.js';
import { KEY_TYPES, madeKey, PATH } from '../key-forms.js';
import { altered, MOUNT, servedDashboard } from '../served-dashboard.js';

const DAY = 86_400_000;
const at = managed('memory');
const dashboard = servedDashboard(at);

const bannerIn = (body: string) => /<p class="banner">(.*?)<\/p>/s.exec(body)?.[1]?.replace(/<[^>]+>/g, '');

describe('the banner of a key', () => {
  it.each(KEY_TYPES)('says who disabled it, with a link that enables it for those who may: %s', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    const path = `${PATH[keyType]}/${id}`;
    const [owner, developer] = [dashboard.browser(holder.owner), dashboard.browser(holder.developer)];
    expect(bannerIn((await owner.get(path)).body)).toBeUndefined();
    await at.management[keyType].edit(holder.owner, id, { version: 1, disabled: true });
    const disabledAt = at.clock.now();
    at.clock.advance(2 * DAY);
    const { body } = await owner.get(path);
    const said = `${holder.owner.id} disabled this key on ${formatTime(new Date(disabledAt))} (2 days ago). Every request with it is refused.`;
    expect(bannerIn(body)).toBe(`${said} Enable the key`);
    expect(body).toContain(`<a href="${MOUNT}${path}/enable/confirm">Enable the key</a>`);
    expect(bannerIn((await developer.get(path)).body)).toBe(said);
  });

  it('does not name a member if the entry is not among the newest', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    for (let version = 2; version < 13; version += 1) {
      await at.management.keys.edit(holder.owner, key.id, { version, name: `Name ${version}` });
    }
    const { body } = await dashboard.browser(holder.developer).get(`/keys/${key.id}`);
    expect(bannerIn(body)).toBe(
      `This key was disabled on ${formatTime(new Date(at.clock.now()))} (just now). Every request with it is refused.`,
    );
  });

  it.each(KEY_TYPES)('says who revoked it, not who tried: %s', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    await at.management[keyType].revoke(holder.owner, id);
    await at.management[keyType].revoke(holder.developer, id).catch(() => undefined);
    const { body } = await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${id}`);
    expect(bannerIn(body)).toBe(
      `${holder.owner.id} revoked this key on ${formatTime(new Date(at.clock.now()))} (just now). Every request with it is refused. This cannot be undone.`,
    );
  });

  it('says that the account has lost the channel of a key for a platform', async () => {
    const holder = await at.account();
    const { key, text } = await holder.key({ platform: 'shop', channels: ['pc_1'] });
    const { key: other } = await holder.key({ channels: ['pc_1'] });
    const bannersFor = async (member = holder.owner) =>
      Promise.all(
        [key, other].map(async ({ id }) => bannerIn((await dashboard.browser(member).get(`/keys/${id}`)).body)),
      );
    expect(await bannersFor()).toEqual([undefined, undefined]);
    await at.management.accounts.put(OPERATOR, holder.id, { channels: ['pc_2'] });
    const presented = { digest: digestOf(text), kind: 'secret', environment: 'live', reveal: () => text } as const;
    expect(await at.store.resolveKey(presented)).toMatchObject({ disabled: true });
    const said = 'Every request with this key is refused, because its channel is no longer available to your account.';
    expect(await bannersFor()).toEqual([`${said} Choose another channel`, undefined]);
    expect(await bannersFor(holder.developer)).toEqual([said, undefined]);
  });

  it('says when it expired', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + DAY);
    const { key } = await holder.key({ expiresAt });
    at.clock.advance(3 * DAY);
    const { body } = await dashboard.browser(holder.owner).get(`/keys/${key.id}`);
    expect(bannerIn(body)).toBe(
      `Every request with this key is refused, because it expired on ${formatTime(expiresAt)} (2 days ago). Choose a later expiration date`,
    );
  });

  it('says that it must also be enabled if it expired while it was disabled', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + DAY);
    const { key } = await holder.key({ expiresAt });
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    at.clock.advance(3 * DAY);
    const page = async (member: typeof holder.owner) => (await dashboard.browser(member).get(`/keys/${key.id}`)).body;
    const said = `Every request with this key is refused, because it expired on ${formatTime(expiresAt)} (2 days ago), and because it is disabled.`;
    const body = await page(holder.owner);
    expect(bannerIn(body)).toBe(`${said} Choose a later expiration date and enable the key`);
    expect(body).toContain(`/keys/${key.id}/enable/confirm">enable the key</a></p>`);
    expect(bannerIn(await page(holder.developer))).toBe(said);
  });
});

describe('the page of a key', () => {
  it('warns that the key expires soon, as the list does', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + 14 * DAY);
    const { key } = await holder.key({ expiresAt });
    const browser = dashboard.browser(holder.owner);
    const bannersOf = async () =>
      Promise.all(['/', `/keys/${key.id}`].map(async (path) => bannerIn((await browser.get(path)).body)));
    expect(await bannersOf()).toEqual([undefined, undefined]);
    at.clock.advance(1);
    expect(await bannersOf()).toEqual([
      `1 key on this page will expire within the next 14 days: ${key.id} (in 14 days).`,
      `This key expires on ${formatTime(expiresAt)} (in 14 days). Choose a later expiration date`,
    ]);
  });

  it('has a link to its list, and a copy button for its ID', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.developer);
    const [api, access] = [(await holder.key()).key.id, (await holder.accessKey()).key.id];
    const { body } = await browser.get(`/keys/${api}`);
    expect(body).toContain(`<p class="crumb"><a href="${MOUNT}/">API keys</a></p>`);
    expect(body).toMatch(
      new RegExp(`<code id="key-id">${api}</code> <button type="button" .*data-copy="key-id" hidden>`),
    );
    const other = (await browser.get(`/access-keys/${access}`)).body;
    expect(other).toContain(`<p class="crumb"><a href="${MOUNT}/access-keys">Access keys</a></p>`);
    expect(other).toContain('Copy<span class="unseen"> Client ID</span>');
  });

  it('labels the current secret while the old one is accepted', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const browser = dashboard.browser(holder.owner);
    const badge = '<span class="badge active">Current</span>';
    expect((await browser.get(`/keys/${key.id}`)).body).not.toContain(badge);
    const rotated = await at.management.keys.rotate(holder.owner, key.id, 3_600);
    expect((await browser.get(`/keys/${key.id}`)).body).toContain(
      `<h3><code class="end">${rotated.key.hint}</code> ${badge}</h3>`,
    );
  });

  it('has a button beside the client secrets that adds one, for those who may', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const headOf = async (member: typeof holder.owner) =>
      /<h2 id="secrets">.*/.exec((await dashboard.browser(member).get(`/access-keys/${key.id}`)).body)?.[0];
    expect(await headOf(holder.owner)).toContain('/secrets/confirm">Add a client secret</a>');
    expect(await headOf(holder.developer)).not.toContain('Add a client secret');
    await at.management.accessKeys.revoke(holder.owner, key.id);
    expect(await headOf(holder.owner)).not.toContain('Add a client secret');
  });

  it('offers no rotation and no third secret while two client secrets have no end', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const page = async () => (await dashboard.browser(holder.owner).get(`/access-keys/${key.id}`)).body;
    const [rotate, note] = [
      '/rotate/confirm">Rotate</a>',
      'This key has two client secrets. To rotate it, first delete one of them.',
    ];
    expect(await page()).toContain(rotate);
    expect(await page()).not.toContain(note);
    await at.management.accessKeys.addSecret(holder.owner, key.id);
    const withTwo = await page();
    expect(withTwo).toContain(`<button class="button plain" disabled>Rotate</button>`);
    expect(withTwo).toContain(note);
    for (const link of [rotate, 'Add a client secret']) expect(withTwo).not.toContain(link);
    const revoke = (await dashboard.browser(holder.owner).get(`/access-keys/${key.id}/revoke`)).body;
    expect([revoke.includes('disable the key</a>'), revoke.includes('rotate the key</a>')]).toEqual([true, false]);
  });

  it.each(KEY_TYPES)('of %s: offers no new secret while the account is disabled, and says why', async (keyType) => {
    const holder = await at.account();
    const { id } = await madeKey(holder, keyType);
    await at.management.accounts.setDisabled('operator', holder.id, true);
    const { body } = await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${id}`);
    for (const text of [
      'Your account is disabled. All its keys are refused',
      'You cannot rotate this key while your account is disabled',
    ])
      expect(body).toContain(text);
    for (const link of ['/rotate/confirm', '/secrets/confirm']) expect(body).not.toContain(link);
    expect((await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${id}/enable/confirm`)).body).toContain(
      'Your account is disabled. Even if you enable the key, requests with this key will be refused until',
    );
    expect((await dashboard.browser(holder.owner).get(`${PATH[keyType]}/${id}/revoke`)).body).not.toContain(
      'rotate it',
    );
  });

  it('offers no new secret of an expired key', async () => {
    const holder = await at.account();
    const expiresAt = new Date(at.clock.now() + DAY);
    const { key } = await at.management.accessKeys.create(holder.owner, { scopes: ['payments'], expiresAt });
    await at.management.accessKeys.addSecret(holder.owner, key.id);
    at.clock.advance(2 * DAY);
    const { body } = await dashboard.browser(holder.owner).get(`/access-keys/${key.id}`);
    expect(body).toContain('This key has expired. To rotate it, first choose a later expiration date.');
    for (const link of ['/rotate/confirm', '/secrets/confirm']) expect(body).not.toContain(link);
  });

  it('does not offer to remove the last credential, and offers no rotation without a secret', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const page = async () => (await dashboard.browser(holder.owner).get(`/access-keys/${key.id}`)).body;
    await at.management.accessKeys.addPublicKey(holder.owner, key.id, jwk);
    expect(await page()).toContain('Remove this public key');
    await at.management.accessKeys.deleteSecret(holder.owner, key.id, key.secrets[0]?.id ?? '');
    const withoutSecret = await page();
    expect(withoutSecret).not.toContain('Remove this public key');
    expect(withoutSecret).toContain('This key has no client secret to rotate. Add a client secret instead.');
    expect(withoutSecret).not.toContain('/rotate/confirm');
  });

  it('offers a rotation, but no further secret, in a grace period', async () => {
    const holder = await at.account();
    const { key } = await holder.accessKey();
    await at.management.accessKeys.rotate(holder.owner, key.id, 3_600);
    const { body } = await dashboard.browser(holder.owner).get(`/access-keys/${key.id}`);
    expect(body).toContain('/rotate/confirm">Rotate</a>');
    expect(body).not.toContain('Add a client secret');
  });
});

describe('the times of a key', () => {
  it('a rotation that is not over is shown in the list and above its page', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.rotate(holder.owner, key.id, DAY / 1_000);
    const until = new Date(at.clock.now() + DAY);
    const browser = dashboard.browser(holder.developer);
    const { body } = await browser.get(`/keys/${key.id}`);
    expect(bannerIn(body)).toBe(
      `This key was rotated just now. The old secret ${key.hint} is accepted until ${formatTime(until)} (tomorrow).`,
    );
    expect(body).toContain('<h2 id="secrets">Secrets</h2>');
    const list = (await browser.get('/')).body.replace(/<time[^>]*>/g, '');
    expect(list).toContain(`Grace period until ${formatDay(until.toISOString().slice(0, 10))}</time>`);
    at.clock.advance(DAY);
    expect(bannerIn((await browser.get(`/keys/${key.id}`)).body)).toBeUndefined();
    expect((await browser.get('/')).body).not.toContain('rotating');
  });

  it('the last day is shown as the day that was chosen, a time of day as it is', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ expiresAt: new Date('2031-02-22T00:00:00Z') });
    const browser = dashboard.browser(holder.developer);
    const { body } = await browser.get(`/keys/${key.id}`);
    expect(body.match(/End of 21 Feb 2031, UTC/g)).toHaveLength(2);
    expect(body).not.toContain('22 Feb 2031');
    await at.management.keys.edit(holder.owner, key.id, { version: 1, expiresAt: new Date('2031-02-22T10:30:00Z') });
    expect((await browser.get(`/keys/${key.id}`)).body).toMatch(
      /<dt>Expires<\/dt><dd><time[^>]+>22 Feb 2031, 10:30 UTC/,
    );
  });
});

describe('the usage of a key', () => {
  const days = Array.from({ length: 30 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 9, 22 + index)).toISOString().slice(0, 10);
    return { day, accepted: 1_000, refused: index === 29 ? 7 : 0 };
  });
  const used = servedDashboard(at, {
    management: altered(at, ({ keys }) => ({
      keys: {
        ...keys,
        view: async (member, id) => ({ ...(await keys.view(member, id)), lastUsedAt: new Date(at.clock.now() - DAY) }),
      },
      usage: (_member, id) =>
        Promise.resolve({ id, from: '2026-10-22', to: '2026-11-20', accepted: 30_000, refused: 7, days }),
      recentUsage: (_member, ids) =>
        Promise.resolve(new Map(ids.map((id) => [id, { accepted: 30_000, refused: 7 }] as const))),
    })),
  });

  it('is the first section: totals of 7 and 30 days, a chart, and a table', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const { body } = await used.browser(holder.developer).get(`/keys/${key.id}`);
    expect(body.indexOf('id="usage"')).toBeLessThan(body.indexOf('class="facts"'));
    expect(body).toContain('<dt>Accepted in the last 7 days</dt><dd>7,000</dd>');
    expect(body).toContain('<dt>Accepted in the last 30 days</dt><dd>30,000</dd>');
    expect(body).toContain('<dt>Refused in the last 30 days</dt><dd>7</dd>');
    expect(body).toContain('aria-label="Requests from 22 Oct to 20 Nov: 30,000 accepted, 7 refused"');
    expect(body).toContain('<span>Busiest day: 1,007 requests. Striped bars show refused requests.</span>');
    expect(body.match(/<rect /g)).toHaveLength(31);
  });

  it('is one sentence if there were no requests', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const { body } = await dashboard.browser(holder.developer).get(`/keys/${key.id}`);
    expect(body).toContain('No requests in the last 30 days.');
    expect(body).not.toContain('<svg role="img"');
  });

  it.each(['rotate/confirm', 'disable/confirm', 'revoke'])('is on the page %s', async (path) => {
    const holder = await at.account();
    const { key } = await holder.key();
    const browser = dashboard.browser(holder.owner);
    expect((await browser.get(`/keys/${key.id}/${path}`)).body).toContain(
      'The key has never been used. Usage data can be delayed by up to a minute.',
    );
    const { body } = await used.browser(holder.owner).get(`/keys/${key.id}/${path}`);
    expect(body.replace(/<[^>]+>/g, '')).toContain(
      'The key was last used yesterday. In the last 30 days, 30,000 requests were accepted.',
    );
  });
});
