import { describe, expect, it } from '@jest/globals';
import { ManagementError } from 'keyward/management';
import { managed } from '../../support/managed.js';
import { madeKey, newForm } from '../key-forms.js';
import { altered, fieldOf, servedDashboard } from '../served-dashboard.js';
import { MOUNT, signInSite } from '../sign-in/sign-in-browser.js';
import { expectSafePage } from './safe-headers.js';

const SIGN_IN = `${MOUNT}/sign-in`;
const SIGN_OUT = `${MOUNT}/sign-out`;

describe('the sign-in', () => {
  const at = managed('memory');
  const site = signInSite(at);
  const linkOf = (url: string) => new URL(url).pathname + new URL(url).search;

  it('M33 during sign-in and sign-out', async () => {
    const browser = site.browser();
    const page = await browser.get(linkOf(site.links().owner));
    const signedIn = await browser.press(page, SIGN_IN);
    const home = await browser.get(`${MOUNT}/`);
    const out = await browser.post(SIGN_OUT, { csrf: fieldOf(home, 'csrf') ?? '' });
    const explained = await browser.get(SIGN_IN);
    const replies = [page, signedIn, home, out, explained];
    expect(replies.map(({ status }) => status)).toEqual([200, 303, 200, 303, 200]);
    for (const reply of replies) expectSafePage(reply);
  });

  it('M33 for refusals: 400, 401, 403, 405, 413, 415, 429', async () => {
    const browser = site.browser();
    const csrf = fieldOf(await browser.get(linkOf(site.links().owner)), 'csrf') ?? '';
    const replies = [
      await browser.post(SIGN_IN, { csrf, unknown: 'x' }),
      await browser.post(SIGN_IN, { csrf, token: 'A'.repeat(43) }),
      await browser.post(SIGN_IN, { csrf: 'x' }),
      await site.browser('keys.example.com').get(SIGN_IN),
      await browser.get(SIGN_OUT),
      await browser.post(SIGN_IN, { csrf, token: 'x'.repeat(16_385) }),
      await browser.post(SIGN_IN, { csrf }, { 'content-encoding': 'gzip' }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 401, 403, 403, 405, 413, 415]);
    let last = replies[1];
    for (let tries = 0; tries < 10; tries += 1) last = await browser.post(SIGN_IN, { csrf, token: 'A'.repeat(43) });
    expect(last?.status).toBe(429);
    for (const reply of [...replies, ...(last === undefined ? [] : [last])]) expectSafePage(reply);
  });
});

describe('the Dashboard', () => {
  const at = managed('memory');
  const dashboard = servedDashboard(at);
  const out = servedDashboard(at, {
    management: altered(at, ({ keys }) => ({
      keys: { ...keys, list: () => Promise.reject(new ManagementError('unavailable', 'out of reach')) },
    })),
  });

  it('M33 for refused forms: 400, 403, 409, 415, and for a store that cannot be reached: 503', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'keys');
    const browser = dashboard.browser(holder.owner);
    const replies = [
      await browser.post('/keys', newForm('keys', { expiresAt: 'x' })),
      await dashboard.browser(holder.developer).post(`/keys/${id}/disable`, { version: '1' }),
      await browser.post(`/keys/${id}/disable`, { version: '9' }),
      await browser.post('/keys', newForm('keys'), { 'content-encoding': 'gzip' }),
      await out.browser(holder.owner).get('/'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([400, 403, 409, 415, 503]);
    for (const reply of replies) expectSafePage(reply);
  });
});
