import { describe, expect, it } from '@jest/globals';
import type { SignInOptions } from 'keyward/dashboard';
import { HttpError } from '../../../lib/dashboard/http/http-error.js';
import { signInPages } from '../../../lib/dashboard/sign-in/sign-in-pages.js';
import { managed } from '../../support/managed.js';
import type { Reply } from '../served-dashboard.js';
import { BASE, DEVELOPER, OWNER, READER, wholeOf } from '../whole-page.js';
import { type Browser, MOUNT, signInSite } from './sign-in-browser.js';

const at = managed('memory');
const site = signInSite(at);
const branded = signInSite(
  at,
  (): Partial<SignInOptions> => ({
    ...{ productName: 'Acme & Co', stylesheet: '/theme.css', help: 'Ask <Kim>.', store: undefined },
  }),
);

/** A whole response, with constants in the place of what is random. */
function fixed({ status, headers, body }: Reply): string {
  const { date: _, 'content-length': _length, 'set-cookie': cookies = [], ...others } = headers;
  const lines = { ...others, ...Object.fromEntries(cookies.map((cookie, index) => [`set-cookie ${index}`, cookie])) };
  const text = wholeOf({ status, headers: lines as Record<string, string>, body });
  return text
    .replace(/(?<=name="csrf" value=")[\w-]{22}(?=")/g, 'TOKEN')
    .replace(/(?<=name="token" value=")[\w-]{43}(?=")/g, 'LINK')
    .replace(/(?<=-csrf=)[\w-]{22}/g, 'TOKEN')
    .replace(/(?<=-session-[\w-]{16}=)[\w.-]+/g, 'SESSION')
    .replace(/127\.0\.0\.1:\d+/g, 'HOST');
}

const pathOf = (url: string) => url.slice(new URL(url).origin.length);
const page = (browser: Browser, path = '/sign-in') => browser.get(`${MOUNT}${path}`);

describe('the pages of the sign-in', () => {
  it.each([
    ['with defaults', { help: 'To get a link, ask.', productName: 'keyward', stylesheet: undefined }],
    ['with the look of a site', { help: 'Ask <Kim>.', productName: 'Acme & Co', stylesheet: '/theme.css' }],
  ])('%s', (_name, options) => {
    const pages = signInPages(options);
    expect(wholeOf(pages.explain(BASE))).toMatchSnapshot('without a link');
    expect(wholeOf(pages.confirm(BASE, OWNER, 'LINK', 'TOKEN'))).toMatchSnapshot('with a link');
    const refused = new HttpError(429, 'Too many attempts', 'Try again later.', { 'Retry-After': '5' });
    expect(wholeOf(pages.refuse(BASE, refused))).toMatchSnapshot('refused');
  });

  it.each([OWNER, DEVELOPER, READER])('names the role of the member $id', (member) => {
    const { body } = signInPages({ help: '', productName: '', stylesheet: undefined }).confirm(BASE, member, '', '');
    expect(/<p>This link.*<\/p>/.exec(String(body))?.[0]).toMatchSnapshot();
  });
});

describe('a sign-in', () => {
  it('responds to each step', async () => {
    const browser = site.browser();
    const { owner } = site.links();
    expect(fixed(await page(browser))).toMatchSnapshot('1 without a link');
    const link = await browser.get(pathOf(owner));
    expect(fixed(link)).toMatchSnapshot('2 with a link');
    const signedIn = await browser.press(link, `${MOUNT}/sign-in`);
    expect(fixed(signedIn)).toMatchSnapshot('3 signed in');
    expect(fixed(await browser.press(link, `${MOUNT}/sign-in`))).toMatchSnapshot('4 sent again');
    expect(fixed(await browser.get(pathOf(owner)))).toMatchSnapshot('5 the link again, signed in');
    expect(fixed(await site.browser().get(pathOf(owner)))).toMatchSnapshot('6 the link in another browser');
    expect(fixed(await browser.press(link, `${MOUNT}/sign-out`))).toMatchSnapshot(
      '7 sign-out with a field that it has not',
    );
    const csrf = browser.cookies.get('__Host-keyward-csrf') ?? '';
    expect(fixed(await browser.post(`${MOUNT}/sign-out`, { csrf }))).toMatchSnapshot('8 signed out');
    expect(fixed(await page(browser, '/'))).toMatchSnapshot('9 the Dashboard, signed out');
  });

  it('refuses other methods, other sites and hosts without TLS', async () => {
    const browser = site.browser();
    const { developer } = site.links();
    expect(fixed(await browser.post(`${MOUNT}/sign-in`, { csrf: 'x' }))).toMatchSnapshot('a form without a cookie');
    expect(fixed(await browser.post(`${MOUNT}/sign-in`, {}, { origin: 'https://evil.example' }))).toMatchSnapshot(
      'another site',
    );
    expect(fixed(await page(browser, '/sign-out'))).toMatchSnapshot('the address of the sign-out');
    expect(fixed(await site.browser('keys.example').get(pathOf(developer)))).toMatchSnapshot('a host without TLS');
  });

  it('has the look of the site', async () => {
    const browser = branded.browser();
    expect(fixed(await page(browser))).toMatchSnapshot('without a link');
    expect(fixed(await browser.get(pathOf(branded.links().developer)))).toMatchSnapshot('with a link');
    expect(fixed(await browser.get(`${MOUNT}/sign-in?token=${'a'.repeat(43)}`))).toMatchSnapshot(
      'with an unknown link',
    );
  });
});
