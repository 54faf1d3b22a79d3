import { describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { managed } from '../../support/managed.js';
import { sendRaw } from '../../support/raw-http.js';
import { newForm } from '../key-forms.js';
import { type Browser, encoded, type Headers, MOUNT, servedDashboard } from '../served-dashboard.js';

const at = managed('memory');
const plain = servedDashboard(at);

const MANY = Array.from({ length: 60 }, (_, i) => `api_${i}`);

describe.each([
  ['no body parser', plain],
  [
    'a simple body parser before it',
    servedDashboard(at, {}, (app) => void app.use(express.urlencoded({ extended: false }))),
  ],
  [
    'an extended body parser before it',
    servedDashboard(at, {}, (app) => void app.use(express.urlencoded({ extended: true }))),
  ],
  [
    'a text parser before it',
    servedDashboard(at, {}, (app) => void app.use(express.text({ type: 'application/x-www-form-urlencoded' }))),
  ],
  [
    'a raw parser before it',
    servedDashboard(at, {}, (app) => void app.use(express.raw({ type: 'application/x-www-form-urlencoded' }))),
  ],
])('with %s', (_what, dashboard) => {
  it('a form is read, also a long list', async () => {
    const holder = await at.account({ apis: MANY });
    const form = newForm('keys', { name: 'M\u00fcller & \u65e5\u672c', apis: MANY });
    expect((await dashboard.browser(holder.developer).post('/keys', form)).status).toBe(201);
    const [key] = (await at.management.keys.list(holder.owner)).items;
    expect(key).toMatchObject({ name: 'M\u00fcller & \u65e5\u672c', apis: MANY });
  });

  it.each(['name[x]=1', 'name[]=1&name[]=2&name[y]=3', 'name=1&name=2', 'kind=secret&kind=public', 'x=1'])(
    'a form with %s creates nothing',
    async (more) => {
      const holder = await at.account();
      const { token, formHeaders, send } = dashboard.browser(holder.developer);
      const { name: _, ...form } = newForm('keys');
      const reply = await send('POST', '/keys', formHeaders, `${encoded({ csrf: token, ...form })}&${more}`);
      expect([400, 403]).toContain(reply.status);
      expect((await at.management.keys.list(holder.owner)).items).toEqual([]);
      expect(({} as { x?: unknown }).x).toBeUndefined();
    },
  );
});

describe('a body', () => {
  it('of 400 KiB is read; one byte more is too large, with or without Content-Length', async () => {
    const browser = plain.browser((await at.account()).developer);
    const start = encoded({ csrf: browser.token, ...newForm('keys') });
    const padded = (length: number) => `${start}&name=${'x'.repeat(length - start.length - 6)}`;
    // Read, and its name is too long.
    expect((await post(browser, padded(409_600))).status).toBe(400);
    expect((await post(browser, padded(409_601))).status).toBe(413);
    const chunked = await post(browser, padded(409_601), { 'transfer-encoding': 'chunked' });
    expect([chunked.status, chunked.headers.connection]).toEqual([413, 'close']);
  });

  it.each([
    'csrf=%',
    'csrf=%zz',
    'csrf=%ff',
    'csrf=%c0%ae',
    'csrf=\u00e9',
    'csrf=a\0b',
    '__proto__=1',
    '__proto__[x]=1',
    'constructor=1',
    '=1',
    '{"csrf":"x"}',
    '\r\n',
  ])('%j is refused', async (body) => {
    const browser = plain.browser((await at.account()).developer);
    expect([400, 403]).toContain((await post(browser, body)).status);
    expect((await post(browser, `csrf=${browser.token}&name=x&${body}`)).status).toBe(400);
  });

  // If the work grew with the square of the size, each of these would take more than a minute.
  it.each([
    ['repeats of the form token', '&csrf='.repeat(68_000)],
    ['repeats of one field', '&apis='.repeat(68_000)],
    ['spaces in the limits', `&limits=1/m${'+'.repeat(400_000)}x`],
  ])(
    'of almost 400 KiB with %s is refused within seconds',
    async (_what, more) => {
      const browser = plain.browser((await at.account()).developer);
      const { apis: _, ...form } = newForm('keys');
      expect((await post(browser, encoded({ csrf: browser.token, ...form }) + more)).status).toBe(400);
    },
    20_000,
  );

  it('that is compressed is refused', async () => {
    const browser = plain.browser((await at.account()).developer);
    expect((await post(browser, 'x', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('that takes ten seconds is refused, and the connection is closed', async () => {
    const { formHeaders } = plain.browser((await at.account()).developer);
    const lines = Object.entries(formHeaders).map(([name, value]) => `${name}: ${value}`);
    const head = [`POST ${MOUNT}/keys HTTP/1.1`, `Host: 127.0.0.1:${plain.port}`, 'Content-Length: 100', ...lines];
    jest.useFakeTimers({ doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'] });
    try {
      let status: number | undefined;
      const sent = sendRaw(plain.port, [...head, '', 'name=x'].join('\r\n')).then((response) => {
        status = response.status;
        return response;
      });
      const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
      while (jest.getTimerCount() === 0) await turn();
      jest.advanceTimersByTime(9_999);
      await turn();
      expect([status, jest.getTimerCount()]).toEqual([undefined, 1]);
      jest.advanceTimersByTime(1);
      const { headers } = await sent;
      expect([status, headers.connection]).toEqual([408, 'close']);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each(['identity', 'Identity'])('of the encoding %s is read', async (encoding) => {
    const browser = plain.browser((await at.account()).developer);
    const body = encoded({ csrf: browser.token, ...newForm('keys') });
    expect((await post(browser, body, { 'content-encoding': encoding })).status).toBe(201);
  });

  it.each([
    'application/x-www-form-urlencoded; charset=utf-8',
    'application/x-www-form-urlencoded;charset="UTF-8"',
    'Application/X-WWW-Form-Urlencoded',
    'application/x-www-form-urlencoded;',
    'application/x-www-form-urlencoded\t;\tcharset=utf-8;',
  ])('of type %j is read', async (type) => {
    const browser = plain.browser((await at.account()).developer);
    const body = encoded({ csrf: browser.token, ...newForm('keys') });
    expect((await post(browser, body, { 'content-type': type })).status).toBe(201);
  });

  it('in another charset is refused', async () => {
    const browser = plain.browser((await at.account()).developer);
    const type = 'application/x-www-form-urlencoded; charset=utf-16';
    expect((await post(browser, 'x', { 'content-type': type })).status).toBe(403);
  });
});

function post({ send, formHeaders }: Browser, body: string, headers: Headers = {}) {
  return send('POST', '/keys', { ...formHeaders, ...headers }, body);
}
