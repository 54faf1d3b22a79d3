import { describe, expect, it } from '@jest/globals';
import { managed } from '../../support/managed.js';
import { MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);
const SAYS = 'class="status"';

describe('the flash message parameter in the URL', () => {
  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'no-such'])(
    '%s is not a message',
    async (word) => {
      const holder = await at.account();
      const { key } = await holder.key();
      for (const path of ['/', '/access-keys', `/keys/${key.id}`]) {
        const { status, body } = await dashboard.browser(holder.owner).get(`${path}?done=${word}`);
        expect([path, status, body.includes(SAYS)]).toEqual([path, 200, false]);
      }
    },
  );

  it('names the key on a list, unless it has no name or is of another account', async () => {
    const [holder, other] = [await at.account(), await at.account()];
    const [named, nameless, theirs] = [
      await holder.key({ name: '<b>' }),
      await holder.key(),
      await other.key({ name: 'x' }),
    ];
    const browser = dashboard.browser(holder.owner);
    const messageFor = async (id: string) =>
      /<p class="status" role="status">(.*?)<\/p>/.exec((await browser.get(`/?done=revoked&key=${id}`)).body)?.[1];
    expect(await messageFor(named.key.id)).toBe(
      `The key “<bdi>&lt;b&gt;</bdi>” was revoked. It is no longer accepted. <a href="${MOUNT}/keys/${named.key.id}">View the revoked key</a>`,
    );
    for (const id of [nameless.key.id, theirs.key.id, 'no-such', '']) {
      expect(await messageFor(id)).toBe(
        `The key was revoked. It is no longer accepted. <a href="${MOUNT}/?state=revoked">View revoked keys</a>`,
      );
    }
    expect((await browser.get(`/?key=${named.key.id}`)).body).not.toContain(SAYS);
  });

  it('on the list of access keys links to them', async () => {
    const holder = await at.account();
    const { key } = await at.management.accessKeys.create(holder.owner, { scopes: ['payments'], name: 'Batch' });
    await at.management.accessKeys.revoke(holder.owner, key.id);
    const linkFor = async (query: string) =>
      /role="status">.*? <a href="([^"]*)">/.exec(
        (await dashboard.browser(holder.owner).get(`/access-keys?done=revoked${query}`)).body,
      )?.[1];
    expect(await linkFor(`&key=${key.id}`)).toBe(`${MOUNT}/access-keys/${key.id}`);
    expect(await linkFor('')).toBe(`${MOUNT}/access-keys?state=revoked`);
  });

  it.each([
    ['same-origin', true],
    [undefined, true],
    ['none', false],
    ['same-site', false],
    ['cross-site', false],
  ])('is accepted only from a page of the Dashboard: %s', async (site, isSaid) => {
    const holder = await at.account();
    const { key } = await holder.key();
    const headers = site === undefined ? {} : { 'sec-fetch-site': site };
    for (const path of [`/keys/${key.id}?done=disabled`, '/?done=revoked']) {
      const { status, body } = await dashboard.browser(holder.owner).get(path, headers);
      expect([status, body.includes(SAYS)]).toEqual([200, isSaid]);
    }
  });
});
