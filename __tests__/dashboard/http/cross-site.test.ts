import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DashboardWarning } from 'keyward/dashboard';
import type { Member } from 'keyward/management';
import { memberFormToken } from '../../../lib/dashboard/http/csrf-token.js';
import { eavesdrop } from '../../support/eavesdrop.js';
import { type Holder, managed } from '../../support/managed.js';
import { editForm, KEY_TYPES, madeKey, newForm, OPERATIONS, PATH } from '../key-forms.js';
import { type Browser, encoded, type Form, type Headers, MOUNT, sendTo, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const dashboard = servedDashboard(at);
const heard = eavesdrop();

beforeEach(() => heard.clear());
afterAll(() => heard.stop());

/** What is changed about a good form. */
interface Attack {
  readonly name: string;
  readonly headers?: (good: Headers, other: Browser) => Headers;
  readonly fields?: (other: Browser) => Form;
  readonly body?: (good: string) => string;
  /** What the event says was wrong. */
  readonly detail: string;
}

const without =
  (name: string) =>
  (good: Headers): Headers =>
    Object.fromEntries(Object.entries(good).filter(([other]) => other !== name));
const withHeader = (name: string, value: string) => (good: Headers) => ({ ...good, [name]: value });
const cookie = (change: (text: string) => string) => (good: Headers) => ({
  ...good,
  cookie: change(String(good.cookie)),
});

const ATTACKS: readonly Attack[] = [
  { name: 'no token', fields: () => ({ csrf: [] }), detail: 'form_token' },
  { name: 'an empty token', fields: () => ({ csrf: '' }), detail: 'form_token' },
  { name: 'a wrong token', fields: () => ({ csrf: 'A'.repeat(22) }), detail: 'form_token' },
  { name: 'a token of another length', fields: () => ({ csrf: 'A'.repeat(21) }), detail: 'form_token' },
  { name: "another session's token", fields: ({ token }) => ({ csrf: token }), detail: 'form_token' },
  { name: 'no cookie of the token', headers: cookie((text) => text.replace(/; __Host-.*/, '')), detail: 'form_token' },
  {
    name: 'a second cookie of the token',
    headers: cookie((text) => `${text}; __Host-keyward-csrf=${'A'.repeat(22)}`),
    detail: 'form_token',
  },
  {
    name: 'an empty cookie and an empty token',
    headers: cookie((text) => text.replace(/(__Host-keyward-csrf=).*/, '$1')),
    fields: () => ({ csrf: '' }),
    detail: 'form_token',
  },
  { name: 'another Origin', headers: withHeader('origin', 'https://evil.example'), detail: 'origin' },
  { name: 'an Origin of another port', headers: withHeader('origin', 'http://127.0.0.1:1'), detail: 'origin' },
  {
    name: 'an Origin of another scheme',
    headers: (good) => ({ ...good, origin: String(good.origin).replace('http:', 'https:') }),
    detail: 'origin',
  },
  {
    name: 'an Origin that begins alike',
    headers: (good) => ({ ...good, origin: `${good.origin}.evil.example` }),
    detail: 'origin',
  },
  {
    name: 'two Origins',
    headers: (good) => ({ ...good, origin: [`${good.origin}`, `${good.origin}`] }),
    detail: 'origin',
  },
  { name: 'no Origin', headers: without('origin'), detail: 'origin' },
  { name: 'the Origin null', headers: withHeader('origin', 'null'), detail: 'origin' },
  { name: 'Sec-Fetch-Site cross-site', headers: withHeader('sec-fetch-site', 'cross-site'), detail: 'fetch_site' },
  { name: 'Sec-Fetch-Site same-site', headers: withHeader('sec-fetch-site', 'same-site'), detail: 'fetch_site' },
  { name: 'Sec-Fetch-Site none', headers: withHeader('sec-fetch-site', 'none'), detail: 'fetch_site' },
  {
    name: 'JSON as text/plain',
    headers: withHeader('content-type', 'text/plain'),
    body: (good) => JSON.stringify(Object.fromEntries(new URLSearchParams(good))),
    detail: 'media_type',
  },
  { name: 'a form as text/plain', headers: withHeader('content-type', 'text/plain'), detail: 'media_type' },
  { name: 'JSON', headers: withHeader('content-type', 'application/json'), detail: 'media_type' },
  { name: 'multipart', headers: withHeader('content-type', 'multipart/form-data; boundary=x'), detail: 'media_type' },
  { name: 'no Content-Type', headers: without('content-type'), detail: 'media_type' },
];

describe('a form that was not sent from a page of the Dashboard', () => {
  it.each(ATTACKS)('M25 $name: 403, no change, and an event for the operator', async (attack) => {
    const [holder, other] = [await at.account(), await at.account()];
    const key = await madeKey(holder, 'keys');
    const browser = dashboard.browser(holder.owner);
    const stranger = dashboard.browser(other.owner);
    const headers = attack.headers?.(browser.formHeaders, stranger) ?? browser.formHeaders;
    const forms: readonly (readonly [string, Form])[] = [
      ['/keys', newForm('keys')],
      [`/keys/${key.id}/edit`, editForm('keys', key, { name: 'Other' })],
      [`/keys/${key.id}/revoke`, { confirm: key.id }],
    ];
    for (const [path, form] of forms) {
      const body = encoded({ csrf: browser.token, ...form, ...attack.fields?.(stranger) });
      const reply = await browser.send('POST', path, headers, attack.body?.(body) ?? body);
      expect([path, reply.status]).toEqual([path, 403]);
    }
    expect((await at.management.keys.list(holder.owner)).items).toEqual([key]);
    const warnings = heard.heard<DashboardWarning>('keyward:dashboard');
    expect(warnings.map(({ warning, method, detail }) => ({ warning, method, detail }))).toEqual(
      forms.map(() => ({ warning: 'cross_site', method: 'POST', detail: attack.detail })),
    );
    expect(warnings.map(({ route }) => route)).toEqual(['/keys', '/keys/:id/edit', '/keys/:id/revoke']);
  });

  it('the same form with valid headers is accepted, also without Sec-Fetch-Site', async () => {
    const holder = await at.account();
    const key = await madeKey(holder, 'keys');
    const browser = dashboard.browser(holder.owner);
    const headers = without('sec-fetch-site')(browser.formHeaders);
    const body = encoded({ csrf: browser.token, confirm: key.id });
    expect((await browser.send('POST', `/keys/${key.id}/revoke`, headers, body)).status).toBe(303);
    expect(heard.heard('keyward:dashboard')).toEqual([]);
  });

  it('the case of letters in the host does not matter', async () => {
    const holder = await at.account();
    const key = await madeKey(holder, 'keys');
    const browser = dashboard.browser(holder.owner);
    const headers = { ...browser.formHeaders, host: 'Keys.Example', origin: 'http://keys.example' };
    const body = encoded({ csrf: browser.token, confirm: key.id });
    expect((await browser.send('POST', `/keys/${key.id}/revoke`, headers, body)).status).toBe(303);
  });

  it.each([
    ['http', 'keys.example:80', 'http://keys.example', 303],
    ['http', '[::1]:80', 'http://[::1]', 303],
    ['https', 'keys.example:443', 'https://keys.example', 303],
    ['http', 'keys.example:443', 'http://keys.example', 403],
    ['https', 'keys.example:80', 'https://keys.example', 403],
    ['https', 'keys.example:443', 'http://keys.example', 403],
    ['http', 'keys.example', 'http://keys.example:8080', 403],
    ['http', 'keys example', 'http://keys example', 403],
  ])('a form over %s with Host %s and Origin %s: %i', async (protocol, host, origin, status) => {
    const holder = await at.account();
    const key = await madeKey(holder, 'keys');
    const browser = proxied.browser(holder.owner);
    const headers = { ...browser.formHeaders, host, origin, 'x-forwarded-proto': protocol };
    const body = encoded({ csrf: browser.token, confirm: key.id });
    expect((await browser.send('POST', `/keys/${key.id}/revoke`, headers, body)).status).toBe(status);
  });

  const proxied = servedDashboard(at, {}, (app) => void app.set('trust proxy', 1));

  it('a browser without a token gets one with its first page, and it stays the same', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const session = String(browser.formHeaders.cookie).replace(/; __Host-.*/, '');
    const { headers, body } = await browser.get('/keys/new?kind=secret', { cookie: session });
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-keyward-csrf=[\w-]{22}; Path=\/; Secure; HttpOnly; SameSite=Lax$/),
    ]);
    const [, token = ''] = /=([\w-]{22});/.exec(String(headers['set-cookie'])) ?? [];
    expect(body).toContain(`name="csrf" value="${memberFormToken(token, holder.owner)}"`);
    const again = await browser.get('/keys/new?kind=secret', { cookie: `${session}; __Host-keyward-csrf=${token}` });
    expect(again.headers['set-cookie']).toBeUndefined();
    expect(again.body).toContain(`name="csrf" value="${memberFormToken(token, holder.owner)}"`);
    const other = await browser.get('/', { cookie: session });
    expect(String(other.headers['set-cookie'])).not.toContain(token);
  });
});

describe('a form that was opened before another member signed in with the same browser', () => {
  const forms = [
    ...KEY_TYPES.map((keyType) => ({ path: PATH[keyType], form: () => newForm(keyType) })),
    ...OPERATIONS.map(({ operation, keyType, form }) => ({ path: `${PATH[keyType]}/:id/${operation}`, keyType, form })),
  ];

  it.each(forms)('$path: 403, no change, no event, and the page says who is signed in', async (sent) => {
    const [holder, other] = [await at.account(), await at.account()];
    const keyType = 'keyType' in sent ? sent.keyType : 'keys';
    const [theirs, key] = [await madeKey(other, keyType), await madeKey(holder, keyType)];
    for (const [now, form] of [
      [other.owner, sent.form(theirs)],
      [{ ...other.owner, account: holder.id }, sent.form(key)],
      [{ ...holder.owner, account: other.id }, sent.form(theirs)],
    ] as const) {
      const browser = dashboard.browser(holder.owner);
      signInAs(browser, now);
      const path = sent.path.replace(':id', now.account === holder.id ? key.id : theirs.id);
      const { status, body } = await browser.post(path, form);
      expect([status, now.account]).toEqual([403, now.account]);
      expect(body).toContain('<h1>You have signed in differently</h1>');
      expect(body).toContain(`You are now signed in to the account ${now.account} as ${now.id}.`);
    }
    for (const [{ owner }, one] of [
      [holder, key],
      [other, theirs],
    ] as const) {
      expect((await at.management[keyType].list(owner)).items).toEqual([one]);
    }
    expect([...(await holder.story()), ...(await other.story())]).toHaveLength(2);
    expect(heard.heard('keyward:dashboard')).toEqual([]);
  });

  it('is refused with a wrong code of any length and characters', async () => {
    const holder = await at.account();
    const browser = dashboard.browser(holder.owner);
    const [token = ''] = browser.token.split('.');
    for (const code of ['', '0'.repeat(64), '\u00e9'.repeat(64), 'x'.repeat(10_000)]) {
      const { status } = await browser.post('/keys', { ...newForm('keys'), csrf: `${token}.${code}` });
      expect(status).toBe(403);
    }
    expect(heard.heard('keyward:dashboard')).toEqual([]);
  });

  it('is accepted again if the first member is signed in again, also with other permissions', async () => {
    const holder = await at.account();
    const { id } = await madeKey(holder, 'keys');
    const browser = dashboard.browser(holder.owner);
    signInAs(browser, (await at.account()).owner);
    signInAs(browser, { ...holder.owner, permissions: ['developer', 'owner'] });
    expect((await browser.post(`/keys/${id}/revoke`, { confirm: id })).status).toBe(303);
  });

  it.each([
    ['without the part of the member', ({ browserToken }: Browser) => browserToken],
    ['with an empty part of the member', ({ browserToken }: Browser) => `${browserToken}.`],
    ["with another browser's token", ({ token }: Browser) => `${'A'.repeat(22)}.${token.split('.')[1]}`],
    ['with something after it', ({ token }: Browser) => `${token}.${token}`],
  ])('a token %s: 403', async (_what, tokenOf) => {
    const { owner } = await at.account();
    const browser = dashboard.browser(owner);
    expect((await browser.post('/keys', newForm('keys', { csrf: tokenOf(browser) }))).status).toBe(403);
    expect((await at.management.keys.list(owner)).items).toEqual([]);
  });

  function signInAs(browser: Browser, member: Member): void {
    dashboard.members.set(/session=(\w+)/.exec(String(browser.formHeaders.cookie))?.[1] ?? '', member);
  }
});

describe('a form of a visitor who is not signed in', () => {
  const asked: unknown[] = [];
  const counting = servedDashboard(at, { memberOf: ({ url }) => void asked.push(url) });
  const visitor = () => counting.browser();

  beforeEach(() => {
    asked.length = 0;
  });

  it('from another site: 403 and an event too, before memberOf is called', async () => {
    const reply = await visitor().post('/keys', newForm('keys'), { origin: 'https://evil.example' });
    expect([reply.status, asked]).toEqual([403, []]);
    expect(heard.heard('keyward:dashboard')).toMatchObject([{ warning: 'cross_site', detail: 'origin' }]);
  });

  it('from a page of the Dashboard: 401, whatever its fields are', async () => {
    for (const wrong of [{ quota: '1' }, { csrf: '' }]) {
      expect((await visitor().post('/keys', newForm('keys', wrong))).status).toBe(401);
    }
    expect((await visitor().get('/?quota=1')).status).toBe(401);
    expect([asked.length, heard.heard('keyward:dashboard')]).toEqual([3, []]);
  });
});

describe('a change by another method', () => {
  it.each(OPERATIONS.filter(({ operation }) => !['edit', 'revoke'].includes(operation)))(
    'M26 GET and HEAD of $operation of $keyType: 405, no change',
    async ({ operation, keyType }) => {
      const holder = await at.account();
      const key = await madeKey(holder, keyType);
      const browser = dashboard.browser(holder.owner);
      for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
        const path = `${PATH[keyType]}/${key.id}/${operation}?csrf=${browser.token}&version=1&grace=0`;
        const { status, headers } = await browser.send(method, path, browser.formHeaders);
        expect([status, headers.allow]).toEqual([405, 'POST']);
      }
      expect(await at.management[keyType].view(holder.owner, key.id)).toEqual(key);
    },
  );

  it.each(KEY_TYPES)(
    'M26 GET and HEAD of the edit and revoke pages of %s show forms, and change nothing',
    async (keyType) => {
      const holder = await at.account();
      const key = await madeKey(holder, keyType);
      const browser = dashboard.browser(holder.owner);
      const form = encoded({ csrf: browser.token, ...editForm(keyType, key, { name: 'Other' }), confirm: key.id });
      for (const [method, operation] of ['GET', 'HEAD'].flatMap((one) => [
        [one, 'edit'] as const,
        [one, 'revoke'] as const,
      ])) {
        const path = `${PATH[keyType]}/${key.id}/${operation}`;
        expect((await browser.send(method, path, browser.formHeaders)).status).toBe(200);
        // Fields of a form in the address are none of the page's.
        expect((await browser.send(method, `${path}?${form}`, browser.formHeaders)).status).toBe(400);
      }
      const made = await browser.send('GET', '/keys', browser.formHeaders);
      expect([made.status, made.headers.allow]).toEqual([405, 'POST']);
      expect(await at.management[keyType].view(holder.owner, key.id)).toEqual(key);
    },
  );

  it.each(['/', '/audit', '/audit.csv', '/keys/new'])('M26 other methods of %s: 405', async (path) => {
    const browser = dashboard.browser((await at.account()).owner);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await browser.send(method, path, browser.formHeaders);
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });
});

describe('a forged Host', () => {
  it.each(['evil.example', 'evil.example:80', 'user@evil.example', 'a/b?'])(
    'M43 Host and X-Forwarded-Host %s: no link or redirect leads there',
    async (host) => {
      const holder = await at.account();
      const key = await madeKey(holder, 'keys');
      const browser = dashboard.browser(holder.owner);
      const forged = { host, 'x-forwarded-host': host, forwarded: `host=${host}` };
      for (const path of ['/', '/keys/new', `/keys/${key.id}`, '/audit', '/none']) {
        const { headers, body } = await browser.get(path, forged);
        expect(JSON.stringify(headers) + body).not.toContain(host);
      }
      const good = browser.formHeaders;
      const body = encoded({ csrf: browser.token, version: '1' });
      // The forged origin is not accepted as the own origin either.
      const refused = await browser.send('POST', `/keys/${key.id}/disable`, { ...good, ...forged }, body);
      expect(refused.status).toBe(403);
      const { headers } = await browser.send(
        'POST',
        `/keys/${key.id}/disable`,
        { ...good, 'x-forwarded-host': host },
        body,
      );
      expect(headers.location).toBe(`${MOUNT}/keys/${key.id}?done=disabled`);
    },
  );
});

describe('CORS', () => {
  it.each(['/', '/keys', '/audit.csv', '/none'])(
    'M45 a preflight of %s from another origin: nothing is allowed',
    async (path) => {
      const holder: Holder = await at.account();
      const { cookie: held } = dashboard.browser(holder.owner).formHeaders;
      const asked = { cookie: held ?? '', origin: 'https://evil.example', 'access-control-request-method': 'POST' };
      for (const method of ['OPTIONS', 'GET', 'POST']) {
        const { headers } = await sendTo(dashboard.port, method, MOUNT + path, asked);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
        expect(headers['cross-origin-resource-policy']).toBe('same-origin');
      }
    },
  );
});
