import { describe, expect, it, jest } from '@jest/globals';
import type { Request } from 'express';
import { createSignIn, type SignInOptions } from 'keyward/dashboard';
import { StoreError } from 'keyward/store';
import { eavesdrop } from '../../support/eavesdrop.js';
import { managed, storyOf } from '../../support/managed.js';
import { sendRaw } from '../../support/raw-http.js';
import { newForm } from '../key-forms.js';
import { formTokenIn, type Reply } from '../served-dashboard.js';
import { MOUNT, SESSION, signInSite } from './sign-in-browser.js';

const SIGN_IN = `${MOUNT}/sign-in`;
const HOME = `${MOUNT}/`;

describe('a sign-in link', () => {
  const at = managed('memory');
  const site = signInSite(at);

  it.each(['developer', 'owner'] as const)('signs the %s in with a button', async (role) => {
    const browser = site.browser();
    const signedIn = await browser.signIn(site.links()[role]);
    expect(signedIn).toMatchObject({ status: 303, headers: { location: HOME } });
    const home = await browser.get(HOME);
    expect(home.status).toBe(200);
    expect(home.body).toContain(`the ${role}`);
  });

  it('has 256 random bits, different each time', () => {
    const tokens = [1, 2].flatMap(() => site.signIn.links()).map(({ url }) => /\?token=([\w-]+)$/.exec(url)?.[1] ?? '');
    expect(new Set(tokens).size).toBe(4);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  it('is not sent anywhere by its page, not even to the own server as Referer', async () => {
    const { pathname, search } = new URL(site.links().owner);
    const { body, headers } = await site.browser().get(pathname + search);
    expect(headers['referrer-policy']).toBe('no-referrer');
    // A form under no-referrer would come with `Origin: null`.
    expect(body.indexOf('<meta name="referrer" content="strict-origin">')).toBeGreaterThan(0);
    expect(body.indexOf('<meta name="referrer"')).toBeLessThan(body.indexOf('<form'));
  });

  it('is not used up by programs that prefetch it', async () => {
    const { owner } = site.links();
    const { pathname, search } = new URL(owner);
    for (const _ of [1, 2, 3]) {
      const scanner = site.browser();
      const page = await scanner.get(pathname + search);
      expect(page).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } });
      expect(scanner.cookies.has(SESSION)).toBe(false);
    }
    expect((await site.browser().signIn(owner)).status).toBe(303);
  });

  it('works once', async () => {
    const { owner } = site.links();
    expect((await site.browser().signIn(owner)).status).toBe(303);
    expect((await site.browser().signIn(owner)).status).toBe(401);
    expect((await site.browser().spend(owner)).status).toBe(401);
  });

  it.each([
    ['was used', async (link: string) => void (await site.browser().signIn(link))],
    ['has expired', async () => at.clock.advance(900_000)],
  ])('that %s has a page without a button, which explains how to get another link', async (_what, end) => {
    const { owner } = site.links();
    const { pathname, search } = new URL(owner);
    expect((await site.browser().get(pathname + search)).body).toContain('<button>Sign in</button>');
    await end(owner);
    const page = await site.browser().get(pathname + search);
    expect(page.status).toBe(401);
    expect(page.body).toContain('This sign-in link has already been used, has expired, or is not valid.');
    expect(page.body).toContain('To get a sign-in link, contact support.');
    expect(page.body).not.toContain('<form');
  });

  it('opened in two tabs signs in once, and the other tab does not end the session', async () => {
    const { owner } = site.links();
    const { pathname, search } = new URL(owner);
    const browser = site.browser();
    const [one, other] = [await browser.get(pathname + search), await browser.get(pathname + search)];
    expect((await browser.press(one, pathname)).status).toBe(303);
    const late = await browser.press(other, pathname);
    expect([late.status, late.headers.location]).toEqual([303, HOME]);
    expect((await browser.get(HOME)).status).toBe(200);
  });

  it('used in two tabs concurrently signs in once', async () => {
    const { owner } = site.links();
    const answers = await Promise.all([1, 2, 3].map(() => site.browser().signIn(owner)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401]);
  });

  it('ends when a new one is made', async () => {
    const { owner } = site.links();
    const next = site.links().owner;
    expect((await site.browser().signIn(owner)).status).toBe(401);
    expect((await site.browser().signIn(next)).status).toBe(303);
  });

  it('is valid for 15 minutes', async () => {
    const { owner, developer } = site.links();
    at.clock.advance(899_999);
    expect((await site.browser().signIn(owner)).status).toBe(303);
    at.clock.advance(1);
    expect((await site.browser().signIn(developer)).status).toBe(401);
  });

  it('is not valid for longer if the clock was ahead and is corrected', async () => {
    const { owner, developer } = site.links();
    at.clock.setWall(-3_600_000);
    at.clock.advance(899_999);
    expect((await site.browser().signIn(owner)).status).toBe(303);
    at.clock.advance(1);
    expect((await site.browser().signIn(developer)).status).toBe(401);
  });

  it('is not valid for longer if the machine sleeps', async () => {
    const { owner } = site.links();
    at.clock.suspend(900_000);
    expect((await site.browser().signIn(owner)).status).toBe(401);
  });

  it('that is refused or missing leads to the instructions', async () => {
    for (const path of [SIGN_IN, `${SIGN_IN}?token=`, `${SIGN_IN}?token=short`, `${SIGN_IN}?token=%22%3E%3Cb%3E`]) {
      const page = await site.browser().get(path);
      expect(page.status).toBe(200);
      expect(page.body).toContain('To get a sign-in link, contact support.');
      expect(page.body).not.toContain('<form');
    }
  });

  it('has a path in lower case', async () => {
    expect((await site.browser().get(SIGN_IN.toUpperCase().replace(MOUNT.toUpperCase(), MOUNT))).status).toBe(404);
  });

  it('is explained on the page for visitors who are not signed in', async () => {
    const page = await site.browser().get(HOME);
    expect(page.status).toBe(401);
    expect(page.body).toContain(`href="${SIGN_IN}"`);
  });

  it.each([
    ['GET', `${MOUNT}/sign-out`, 'POST'],
    ['PUT', SIGN_IN, 'GET, HEAD, POST'],
  ])('M26 %s %s: 405', async (method, path, allow) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${site.port}${path}`, {
      method,
      headers: { connection: 'close' },
    });
    expect([status, headers.get('allow')]).toEqual([405, allow]);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

describe('a sign-in form that is sent twice at once', () => {
  const at = managed('memory');
  let isAway = false;
  const site = signInSite(at, () => {
    const { repository } = at.store;
    const away = () => Promise.reject(new StoreError('store_unavailable', 'no disk'));
    const transact: typeof repository.transact = (work) => (isAway ? away() : repository.transact(work));
    const { resolveKey, ready } = at.store;
    return { store: { ...at.store, resolveKey, ready, repository: { ...repository, transact } } };
  });
  const signIns = async () => {
    const member = { id: 'a look', account: 'acc_sign_in', permissions: ['reader'] } as const;
    return (await storyOf(at.management, member)).filter(({ action }) => action === 'sign_in');
  };

  async function opened(url = site.links().owner) {
    const browser = site.browser();
    const page = await browser.get(new URL(url).pathname + new URL(url).search);
    return { browser, page, url };
  }

  it('starts one session, which both answers set, with one entry in the audit log', async () => {
    const before = await signIns();
    const { browser, page } = await opened();
    const answers = await Promise.all([1, 2].map(() => browser.press(page, SIGN_IN)));
    expect(answers.map(({ status, headers }) => [status, headers.location])).toEqual([
      [303, HOME],
      [303, HOME],
    ]);
    const [one, other] = answers.map(({ headers }) => headers['set-cookie']);
    expect(one).toHaveLength(1);
    expect(other).toEqual(one);
    expect((await browser.get(HOME)).status).toBe(200);
    expect((await signIns()).slice(before.length)).toEqual([
      expect.objectContaining({ actor: 'the owner', outcome: 'done' }),
    ]);
  });

  it('is not counted as a bad link', async () => {
    const { browser, page } = await opened();
    const answers = await Promise.all(Array.from({ length: 12 }, () => browser.press(page, SIGN_IN)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(303));
    expect((await site.browser().get(`${SIGN_IN}?token=${'A'.repeat(43)}`)).status).toBe(401);
  });

  it('signs in the browser that did not get the first answer, for ten seconds', async () => {
    const { browser, page } = await opened();
    await browser.press(page, SIGN_IN);
    at.clock.advance(9_999);
    browser.cookies.delete(SESSION);
    expect((await browser.press(page, SIGN_IN)).status).toBe(303);
    expect((await browser.get(HOME)).status).toBe(200);
    at.clock.advance(1);
    browser.cookies.delete(SESSION);
    expect((await browser.press(page, SIGN_IN)).status).toBe(401);
  });

  it('leads a browser that is still signed in to the Dashboard, also after ten seconds', async () => {
    const { browser, page } = await opened();
    await browser.press(page, SIGN_IN);
    at.clock.advance(10_000);
    const late = await browser.press(page, SIGN_IN);
    expect([late.status, late.headers.location, late.headers['set-cookie']]).toEqual([303, HOME, undefined]);
  });

  it('does not sign in another browser', async () => {
    const { browser, page, url } = await opened();
    const other = await opened(url);
    const answers = await Promise.all([browser.press(page, SIGN_IN), other.browser.press(other.page, SIGN_IN)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401]);
    expect((await site.browser().spend(url)).status).toBe(401);
  });

  it('does not sign in again after a sign-out, or after the sessions of the member were ended', async () => {
    const { browser, page } = await opened();
    await browser.press(page, SIGN_IN);
    await browser.press(await browser.get(HOME), `${MOUNT}/sign-out`);
    const late = await browser.press(page, SIGN_IN);
    expect([late.status, late.headers['set-cookie']]).toEqual([401, undefined]);
    const next = await opened();
    await next.browser.press(next.page, SIGN_IN);
    site.signIn.endSessions('the owner');
    expect((await next.browser.press(next.page, SIGN_IN)).status).toBe(401);
  });

  it('replaces the session of another member', async () => {
    const { developer, owner } = site.links();
    const browser = site.browser();
    await browser.signIn(developer);
    const page = await browser.get(SIGN_IN + new URL(owner).search);
    const answers = await Promise.all([1, 2].map(() => browser.press(page, SIGN_IN)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303]);
    expect((await browser.get(HOME)).body).toContain('the owner');
  });

  it('is answered 503 twice if the audit log cannot be written, and the link stays valid', async () => {
    const { browser, page } = await opened();
    const heard = eavesdrop();
    isAway = true;
    const answers = await Promise.all([1, 2].map(() => browser.press(page, SIGN_IN)));
    isAway = false;
    heard.stop();
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect((await browser.press(page, SIGN_IN)).status).toBe(303);
  });
});

describe('a form that was not sent from the page of the link', () => {
  const at = managed('memory');
  const site = signInSite(at);

  it.each([
    ['another origin', { origin: 'https://evil.test' }, {}],
    ['no origin that it states', { origin: 'null' }, {}],
    ['another site', { 'sec-fetch-site': 'cross-site' }, {}],
    ['another type', { 'content-type': 'text/plain' }, {}],
    ['no token', {}, { csrf: '' }],
    ["another browser's token", {}, { csrf: 'A'.repeat(22) }],
  ])('M25 %s: 403, and the link is not used up', async (_what, headers, fields) => {
    const { owner } = site.links();
    const { pathname, search, searchParams } = new URL(owner);
    const browser = site.browser();
    const page = await browser.get(pathname + search);
    const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const token = String(searchParams.get('token'));
    const heard = eavesdrop();
    const refused = await browser.post(SIGN_IN, { token, csrf, ...fields }, headers);
    heard.stop();
    expect(refused.status).toBe(403);
    expect(heard.heard('keyward:dashboard')).toMatchObject([
      { warning: 'cross_site', method: 'POST', route: '/sign-in' },
    ]);
    expect(browser.cookies.has(SESSION)).toBe(false);
    expect((await browser.post(SIGN_IN, { token, csrf })).status).toBe(303);
  });

  it('without a link is refused like a bad link', async () => {
    const { pathname, search } = new URL(site.links().owner);
    const browser = site.browser();
    const csrf = formTokenIn(await browser.get(pathname + search));
    expect((await browser.post(SIGN_IN, { csrf })).status).toBe(401);
  });

  it('M25 a sign-out from another site: 403, and the session continues', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    expect((await browser.post(`${MOUNT}/sign-out`, {}, { origin: 'https://evil.test' })).status).toBe(403);
    expect((await browser.get(HOME)).status).toBe(200);
  });
});

describe('the redirect after sign-in', () => {
  const at = managed('memory');
  const site = signInSite(at);

  it.each(['//evil.test', '/\\evil.test', 'https:evil.test', '/%0d%0aLocation:%20https://evil.test'])(
    'M35 next=%s: always a path of the Dashboard',
    async (next) => {
      const { owner } = site.links();
      const { pathname, search, searchParams } = new URL(owner);
      const browser = site.browser();
      const query = `${search}&next=${next}&return_to=${next}`;
      const page = await browser.get(pathname + query);
      expect(page.body).not.toContain('evil.test');
      const fields = {
        token: String(searchParams.get('token')),
        csrf: String(browser.cookies.get('__Host-keyward-csrf')),
      };
      const refused = await browser.post(`${pathname}?next=${next}`, { ...fields, next });
      expect([refused.status, refused.headers.location]).toEqual([400, undefined]);
      const response = await browser.post(`${pathname}?next=${next}`, fields);
      expect([response.status, response.headers.location]).toEqual([303, HOME]);
    },
  );

  it('M43 a forged host: links use the URL of the options', async () => {
    const links = site.links();
    const browser = site.browser();
    for (const { body, headers } of [
      await browser.get(HOME, { 'x-forwarded-host': 'evil.test' }),
      await browser.get(new URL(links.owner).pathname + new URL(links.owner).search, {
        'x-forwarded-host': 'evil.test',
      }),
      await browser.signIn(links.owner, { 'x-forwarded-host': 'evil.test' }),
    ]) {
      expect(body + headers.location).not.toContain('evil.test');
    }
    expect(new URL(links.owner).host).toBe('127.0.0.1');
  });
});

describe('failed attempts', () => {
  const at = managed('memory');
  const site = signInSite(
    at,
    () => ({}),
    (app) => app.set('trust proxy', 1),
  );
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('M30 an unknown, a used and an expired link get the same status, text and headers', async () => {
    const { owner: used, developer: expired } = site.links();
    expect((await site.browser().signIn(used, from('192.0.2.1'))).status).toBe(303);
    at.clock.advance(900_000);
    const unknown = `http://127.0.0.1${SIGN_IN}?token=${'A'.repeat(43)}`;
    const answers = [];
    for (const url of [unknown, used, expired]) {
      const { status, body, headers } = await site.browser().spend(url, from('192.0.2.1'));
      const { date: _, ...rest } = headers;
      answers.push({ status, body, headers: rest });
    }
    expect(answers[0]?.status).toBe(401);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  it('M30 after ten failures from one network, further failures are throttled, but a valid link is not', async () => {
    const unknown = `http://127.0.0.1${SIGN_IN}?token=${'B'.repeat(43)}`;
    for (let tries = 0; tries < 10; tries += 1) {
      expect((await site.browser().spend(unknown, from('192.0.2.2'))).status).toBe(401);
    }
    const refused = await site.browser().spend(unknown, from('192.0.2.2'));
    expect(refused.status).toBe(429);
    expect(refused.body).toContain('Too many attempts');
    expect(refused.body).toContain('Too many invalid sign-in links were opened from your network. Try again later.');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await site.browser().signIn(site.links().owner, from('192.0.2.2'))).status).toBe(303);
    expect((await site.browser().spend(unknown, from('192.0.2.3'))).status).toBe(401);
  });

  it('M30 the addresses of one /64 count as one network', async () => {
    const unknown = `http://127.0.0.1${SIGN_IN}?token=${'C'.repeat(43)}`;
    for (let host = 1; host <= 10; host += 1)
      expect((await site.browser().spend(unknown, from(`2001:db8:1:2::${host}`))).status).toBe(401);
    expect((await site.browser().spend(unknown, from('2001:db8:1:2:ffff::1'))).status).toBe(429);
    expect((await site.browser().spend(unknown, from('2001:db8:1:3::1'))).status).toBe(401);
  });
});

describe('a bad link that is only opened', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({}));

  it('counts as a failed sign-in, since its page has no form', async () => {
    const open = async () => (await site.browser().get(`${SIGN_IN}?token=${'E'.repeat(43)}`)).status;
    for (let tries = 0; tries < 10; tries += 1) expect(await open()).toBe(401);
    const heard = eavesdrop();
    expect(await open()).toBe(429);
    heard.stop();
    expect(heard.heard('keyward:dashboard')).toEqual([]);
    const member = { id: 'a look', account: 'acc_sign_in', permissions: ['developer'] } as const;
    expect((await storyOf(at.management, member)).at(-1)).toMatchObject({
      ...{ actor: 'unknown', action: 'sign_in', outcome: 'refused', after: { refused: 'bad_link', count: 10 } },
    });
  });
});

describe('the audit log', () => {
  const at = managed('memory');
  const site = signInSite(
    at,
    () => ({}),
    (app) => app.set('trust proxy', 1),
  );

  it('M40 failed and successful sign-in: one entry each, without the link', async () => {
    const { owner } = site.links();
    const from = { 'x-forwarded-for': '203.0.113.9' };
    await site.browser().signIn(owner, from);
    at.clock.advance(1);
    await site.browser().spend(owner, from);
    const member = { id: 'a look', account: 'acc_sign_in', permissions: ['developer'] } as const;
    const story = (await storyOf(at.management, member)).filter(({ action }) => action === 'sign_in');
    expect(story).toEqual([
      expect.objectContaining({ actor: 'the owner', role: 'owner', outcome: 'done', origin: '203.0.113.9' }),
      expect.objectContaining({ actor: 'unknown', role: null, outcome: 'refused', origin: '203.0.113.9' }),
    ]);
    expect(JSON.stringify(story)).not.toContain(new URL(owner).searchParams.get('token'));
  });

  it('has an IPv4 address as such, also from a socket for both versions', async () => {
    at.clock.advance(1_000);
    await site.browser().signIn(site.links().developer, { 'x-forwarded-for': '::ffff:203.0.113.9' });
    const member = { id: 'a look', account: 'acc_sign_in', permissions: ['developer'] } as const;
    expect((await storyOf(at.management, member)).at(-1)).toMatchObject({
      ...{ actor: 'the developer', action: 'sign_in', origin: '203.0.113.9' },
    });
  });

  it('N43 refused links from many networks: one entry a minute, with a count', async () => {
    at.clock.advance(60_000);
    const unknown = `http://127.0.0.1${SIGN_IN}?token=${'D'.repeat(43)}`;
    for (let network = 1; network <= 20; network += 1) {
      await site.browser().spend(unknown, { 'x-forwarded-for': `198.51.${network}.1` });
    }
    const member = { id: 'a look', account: 'acc_sign_in', permissions: ['developer'] } as const;
    const story = await storyOf(at.management, member);
    expect(story.at(-1)).toMatchObject({ action: 'sign_in', after: { refused: 'bad_link', count: 20 } });
    expect(story.filter(({ action, outcome }) => action === 'sign_in' && outcome === 'refused')).toHaveLength(2);
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    const text = (await browser.get(`${MOUNT}/audit`)).body.replace(/<[^>]+>/g, '');
    expect(text).toContain(
      'tried to sign in. Refused: the sign-in link had already been used, had expired, or was not valid.',
    );
    expect(text).toContain('attempts within a minute: 20');
  });
});

describe('an audit log that cannot be written', () => {
  const at = managed('memory');
  let isAway = false;
  const site = signInSite(at, () => {
    const { repository } = at.store;
    const away = () => Promise.reject(new StoreError('store_unavailable', 'no disk'));
    const transact: typeof repository.transact = (work) => (isAway ? away() : repository.transact(work));
    return {
      store: {
        ...at.store,
        resolveKey: at.store.resolveKey,
        ready: at.store.ready,
        repository: { ...repository, transact },
      },
    };
  });

  it('M41 nobody is signed in, and the link stays valid', async () => {
    const { owner } = site.links();
    const heard = eavesdrop();
    isAway = true;
    const refused = await site.browser().signIn(owner);
    isAway = false;
    heard.stop();
    expect(heard.heard('keyward:dashboard')).toMatchObject([{ warning: 'unavailable', route: '/sign-in' }]);
    expect(refused.status).toBe(503);
    expect(refused.headers['set-cookie']).toBeUndefined();
    expect((await site.browser().signIn(owner)).status).toBe(303);
  });

  it('a sign-out still ends the session, with an event for the operator', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    const home = await browser.get(HOME);
    const heard = eavesdrop();
    isAway = true;
    const left = await browser.press(home, `${MOUNT}/sign-out`);
    isAway = false;
    heard.stop();
    expect(left.status).toBe(303);
    expect(heard.heard('keyward:dashboard')).toMatchObject([{ warning: 'unavailable', route: '/sign-out' }]);
    expect((await browser.get(HOME)).status).toBe(401);
  });
});

describe('members of two accounts', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({
    members: [
      { id: 'the developer', account: 'acc_one', permissions: ['reader', 'developer'] },
      { id: 'the owner', account: 'acc_two', permissions: ['developer', 'owner'] },
    ],
  }));
  const storyIn = async (account: string) =>
    (await storyOf(at.management, { id: 'a look', account, permissions: ['reader'] })).filter(
      ({ action }) => action !== 'account.put',
    );

  it('an unknown link is in the audit log of each account, without the address; a sign-in only in that of the member', async () => {
    await at.management.accounts.put('operator', 'acc_one', {});
    await at.management.accounts.put('operator', 'acc_two', {});
    await site.browser().get(`${SIGN_IN}?token=${'F'.repeat(43)}`);
    const refused = { action: 'sign_in', actor: 'unknown', outcome: 'refused', origin: null };
    expect(await storyIn('acc_one')).toEqual([expect.objectContaining(refused)]);
    expect(await storyIn('acc_two')).toEqual([expect.objectContaining(refused)]);
    at.clock.advance(1_000);
    await site.browser().signIn(site.links().owner);
    expect(await storyIn('acc_one')).toHaveLength(1);
    expect((await storyIn('acc_two')).at(-1)).toMatchObject({ actor: 'the owner', role: 'owner', outcome: 'done' });
    const { body } = await (async () => {
      const browser = site.browser();
      await browser.signIn(site.links().owner);
      return browser.get(`${MOUNT}/audit`);
    })();
    expect(body.replace(/<[^>]+>/g, '')).toContain('Someone tried to sign in. Refused');
  });
});

describe('a link of one of two accounts', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({
    members: [
      { id: 'the developer', account: 'acc_three', permissions: ['developer'] },
      { id: 'the owner', account: 'acc_four', permissions: ['owner'] },
    ],
  }));

  it('that was used or has expired is only in the audit log of its account', async () => {
    await at.management.accounts.put('operator', 'acc_three', {});
    await at.management.accounts.put('operator', 'acc_four', {});
    const { owner: used, developer: expired } = site.links();
    await site.browser().signIn(used);
    expect((await site.browser().get(SIGN_IN + new URL(used).search)).status).toBe(401);
    expect((await site.browser().spend(used)).status).toBe(401);
    at.clock.advance(900_000);
    expect((await site.browser().signIn(expired)).status).toBe(401);
    const refusedIn = async (account: string) =>
      (await storyOf(at.management, { id: 'a look', account, permissions: ['reader'] }))
        .filter(({ outcome }) => outcome === 'refused')
        .map(({ after, origin }) => ({ after, origin }));
    const refused = { refused: 'bad_link' };
    expect(await refusedIn('acc_four')).toEqual([{ after: { ...refused, count: 2 }, origin: '127.0.0.1' }]);
    expect(await refusedIn('acc_three')).toEqual([{ after: refused, origin: '127.0.0.1' }]);
  });
});

describe('a form that is still open when another member signs in', () => {
  const at = managed('memory');
  const site = signInSite(at);
  const NEW = `${MOUNT}/keys/new?kind=secret`;

  it('is refused until its member signs in again; signing out is always possible', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().developer);
    const home = await browser.get(HOME);
    const form = { csrf: formTokenIn(await browser.get(NEW)), ...newForm('keys') };
    await browser.press(home, `${MOUNT}/sign-out`);
    expect((await browser.post(`${MOUNT}/keys`, form)).status).toBe(401);
    await browser.signIn(site.links().owner);
    const refused = await browser.post(`${MOUNT}/keys`, form);
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('as the owner')]);
    expect((await browser.press(home, `${MOUNT}/sign-out`)).status).toBe(303);
    await browser.signIn(site.links().developer);
    expect((await browser.post(`${MOUNT}/keys`, form)).status).toBe(201);
  });
});

describe('the role in the audit log', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({
    members: [
      { id: 'the developer', account: 'acc_sign_in', permissions: ['reader', 'developer'] },
      { id: 'the owner', account: 'acc_sign_in', permissions: ['owner', 'reader'] },
    ],
  }));

  it.each(['developer', 'owner'] as const)(
    'of a sign-in and a sign-out is the highest permission, as for other entries: %s',
    async (role) => {
      const browser = site.browser();
      await browser.signIn(site.links()[role]);
      at.clock.advance(1_000);
      const csrf = formTokenIn(await browser.get(`${MOUNT}/keys/new?kind=secret`));
      const form = { csrf, ...newForm('keys') };
      expect((await browser.post(`${MOUNT}/keys`, form)).status).toBe(201);
      at.clock.advance(1_000);
      await browser.press(await browser.get(HOME), `${MOUNT}/sign-out`);
      const story = await storyOf(at.management, { id: 'a look', account: 'acc_sign_in', permissions: ['reader'] });
      expect(story.filter(({ actor }) => actor === `the ${role}`).map((entry) => [entry.action, entry.role])).toEqual([
        ['sign_in', role],
        ['key.create', role],
        ['sign_out', role],
      ]);
    },
  );
});

describe('a cookie of the host app', () => {
  const at = managed('memory');
  const site = signInSite(
    at,
    () => ({}),
    (app) => {
      app.use((_req, res, next) => {
        res.cookie('theirs', '1');
        next();
      });
    },
  );
  const namesIn = ({ headers }: Reply) => headers['set-cookie']?.map((line) => line.split('=', 1).join());

  it('is kept beside those of the sign-in, the form and the sign-out', async () => {
    const browser = site.browser();
    const { pathname, search } = new URL(site.links().owner);
    const page = await browser.get(pathname + search);
    expect(namesIn(page)).toEqual(['theirs', '__Host-keyward-csrf']);
    expect(namesIn(await browser.press(page, SIGN_IN))).toEqual(['theirs', SESSION]);
    expect(namesIn(await browser.press(await browser.get(HOME), `${MOUNT}/sign-out`))).toEqual(['theirs', SESSION]);
  });

  it('is kept beside the form token and the renewed session of one response', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    browser.cookies.delete('__Host-keyward-csrf');
    at.clock.advance(60_000);
    expect(namesIn(await browser.get(HOME))).toEqual(['theirs', SESSION, '__Host-keyward-csrf']);
  });
});

describe('a sign-in without a store', () => {
  const at = managed('memory');
  const site = signInSite(at, () => ({ store: undefined, help: 'Call extension 42.' }));

  it('signs in and out, and refuses a used link', async () => {
    const browser = site.browser();
    const { owner } = site.links();
    expect((await browser.signIn(owner)).status).toBe(303);
    expect((await site.browser().signIn(owner)).status).toBe(401);
    const home = await browser.get(HOME);
    expect(home.status).toBe(200);
    expect((await browser.press(home, `${MOUNT}/sign-out`)).status).toBe(303);
    expect((await browser.get(HOME)).status).toBe(401);
  });

  it('shows the help of the operator, and links to the keys', async () => {
    const pages = [await site.browser().get(SIGN_IN), await site.browser().get(`${SIGN_IN}?token=${'G'.repeat(43)}`)];
    expect(pages.map(({ status }) => status)).toEqual([200, 401]);
    for (const { body } of pages) {
      expect(body).toContain('Call extension 42.');
      expect(body).not.toContain('contact support');
      expect(body).toContain(`<a href="${HOME}">Go to your keys</a>`);
    }
  });
});

describe('the pages of a sign-in', () => {
  const at = managed('memory');
  const plain = signInSite(at);
  const branded = signInSite(at, () => ({ productName: 'Acme & Co', stylesheet: '/theme.css' }));

  async function pagesOf(site: typeof plain): Promise<readonly string[]> {
    const { pathname, search } = new URL(site.links().owner);
    const paths = [pathname + search, SIGN_IN, `${SIGN_IN}?token=${'F'.repeat(43)}`];
    return await Promise.all(paths.map(async (path) => (await site.browser().get(path)).body));
  }

  it('have the name and the stylesheet of the product', async () => {
    for (const page of await pagesOf(branded)) {
      expect(page).toMatch(/<title>[^<]* - Acme &amp; Co<\/title>/);
      expect(page).toMatch(/assets\/style-[^>]*>\s*<link rel="stylesheet" href="\/theme\.css">/);
    }
    for (const page of await pagesOf(plain)) {
      expect(page).toMatch(/<title>[^<]* - keyward<\/title>/);
      expect(page.match(/rel="stylesheet"/g)).toHaveLength(1);
    }
  });
});

describe('a member who signed in by a link', () => {
  const at = managed('memory');
  const site = signInSite(
    at,
    () => ({}),
    (app) => app.set('trust proxy', 1),
  );

  it('has the address of each request in the audit log', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    const { key } = await at.management.keys.create(
      { id: 'x', account: 'acc_sign_in', permissions: ['owner'] },
      { kind: 'secret', apis: ['payments'] },
    );
    const page = await browser.get(`${MOUNT}/keys/${key.id}/revoke`);
    const csrf = formTokenIn(page);
    const from = { 'x-forwarded-for': '198.51.100.7' };
    expect((await browser.post(`${MOUNT}/keys/${key.id}/revoke`, { csrf, confirm: key.id }, from)).status).toBe(303);
    const story = await storyOf(at.management, { id: 'x', account: 'acc_sign_in', permissions: ['owner'] });
    expect(story.at(-1)).toMatchObject({ actor: 'the owner', action: 'key.revoke', origin: '198.51.100.7' });
  });
});

describe('memberOf', () => {
  const at = managed('memory');
  const site = signInSite(at);

  it('knows the member also where a session cannot be renewed', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    const headers = { cookie: `${SESSION}=${browser.cookies.get(SESSION)}` };
    at.clock.advance(120_000);
    const renew = jest.fn();
    for (const res of [undefined, { headersSent: true, appendHeader: renew }]) {
      const member = await site.signIn.memberOf({ headers, res, ip: '192.0.2.9' } as unknown as Request);
      expect(member).toMatchObject({ id: 'the owner', address: '192.0.2.9' });
    }
    expect(renew).not.toHaveBeenCalled();
    await site.signIn.memberOf({ headers, res: { headersSent: false, appendHeader: renew } } as unknown as Request);
    expect(renew).toHaveBeenCalledTimes(1);
  });
});

describe('without TLS', () => {
  const at = managed('memory');
  const site = signInSite(
    at,
    () => ({}),
    (app) => app.set('trust proxy', 1),
  );

  it.each(['keys.example.com', '192.0.2.7:4000', 'localhost.evil.test', '127.0.0.1.evil.test', 'notlocalhost'])(
    'at %j: the page says that https is needed, and does nothing',
    async (host) => {
      const { owner } = site.links();
      const { pathname, search } = new URL(owner);
      const browser = site.browser(host);
      const page = await browser.get(pathname + search);
      expect(page.status).toBe(403);
      expect(page.body).toContain('https');
      expect(page.headers['set-cookie']).toBeUndefined();
      const token = String(new URL(owner).searchParams.get('token'));
      expect((await browser.post(pathname, { token, csrf: 'x' })).status).toBe(403);
      expect((await site.browser().signIn(owner)).status).toBe(303);
    },
  );

  it('without the name of a host: the page says that https is needed', async () => {
    const page = await sendRaw(site.port, `GET ${SIGN_IN}${new URL(site.links().owner).search} HTTP/1.0\r\n\r\n`);
    expect(page).toMatchObject({ status: 403, body: expect.stringContaining('open the Dashboard over HTTPS') });
  });

  it('does not use up a link whose form is sent over http', async () => {
    const { owner } = site.links();
    const browser = site.browser('keys.example.com');
    const refused = await browser.spend(owner);
    expect([refused.status, refused.body]).toEqual([403, expect.stringContaining('open the Dashboard over HTTPS')]);
    expect(refused.headers['set-cookie']).toBeUndefined();
    expect((await site.browser().signIn(owner)).status).toBe(303);
  });

  it.each([
    'localhost',
    'localhost:3000',
    'keys.localhost:1',
    'eu.keys.localhost',
    '127.0.0.1',
    '127.9.9.9:80',
    '127.10.20.130',
    '[::1]:3000',
  ])('at %s it works', async (host) => {
    expect((await site.browser(host).signIn(site.links().owner)).status).toBe(303);
  });

  it('behind a trusted proxy that ends TLS it works with any host', async () => {
    const tls = { 'x-forwarded-proto': 'https', origin: 'https://keys.example.com' };
    const signedIn = await site.browser('keys.example.com').signIn(site.links().owner, tls);
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers['strict-transport-security']).toMatch(/^max-age=/);
  });
});

describe('createSignIn', () => {
  const member = { id: 'm', account: 'a', permissions: ['owner'] } as const;
  const good = { url: 'https://keys.example.com/dashboard', members: [member] };

  it.each<[string, object]>([
    ['url', { url: 'http://keys.example.com/dashboard' }],
    ['url', { url: 'https://keys.example.com/dashboard?a=b' }],
    ['url', { url: '' }],
    ['members', { members: [] }],
    ['members', { members: [member, { ...member }] }],
    ['members', { members: [{ ...member, account: '' }] }],
    ['members', { members: [{ ...member, id: 'm'.repeat(257) }] }],
    ['members', { members: 'everybody' }],
    ['help', { help: '' }],
    ['linkLifetime', { linkLifetime: 0 }],
    ['idleTimeout', { idleTimeout: 0.5 }],
    ['absoluteTimeout', { absoluteTimeout: 10 ** 9 }],
    ['sessionKey', { sessionKey: 'short' }],
    ['sessionKey', { sessionKey: new Uint8Array(31) }],
    ['store', { store: {} }],
    ['clock', { clock: {} }],
    ['lifetime', { lifetime: 1 }],
    ['members', { members: [{ ...member, permissions: ['Owner'] }] }],
    ['members', { members: [member, { ...member, id: 'lee', permissions: ['developer', 'admin'] }] }],
  ])('a wrong %s throws: %j', (name, wrong) => {
    const make = () => createSignIn({ ...good, ...wrong } as SignInOptions);
    expect(make).toThrow(TypeError);
    expect(make).toThrow(new RegExp(`createSignIn: .*"${name}"`));
    expect(make).not.toThrow(/short/);
  });

  it('says what it expects', () => {
    const make = (wrong: object) => () => createSignIn({ ...good, ...wrong } as SignInOptions);
    expect(make({ url: 'http://keys.example.com' })).toThrow(
      'an https URL (http only for a loopback host) without a query or fragment',
    );
    expect(make({ sessionKey: 'short' })).toThrow('32 bytes, as a Uint8Array or in base64url (43 characters)');
    expect(make({ members: [] })).toThrow(
      'a list of members, each with a unique id of at most 256 characters, an account and permissions ("reader", "developer" or "owner")',
    );
  });

  it.each([{ linkLifetime: 2_592_000 }, { idleTimeout: 2_592_000 }, { absoluteTimeout: 2_592_000 }])(
    'accepts at most 30 days: %j',
    (seconds) => {
      expect(() => createSignIn({ ...good, ...seconds })).not.toThrow();
      const more = Object.fromEntries(Object.entries(seconds).map(([name, value]) => [name, value + 1]));
      expect(() => createSignIn({ ...good, ...more })).toThrow(TypeError);
    },
  );

  it('accepts a session key as base64url with or without padding', () => {
    const sessionKey = Buffer.alloc(32, 7).toString('base64url');
    for (const text of [sessionKey, `${sessionKey}=`])
      expect(() => createSignIn({ ...good, sessionKey: text })).not.toThrow();
    expect(() => createSignIn({ ...good, sessionKey: `${sessionKey}==` })).toThrow(TypeError);
  });

  it('has a link for each member, by the member ID', () => {
    const members = ['kim', 'lee'].map((id) => ({ ...member, id }));
    const links = createSignIn({ ...good, members }).links();
    expect(links.map((link) => link.member)).toEqual(['kim', 'lee']);
  });

  it('derives links and paths from url', () => {
    for (const [url, path] of [
      ['https://keys.example.com/dashboard', '/dashboard'],
      ['https://keys.example.com/admin/keys/', '/admin/keys'],
      ['https://keys.example.com', ''],
    ]) {
      const { signInUrl, signOutUrl, links } = createSignIn({ ...good, url: String(url) });
      expect([signInUrl, signOutUrl]).toEqual([`${path}/sign-in`, `${path}/sign-out`]);
      expect(links()[0]?.url).toMatch(new RegExp(`^https://keys\\.example\\.com${path}/sign-in\\?token=[\\w-]{43}$`));
    }
  });
});
