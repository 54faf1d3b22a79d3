import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createDashboard, createSignIn, type SignIn } from 'keyward/dashboard';
import { managed, OPERATOR, storyOf } from '../../support/managed.js';
import { type Served, serve } from '../../support/raw-http.js';
import { KEY_TYPES, newForm, PATH } from '../key-forms.js';
import { fieldOf, servedDashboard } from '../served-dashboard.js';
import { Browser, MOUNT as SITE, signInSite } from './sign-in-browser.js';

const KEY = Buffer.alloc(32, 7);

describe('two Dashboards on one host', () => {
  const at = managed('memory');
  const signIns = new Map<string, SignIn>();
  let served: Served;

  beforeAll(async () => {
    const app = express();
    for (const path of ['/one', '/two', '/one/inner']) {
      const signIn = createSignIn({
        url: `http://127.0.0.1${path}`,
        members: [{ id: `owner of ${path}`, account: 'acc_apart', permissions: ['owner'] }],
        sessionKey: KEY,
        store: at.store,
        clock: at.clock,
      });
      const { memberOf, signInUrl, signOutUrl } = signIn;
      const dashboard = createDashboard({
        management: at.management,
        memberOf,
        signInUrl,
        signOutUrl,
        clock: at.clock,
      });
      signIns.set(path, signIn);
      app.use(new RegExp(`^${path}(?=/|$)(?!/inner)`), signIn.router, dashboard);
    }
    await at.management.accounts.put(OPERATOR, 'acc_apart', { apis: ['payments'] });
    served = await serve(app);
  });

  afterAll(() => served.close());

  const linkTo = (path: string) => String(signIns.get(path)?.links()[0]?.url);
  const statusOf = async (browser: Browser, path: string) => (await browser.get(`${path}/`)).status;

  it('N35 a sign-in to one keeps the session of the other, and each shows its own member', async () => {
    const browser = new Browser(served.port);
    await browser.signIn(linkTo('/one'));
    expect([await statusOf(browser, '/one'), await statusOf(browser, '/two')]).toEqual([200, 401]);
    await browser.signIn(linkTo('/two'));
    for (const path of ['/one', '/two']) expect((await browser.get(`${path}/`)).body).toContain(`owner of ${path}`);
  });

  it('N35 a sign-out of one keeps the session of the other', async () => {
    const browser = new Browser(served.port);
    for (const path of ['/one', '/two']) await browser.signIn(linkTo(path));
    await browser.press(await browser.get('/one/'), '/one/sign-out');
    expect([await statusOf(browser, '/one'), await statusOf(browser, '/two')]).toEqual([401, 200]);
  });

  it('N35 the session of one is not valid at the other, whatever the name of the cookie', async () => {
    const browser = new Browser(served.port);
    await browser.signIn(linkTo('/one'));
    await browser.signIn(linkTo('/two'));
    const [one, two] = [...browser.cookies].filter(([name]) => name.startsWith('__Host-keyward-session'));
    expect(one?.[0]).not.toBe(two?.[0]);
    browser.cookies.set(String(two?.[0]), String(one?.[1]));
    expect([await statusOf(browser, '/one'), await statusOf(browser, '/two')]).toEqual([200, 401]);
  });
});

describe('the sign-in', () => {
  const at = managed('memory');
  const site = signInSite(at);
  const link = (url: string) => new URL(url).pathname + new URL(url).search;
  const storyIn = async () =>
    (await storyOf(at.management, { id: 'x', account: 'acc_sign_in', permissions: ['owner'] })).filter(
      ({ action }) => action !== 'account.put',
    );

  it.each([
    ['developer', 'the developer', 'Developer'],
    ['owner', 'the owner', 'Owner'],
  ] as const)('N35 the page of a link of the %s names whose it is', async (role, id, title) => {
    const { body } = await site.browser().get(link(site.links()[role]));
    expect(body).toContain(`to the account <bdi>acc_sign_in</bdi> as <bdi>${id}</bdi> (${title}).`);
  });

  it('N35 a sign-out has an entry with actor and address', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    at.clock.advance(1_000);
    await browser.press(await browser.get(`${SITE}/`), `${SITE}/sign-out`);
    expect((await storyIn()).slice(-2)).toMatchObject([
      { action: 'sign_in', actor: 'the owner', outcome: 'done' },
      { action: 'sign_out', actor: 'the owner', role: 'owner', outcome: 'done', origin: '127.0.0.1' },
    ]);
  });

  it('N35 a repeated sign-out, or one without a session, has no entry', async () => {
    const browser = site.browser();
    await browser.signIn(site.links().owner);
    const home = await browser.get(`${SITE}/`);
    await browser.press(home, `${SITE}/sign-out`);
    const before = (await storyIn()).length;
    expect((await browser.press(home, `${SITE}/sign-out`)).status).toBe(303);
    expect(await storyIn()).toHaveLength(before);
  });

  it('N36 a repeated sign-in: still signed in, one entry, and no failure counted', async () => {
    const { owner } = site.links();
    const browser = site.browser();
    const page = await browser.get(link(owner));
    expect((await browser.press(page, `${SITE}/sign-in`)).status).toBe(303);
    const before = await storyIn();
    for (let times = 0; times < 20; times += 1) {
      expect((await browser.press(page, `${SITE}/sign-in`)).headers.location).toBe(`${SITE}/`);
      expect((await browser.get(link(owner))).headers.location).toBe(`${SITE}/`);
    }
    expect((await browser.get(`${SITE}/`)).status).toBe(200);
    expect(await storyIn()).toEqual(before);
  });

  it('a link that was used is refused to the session of another member', async () => {
    const { owner, developer } = site.links();
    const browser = site.browser();
    await browser.signIn(developer);
    await site.browser().signIn(owner);
    expect((await browser.get(link(owner))).status).toBe(401);
    expect((await browser.spend(owner)).status).toBe(401);
  });
});

describe('a disabled account', () => {
  const at = managed('memory');
  const dashboard = servedDashboard(at);

  it.each(KEY_TYPES)('N35 the page says that it is disabled, and none of %s is created', async (keyType) => {
    const holder = await at.account();
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    const browser = dashboard.browser(holder.owner);
    const list = await browser.get(keyType === 'keys' ? '/' : '/access-keys');
    expect(list.body).toContain('Your account is disabled');
    expect(list.body).not.toContain(`class="button" href="/admin/keys${PATH[keyType]}/new"`);
    const kinds = await browser.get('/keys/new');
    expect([kinds.body.includes('you cannot create keys'), kinds.body.includes('class="card"')]).toEqual([true, false]);
    const form = await browser.get(keyType === 'keys' ? '/keys/new?kind=secret' : '/access-keys/new');
    expect(form.body).toContain('you cannot create keys');
    expect(fieldOf(form, 'formId')).toBeUndefined();
    expect((await browser.post(PATH[keyType], newForm(keyType))).status).toBe(403);
    expect((await at.management[keyType].list(holder.owner)).items).toEqual([]);
  });
});
