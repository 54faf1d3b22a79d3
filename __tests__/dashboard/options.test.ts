import { describe, expect, it } from '@jest/globals';
import { createDashboard, type DashboardOptions } from 'keyward/dashboard';
import { hostile, managed } from '../support/managed.js';
import { newForm, PATH } from './key-forms.js';
import { servedDashboard } from './served-dashboard.js';

const at = managed('memory');
const memberOf = () => undefined;
const make = (options: object) => () =>
  createDashboard(hostile<DashboardOptions>({ management: at.management, memberOf, ...options }));

describe('createDashboard', () => {
  it.each<[string, unknown, string]>([
    ['management', undefined, 'an object with audit() and usage()'],
    ['management', {}, 'an object with audit() and usage()'],
    ['management', { audit: () => undefined }, 'an object with audit() and usage()'],
    ['management', { audit: () => undefined, usage: () => undefined }, 'the result of createManagement()'],
    ['memberOf', undefined, 'a function'],
    ['memberOf', {}, 'a function'],
    [
      'signInUrl',
      'sign-in',
      'an https URL (http only for a loopback host), or a path that starts with a single / and has no spaces or backslashes',
    ],
    [
      'signInUrl',
      '//evil.example',
      'an https URL (http only for a loopback host), or a path that starts with a single / and has no spaces or backslashes',
    ],
    [
      'signInUrl',
      '/\\evil.example',
      'an https URL (http only for a loopback host), or a path that starts with a single / and has no spaces or backslashes',
    ],
    [
      'signInUrl',
      'http://id.example.com',
      'an https URL (http only for a loopback host), or a path that starts with a single / and has no spaces or backslashes',
    ],
    [
      'signInUrl',
      'javascript:alert(1)',
      'an https URL (http only for a loopback host), or a path that starts with a single / and has no spaces or backslashes',
    ],
    ['signInUrl', '', 'a non-empty string'],
    ['signOutUrl', 'https://id.example.com/out', 'a path that starts with a single / and has no spaces or backslashes'],
    ['signOutUrl', '/a b', 'a path that starts with a single / and has no spaces or backslashes'],
    [
      'stylesheet',
      'https://cdn.example.com/x.css',
      'a path that starts with a single / and has no spaces or backslashes',
    ],
    ['apiUrl', 'api.example.com', 'an https URL (http only for a loopback host)'],
    ['apiUrl', 'http://api.example.com', 'an https URL (http only for a loopback host)'],
    ['tokenUrl', 7, 'a non-empty string'],
    ['productName', ' ', 'a name of 1 to 40 characters'],
    ['productName', 'x'.repeat(41), 'a name of 1 to 40 characters'],
    [
      'logoUrl',
      'https://cdn.example.com/logo.svg',
      'a path that starts with a single / and has no spaces or backslashes',
    ],
    ['clock', {}, 'an object with now() and monotonic()'],
  ])('refuses the option %s with the value %j', (name, value, expected) => {
    expect(make({ [name]: value })).toThrow(TypeError);
    expect(make({ [name]: value })).toThrow(`createDashboard: option "${name}" must be ${expected}`);
  });

  it('refuses an unknown option', () => {
    expect(make({ store: {} })).toThrow('createDashboard: unknown option "store"');
  });

  it('accepts a product name of 40 characters', () => {
    expect(make({ productName: 'x'.repeat(40) })).not.toThrow();
  });

  it.each(['/sign-in', '/', '/sign-in?to=keys', 'https://id.example.com/in'])(
    'accepts the sign-in URL %s',
    (signInUrl) => {
      expect(make({ signInUrl })).not.toThrow();
    },
  );
});

describe('pages', () => {
  const dashboard = servedDashboard(at, {
    ...{ signOutUrl: '/admin/out', stylesheet: '/theme.css', apiUrl: "https://api.example.com/o'neil" },
  });

  it('have a sign-out form with the token, if signOutUrl is set', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    const { body } = await browser.get('/audit');
    expect(body).toContain(
      `<form method="post" action="/admin/out"><input type="hidden" name="csrf" value="${browser.browserToken}"><button class="plain">Sign out</button></form>`,
    );
    // Under no-referrer browsers send forms with `Origin: null`.
    expect(body).toContain('<meta name="referrer" content="same-origin">');
  });

  it('load the stylesheet of the site after that of the Dashboard', async () => {
    const { body } = await dashboard.browser().get('/none');
    expect(body).toMatch(/assets\/style-[^>]*>\s*<link rel="stylesheet" href="\/theme\.css">/);
  });

  it('quote a URL for a shell', async () => {
    const form = {
      formId: '00000000-0000-4000-8000-000000000000',
      kind: 'secret',
      'apis.of': 'all',
      'scopes.of': 'all',
      'channels.of': 'all',
    };
    const { body } = await dashboard.browser((await at.account()).developer).post('/keys', form);
    expect(body).toContain('curl &#39;https://api.example.com/o%27neil&#39; -H');
  });
});

describe('the sample commands without the options for URLs', () => {
  const dashboard = servedDashboard(at);

  it('have the URLs of the documentation', async () => {
    const browser = dashboard.browser((await at.account()).developer);
    const commandOf = async (keyType: 'keys' | 'accessKeys') =>
      /id="command"[^>]*>([^<]*)</.exec((await browser.post(PATH[keyType], newForm(keyType))).body)?.[1];
    expect(await commandOf('keys')).toContain('curl &#39;https://api.example.com/&#39; -H ');
    expect(await commandOf('accessKeys')).toContain('curl &#39;https://access.example.com/connect/token&#39; -u ');
  });
});
