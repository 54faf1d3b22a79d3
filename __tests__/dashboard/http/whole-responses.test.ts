import { describe, expect, it } from '@jest/globals';
import { HttpError } from '../../../lib/dashboard/http/http-error.js';
import { toHttpError } from '../../../lib/dashboard/http/to-http-error.js';
import { ManagementError } from '../../../lib/management/management-error.js';
import { managed } from '../../support/managed.js';
import { newForm } from '../key-forms.js';
import { altered, encoded, MOUNT, type Reply, servedDashboard } from '../served-dashboard.js';
import { FORM_ID, wholeOf } from '../whole-page.js';

const at = managed('memory');
const dashboard = servedDashboard(at);
const broken = servedDashboard(at, {
  management: altered(at, () => ({
    audit: () => Promise.reject(new TypeError('the cause')),
    accounts: { ...at.management.accounts, view: () => Promise.reject(new ManagementError('unavailable', 'no store')) },
  })),
});
const failing = servedDashboard(at, { memberOf: () => Promise.reject(new Error('no session store')) });

/** A response, with constants in the place of what is random. Without its body, if that is not an error. */
function fixed({ status, headers, body }: Reply): string {
  const { date: _, 'transfer-encoding': _chunks, ...others } = headers;
  const cookies = String(others['set-cookie'] ?? '').replace(/(?<=-csrf=)[\w-]{22}/g, 'TOKEN');
  const lines = {
    ...others,
    'set-cookie': cookies,
    'content-length': status < 400 ? 'LENGTH' : others['content-length'],
  };
  return wholeOf({ status, headers: lines as Record<string, string>, body: status < 400 ? '' : body });
}

describe('a response', () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['GET', '/', {}],
    ['HEAD', '/', {}],
    ['GET', '/audit.csv', {}],
    ['HEAD', '/audit.csv', {}],
    ['GET', '/none', {}],
    ['GET', '/keys/key_none', {}],
    ['GET', '/keys/%00', {}],
    ['GET', '/keys/%zz', {}],
    ['GET', '/keys', {}],
    ['POST', '/', {}],
    ['PUT', '/access-keys', {}],
    ['GET', '/?limit=x', {}],
    ['GET', '/?unknown=1', {}],
    ['GET', `/?${'x'.repeat(50)}%C3%A9=1`, {}],
    ['GET', '/?text=1&text=2', {}],
    ['GET', '/?text=%FF', {}],
    ['GET', '/access-keys?done=edited', { 'sec-fetch-site': 'cross-site' }],
  ])('to %s %s', async (method, path, headers) => {
    const browser = dashboard.browser({ id: 'kim', account: 'acme', permissions: ['owner'] });
    const { cookie } = browser.formHeaders;
    expect(fixed(await browser.send(method, path, { cookie: String(cookie), ...headers }))).toMatchSnapshot();
  });

  it('to a browser without a cookie, which gets one', async () => {
    const member = { id: 'kim', account: 'acme', permissions: ['reader'] } as const;
    const session = String(dashboard.browser(member).formHeaders.cookie).replace(/; __Host.*/, '');
    expect(fixed(await dashboard.browser(member).get('/', { cookie: session }))).toMatchSnapshot('none');
    const twice = `${session}; __Host-keyward-csrf=${'a'.repeat(22)}; __Host-keyward-csrf=${'b'.repeat(22)}`;
    expect(fixed(await dashboard.browser(member).get('/', { cookie: twice }))).toMatchSnapshot('two');
  });

  it('to somebody who is not signed in', async () => {
    expect(fixed(await dashboard.browser().get('/'))).toMatchSnapshot();
  });

  it('if the sign-in, the store or a page fails', async () => {
    const { owner } = await at.account();
    expect(fixed(await failing.browser(owner).get('/'))).toMatchSnapshot('the sign-in');
    expect(fixed(await broken.browser(owner).get('/'))).toMatchSnapshot('the store');
    expect(fixed(await broken.browser(owner).get('/audit'))).toMatchSnapshot('a page');
  });
});

describe('a form', () => {
  const member = { id: 'kim', account: 'acme', permissions: ['owner'] } as const;
  const form = newForm('keys', { formId: FORM_ID });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['without an origin', { origin: '' }],
    ['from another site', { origin: 'https://evil.example' }],
    ['from another site by its fetch metadata', { 'sec-fetch-site': 'same-site' }],
    ['of another type', { 'content-type': 'text/plain' }],
    ['that is compressed', { 'content-encoding': 'gzip' }],
    ['without a cookie', { cookie: '' }],
  ])('%s is refused', async (_name, headers) => {
    const browser = dashboard.browser(member);
    const cookie = String(browser.formHeaders.cookie);
    const sent = { cookie, ...headers, ...('cookie' in headers && { cookie: cookie.replace(/; __Host.*/, '') }) };
    expect(fixed(await browser.post('/keys', form, sent))).toMatchSnapshot();
  });

  it('that is not valid is refused', async () => {
    const browser = dashboard.browser(member);
    const { formHeaders: headers, token, browserToken } = browser;
    const send = async (body: string) => fixed(await browser.send('POST', '/keys', headers, body));
    expect(await send('a=%zz')).toMatchSnapshot('an invalid escape');
    expect(await send(encoded({ other: '1', csrf: token }))).toMatchSnapshot('an unknown field');
    expect(await send(encoded({ csrf: [token, token] }))).toMatchSnapshot('a repeated field');
    expect(await send(encoded({ csrf: browserToken }))).toMatchSnapshot('the token without a member');
    expect(await send(encoded({ csrf: `${browserToken}.x` }))).toMatchSnapshot('the token of another member');
    expect(await send('x'.repeat(409_601))).toMatchSnapshot('too large');
  });

  it('that was accepted is followed by a redirect', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const reply = await dashboard.browser(holder.owner).post(`/keys/${key.id}/disable`, { version: '1' });
    expect(fixed(reply).replace(key.id, 'ID')).toMatchSnapshot();
    expect(reply.headers.location).toBe(`${MOUNT}/keys/${key.id}?done=disabled`);
  });
});

describe('an error of management', () => {
  it.each([
    new ManagementError('invalid', 'limit: expected a whole number; see the documentation', 'limit'),
    new ManagementError('invalid', 'kid: expected another key', 'kid'),
    new ManagementError('invalid', 'publicKey: expected another key', 'publicKey'),
    new ManagementError('invalid', 'secret: expected another secret', 'secret'),
    new ManagementError('invalid', 'secrets: the key has two', 'secrets'),
    new ManagementError('invalid', 'the account is disabled; an operator can enable it'),
    new ManagementError('no_member', 'nobody'),
    new ManagementError('forbidden', 'this operation requires the Owner permission (scope keys:manage)'),
    new ManagementError('forbidden', 'your permissions do not allow you to give this scope'),
    new ManagementError('not_found', 'the key was not found'),
    new ManagementError('version_conflict', 'the key has version 4'),
    new ManagementError('revoked', 'the API key is revoked; create a new key'),
    new ManagementError('idempotency_conflict', 'used'),
    new ManagementError('unavailable', 'no store'),
  ])('becomes a page: $message', (error) => {
    const { status, title, message, headers } = toHttpError(error);
    expect({ status, title, message, headers }).toMatchSnapshot();
  });

  it('that is not one becomes 500, and one of a page stays', () => {
    const { status, title, message, headers } = toHttpError(new TypeError('secret cause'));
    expect({ status, title, message, headers }).toMatchSnapshot();
    const error = new HttpError(404, 'Not found', 'It was not found.');
    expect(toHttpError(error)).toBe(error);
    expect(error).toMatchObject({ code: 'page_refused', name: 'HttpError', headers: {} });
  });
});
