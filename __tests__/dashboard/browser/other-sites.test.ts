import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sessionCookie } from '../../../lib/dashboard/sign-in/session-cookie.js';
import { openChromium } from '../../support/browser.js';
import { answerTo, formTokenOn, press } from '../../support/browser-forms.js';
import { browserSite, signIn } from '../../support/browser-site.js';
import { type Served, serve } from '../../support/raw-http.js';

const site = browserSite();
const chromium = openChromium();

/** Another site, by the name of its host, and another port of this one: cookies know no ports. */
const OTHERS = [
  ['another site', 'localhost'],
  ['another port of the same site', '127.0.0.1'],
] as const;

let other: Served;
let pageOfOther = '';
beforeAll(async () => {
  other = await serve((req, res) => {
    res.setHeader('Content-Type', 'text/html');
    res.end(req.url === '/harmless' ? '<!doctype html><p>harmless</p>' : pageOfOther);
  });
});
afterAll(() => other.close());

describe.each(OTHERS)('%s', (_name, host) => {
  const origin = () => `http://${host}:${other.port}`;

  it.each([
    ['a page', ''],
    ['a page that is not there', '/nothing/here'],
    ['the sign-in', '/sign-in'],
  ])('M34 cannot show %s in a frame', async (_what, path) => {
    const page = await site.enter(chromium, 'owner');
    pageOfOther = `<!doctype html><iframe src="/harmless"></iframe><iframe src="${site.url}${path}"></iframe>`;
    await page.goto(origin());
    const [, harmless, framed] = page.frames();
    expect(await harmless?.locator('p').textContent()).toBe('harmless');
    expect(framed?.url()).toBe('chrome-error://chromewebdata/');
    expect(chromium.troubles()).toEqual([expect.stringMatching(/frame/)]);
  });

  it('M25 cannot send a form, whatever it knows', async () => {
    const page = await site.enter(chromium, 'owner');
    const { key } = await site.management.keys.create(site.owner, { kind: 'secret', apis: ['payments'] });
    const path = `/keys/${key.id}/disable`;
    await page.goto(site.url + path.replace('/disable', ''));
    const token = await formTokenOn(page);
    for (const policy of ['no-referrer', 'unsafe-url']) {
      pageOfOther = `<!doctype html><meta name="referrer" content="${policy}">
<form method="post" action="${site.url}${path}"><input name="csrf" value="${token}"><input name="version" value="1"><button>Go</button></form>`;
      await page.goto(origin());
      const response = await answerTo(page, () => page.getByRole('button').click());
      expect(response.status()).toBe(403);
      expect((await response.request().allHeaders()).origin).toBe(policy === 'no-referrer' ? 'null' : origin());
      expect(await page.locator('h1').textContent()).toBe('Form not accepted');
    }
    expect((await site.management.keys.view(site.owner, key.id)).state).toBe('active');
  });

  it('M45 cannot read a page', async () => {
    const page = await site.enter(chromium, 'owner');
    pageOfOther = '<!doctype html><title>other</title>';
    await page.goto(origin());
    const read = `fetch('${site.url}', { credentials: 'include' }).then((answer) => answer.text(), (error) => error.name)`;
    expect(await page.evaluate(read)).toBe('TypeError');
    expect(chromium.troubles()).toContainEqual(expect.stringMatching(/blocked by CORS policy/));
  });

  it('has no access to the window that it opens', async () => {
    const page = await site.enter(chromium, 'owner');
    pageOfOther = `<!doctype html><button onclick="opened = window.open('${site.url}')">Open</button>`;
    await page.goto(origin());
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button').click()]);
    await popup.getByRole('heading', { name: /API keys|Not signed in/ }).waitFor();
    expect(await popup.evaluate('opener')).toBeNull();
    expect(await page.evaluate('opened.closed')).toBe(true);
  });
});

describe('pages of the Dashboard', () => {
  it.each([true, false])(
    'M25 send a valid Origin with their forms under no-referrer; with JavaScript: %s',
    async (javaScriptEnabled) => {
      const context = await chromium.context({ javaScriptEnabled });
      const page = await context.newPage();
      const sent: Promise<readonly [string, Record<string, string>]>[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'POST') return;
        sent.push(request.allHeaders().then((headers) => [new URL(request.url()).pathname, headers] as const));
      });
      expect((await page.goto(site.link('owner')))?.headers()['referrer-policy']).toBe('no-referrer');
      await press(page, 'Sign in');
      await page.goto(`${site.url}/access-keys/new`);
      await page.locator('[name=scopes]').first().check();
      expect((await press(page, 'Create an access key')).status()).toBe(201);
      if (javaScriptEnabled) await page.locator('[data-copy=text]').click();
      await press(page, 'Sign out');
      const forms = await Promise.all(sent);
      expect(forms.map(([path]) => path)).toEqual([
        '/dashboard/sign-in',
        '/dashboard/access-keys',
        '/dashboard/sign-out',
      ]);
      for (const [, headers] of forms) {
        expect(headers).toMatchObject({ origin: `http://127.0.0.1:${site.port}`, 'sec-fetch-site': 'same-origin' });
      }
    },
  );

  it.each(OTHERS)('that are open stay valid after a link from %s', async (_name, host) => {
    const page = await site.enter(chromium, 'owner');
    await page.goto(`${site.url}/access-keys/new`);
    await page.locator('[name=scopes]').first().check();
    const another = await page.context().newPage();
    pageOfOther = `<!doctype html><a href="${site.url}/audit">audit</a>`;
    await another.goto(`http://${host}:${other.port}`);
    expect((await press(another, 'audit', 'link')).status()).toBe(200);
    expect((await press(page, 'Create an access key')).status()).toBe(201);
  });

  it('send no referrer to other sites', async () => {
    const page = await signIn(await chromium.context(), site.link('owner'));
    pageOfOther = '<!doctype html><title>other</title>';
    await page.evaluate(
      `document.querySelector('main').innerHTML = '<a href="http://localhost:${other.port}/">away</a>'`,
    );
    const response = await press(page, 'away', 'link');
    expect((await response.request().allHeaders()).referer).toBeUndefined();
  });
});

describe('the session', () => {
  it.each(['127.0.0.1', 'localhost'])(
    'M28 is stored by the browser on http://%s, and scripts cannot read it',
    async (host) => {
      const context = await chromium.context();
      const page = await signIn(context, site.link('owner').replace('127.0.0.1', host));
      expect(await page.evaluate('document.cookie')).toBe('');
      const cookies = (await context.cookies()).map(({ name, value: _, ...attributes }) => [name, attributes]);
      const lax = { domain: host, path: '/', expires: -1, httpOnly: true, secure: true, sameSite: 'Lax' };
      expect(Object.fromEntries(cookies)).toEqual({
        '__Host-keyward-csrf': lax,
        [sessionCookie(site.url).name]: lax,
      });
    },
  );

  it('M27 ends at sign-out, also on the server: going back shows no keys', async () => {
    const context = await chromium.context();
    const page = await signIn(context, site.link('owner'));
    const kept = await context.cookies();
    await site.management.keys.create(site.owner, { kind: 'secret', apis: ['payments'], name: 'Not for others' });
    await page.goto(site.url);
    expect(await page.getByText('Not for others').count()).toBe(1);
    await press(page, 'Sign out');
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['__Host-keyward-csrf']);
    await page.goBack();
    expect(await page.getByText('Not for others').count()).toBe(0);
    await context.addCookies(kept);
    expect((await page.goto(site.url))?.status()).toBe(401);
  });

  it('M27 is a new one after signing in again', async () => {
    const context = await chromium.context();
    const sessionIn = async () =>
      (await context.cookies()).find(({ name }) => name === sessionCookie(site.url).name)?.value;
    await signIn(context, site.link('owner'));
    const first = await sessionIn();
    await signIn(context, site.link('owner'));
    expect(await sessionIn()).not.toBe(first);
  });

  it('M22 continues when the member follows a link from another site', async () => {
    const page = await signIn(await chromium.context(), site.link('owner'));
    pageOfOther = `<!doctype html><a href="${site.url}">to the keys</a>`;
    await page.goto(`http://localhost:${other.port}`);
    expect((await press(page, 'to the keys', 'link')).status()).toBe(200);
  });

  it.each(['//localhost', '/\\localhost', 'https:localhost', '%0d%0aLocation:%20http://localhost'])(
    'M35 starts on a page of the Dashboard, whatever next is: %s',
    async (next) => {
      const page = await chromium.page();
      await page.goto(`${site.link('owner')}&next=${next}:${other.port}/`);
      await press(page, 'Sign in');
      expect(page.url()).toBe(`${site.url}/`);
    },
  );
});
