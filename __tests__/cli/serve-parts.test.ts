import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express, { Router } from 'express';
import { createManagement } from 'keyward/management';
import { type CredentialStore, openStore, StoreError } from 'keyward/store';
import request from 'supertest';
import type { Io, Output } from '../../lib/cli/io.js';
import { serveApp } from '../../lib/cli/serve/serve-app.js';
import {
  chooseAccount,
  linesOfLinks,
  type ServedDashboard,
  serveDashboard,
} from '../../lib/cli/serve/served-dashboard.js';
import { serveManagementApi } from '../../lib/cli/serve/served-management-api.js';
import { announcementOn } from '../../lib/cli/serve/startup-output.js';
import { managed } from '../support/managed.js';

const DATABASE = { url: 'memory:', source: '', name: 'file:./keyward.db' };
const UNREADY = { ready: async () => false, resolveKey: () => undefined } as unknown as CredentialStore;

describe('the app of keyward serve', () => {
  let store: CredentialStore;
  beforeAll(async () => {
    store = await openStore('memory:');
  });
  afterAll(() => store.close());

  const issuer = Router().get('/issuer', (_req, res) => void res.send('issuer'));
  const dashboard = {
    routers: [Router(), Router().get('/keys', (_req, res) => void res.send('keys'))],
  } as unknown as ServedDashboard;

  it('is alive, and ready when the Dashboard has its account', async () => {
    const served = serveApp({}, store, issuer, undefined);
    const get = (path: string) => request(served.app).get(path);
    const alive = await get('/healthz');
    expect([alive.status, alive.body, alive.headers['x-powered-by']]).toEqual([200, { status: 'ok' }, undefined]);
    const waiting = await get('/readyz');
    expect([waiting.status, waiting.body]).toEqual([503, { status: 'unavailable', waitsFor: 'account' }]);
    const page = await get('/dashboard/keys');
    expect([page.status, page.headers['retry-after'], page.type]).toEqual([503, '5', 'text/plain']);
    expect(page.text).toMatch(/the account that it manages does not exist/);
    served.mountDashboard(dashboard);
    const ready = await get('/readyz');
    expect([ready.status, ready.body]).toEqual([200, { status: 'ready' }]);
    expect((await get('/dashboard/keys')).text).toBe('keys');
    expect((await get('/dashboard/none')).status).toBe(404);
    expect((await get('/issuer')).text).toBe('issuer');
  });

  it('is ready without a Dashboard', async () => {
    const served = serveApp({}, store, issuer, undefined);
    served.serveWithoutDashboard();
    expect((await request(served.app).get('/readyz')).status).toBe(200);
    expect((await request(served.app).get('/dashboard')).status).toBe(404);
  });

  it('is not ready while the database cannot be reached, whether the Dashboard waits or not', async () => {
    const served = serveApp({}, UNREADY, issuer, undefined);
    expect((await request(served.app).get('/dashboard')).text).toMatch(/the database cannot be reached/);
    served.serveWithoutDashboard();
    const { status, body } = await request(served.app).get('/readyz');
    expect([status, body]).toEqual([503, { status: 'unavailable', waitsFor: 'database' }]);
    expect((await request(served.app).get('/healthz')).status).toBe(200);
  });
});

describe('the account of the Dashboard', () => {
  const at = managed('memory');
  const choose = (choice: object, store = at.store) => chooseAccount({ dashboard: true, ...choice }, store, DATABASE);

  it('is chosen when it is the only one, or named', async () => {
    expect(await choose({})).toMatchObject({
      state: 'waiting',
      reason: expect.stringContaining('there is no account'),
    });
    expect(await choose({ account: 'none' })).toMatchObject({
      ...{ state: 'waiting', reason: expect.stringMatching(/^there is no account "none" in file:\.\/keyward\.db/) },
    });
    const first = await at.account();
    expect(await choose({})).toEqual({ state: 'chosen', account: first.id });
    const second = await at.account();
    expect(await choose({})).toMatchObject({ state: 'none', reason: expect.stringContaining('--account ID') });
    expect(await choose({ account: second.id })).toEqual({ state: 'chosen', account: second.id });
  });

  it('is none without a Dashboard, or if browsers would not send its cookies', async () => {
    const { id: account } = await at.account();
    expect(await chooseAccount({ dashboard: false, account }, at.store, DATABASE)).toEqual({ state: 'none' });
    for (const [issuer, reason] of [
      ['http://a.test', 'https URL'],
      ['https://a.test/tenant', 'without a path'],
    ]) {
      expect(await choose({ account, issuer })).toMatchObject({
        ...{ state: 'none', reason: expect.stringContaining(reason ?? '') },
      });
    }
    for (const issuer of ['https://a.test', 'https://a.test/', 'http://127.0.0.1:4000']) {
      expect(await choose({ account, issuer })).toEqual({ state: 'chosen', account });
    }
  });

  it('is waited for while the database cannot be reached or fails', async () => {
    const database = { ...DATABASE, url: 'file:/nowhere/at/all.db' };
    expect(await chooseAccount({ dashboard: true, account: 'x' }, UNREADY, database)).toEqual({
      ...{ state: 'waiting', reason: 'the database file:./keyward.db cannot be reached, or is read-only' },
    });
    const failing = {
      ...{ ready: async () => true, resolveKey: () => undefined },
      repository: new Proxy({}, { get: () => () => Promise.reject(new StoreError('store_unavailable', 'broken')) }),
    } as unknown as CredentialStore;
    for (const choice of [{}, { account: 'x' }]) {
      expect(await choose(choice, failing)).toEqual({
        ...{ state: 'waiting', reason: 'the database file:./keyward.db returned an error: broken' },
      });
    }
  });
});

describe('the Dashboard of keyward serve', () => {
  const at = managed('memory');

  it.each(['https://api.test', 'payments', 'urn:example:payments', 'http://api.test'])(
    'is served with the audience %s, which may be any text',
    async (audience) => {
      const { id } = await at.account();
      const dashboard = serveDashboard(at.store, id, { issuer: 'http://127.0.0.1:4000', audience });
      expect(dashboard.routers).toHaveLength(2);
      expect(dashboard.links()).toMatchObject({ account: id, url: 'http://127.0.0.1:4000/dashboard' });
    },
  );

  it('refuses an --api-url that is no URL', async () => {
    const { id } = await at.account();
    const settings = { issuer: 'http://127.0.0.1:4000', audience: 'https://api.test', apiUrl: 'payments' };
    expect(() => serveDashboard(at.store, id, settings)).toThrow(/apiUrl/);
  });
});

describe('the management API of keyward serve', () => {
  const at = managed('memory');

  it('accepts secret keys of both environments, and no public keys', async () => {
    const holder = await at.account({ apis: ['keys'], scopes: ['keys:read'] });
    const management = createManagement({ store: at.store });
    const create = async (settings: { kind: 'secret' | 'public'; environment?: 'live' | 'sandbox' }) => {
      const { key, secret } = await management.keys.create(holder.developer, {
        ...{ apis: ['keys'], scopes: ['keys:read'], ...settings },
      });
      return { key: key.id, text: String(secret) };
    };
    const live = await create({ kind: 'secret' });
    const sandbox = await create({ kind: 'secret', environment: 'sandbox' });
    const shop = await create({ kind: 'public' });
    const settings = { issuer: 'http://127.0.0.1:4000', audience: 'https://api.test' };
    const app = express().use('/api', serveManagementApi(at.store, settings));
    const list = async (text: string) => {
      const { status, body } = await request(app).get('/api/keys').set('Authorization', `Bearer ${text}`);
      return [status, (body.data as { id: string }[] | undefined)?.map(({ id }) => id).sort()];
    };
    expect(await list(live.text)).toEqual([200, [live.key, sandbox.key, shop.key].sort()]);
    // A sandbox key sees the sandbox alone.
    expect(await list(sandbox.text)).toEqual([200, [sandbox.key]]);
    expect(await list(shop.text)).toEqual([401, undefined]);
  });

  it('with http only if it is allowed', () => {
    const settings = { issuer: 'http://keyward:4000', audience: 'https://api.test' };
    expect(() => serveManagementApi(at.store, settings)).toThrow(/issuer/);
    expect(() => serveManagementApi(at.store, { ...settings, allowHttp: true })).not.toThrow();
  });
});

describe('what keyward serve prints', () => {
  const LINKS = { url: 'http://127.0.0.1/dashboard', account: 'acme', developer: '/sign-in?d', owner: '/sign-in?o' };
  const WHERE = { issuer: 'https://a.test/', tokenEndpoint: 'https://a.test/connect/token', port: 4_000 };

  function announcing({ isTerminal = false, fails = false, ...settings }: Readonly<Record<string, boolean>>) {
    const said = { out: '', err: '' };
    const output = (name: 'out' | 'err'): Output => ({
      isTerminal,
      write(text) {
        said[name] += text;
      },
      flush: () => (fails ? Promise.reject(new Error('EPIPE')) : Promise.resolve()),
    });
    const io = { stdout: output('out'), stderr: output('err') } as unknown as Io;
    return { said, announcement: announcementOn(io, settings) };
  }
  const dashboardWith = () => ({ links: jest.fn(() => LINKS) }) as unknown as ServedDashboard;
  const chosen = { state: 'chosen', account: 'acme' } as const;

  it('for people: URLs, and links only to a terminal', () => {
    const terminal = announcing({ isTerminal: true });
    terminal.announcement.start(WHERE, chosen, dashboardWith());
    expect(terminal.said.out.split('\n')).toEqual([
      'Issuer     https://a.test/',
      'Tokens     curl -u ID:SECRET -d grant_type=client_credentials https://a.test/connect/token',
      'Health     https://a.test/healthz and /readyz',
      'Dashboard  http://127.0.0.1/dashboard, account acme',
      ...linesOfLinks(LINKS),
      `For new sign-in links, run: kill -USR2 ${process.pid}`,
      'Press Ctrl-C to stop.',
      '',
    ]);
    const file = announcing({});
    file.announcement.start(WHERE, chosen, dashboardWith());
    expect(file.said.out).not.toContain('/sign-in');
    expect(file.said.out).toMatch(new RegExp(`not a terminal\\. .* kill -USR2 ${process.pid}\n`));
    expect([terminal.said.err, file.said.err]).toEqual(['', '']);
  });

  it('for programs: one line with all of it', () => {
    const { said, announcement } = announcing({ json: true });
    announcement.start(WHERE, { state: 'none' }, undefined);
    expect(JSON.parse(said.out)).toEqual({ ...WHERE, dashboard: null });
    const { developer, owner, ...shown } = LINKS;
    const other = announcing({ json: true });
    other.announcement.start(WHERE, chosen, dashboardWith());
    expect(JSON.parse(other.said.out)).toEqual({ ...WHERE, dashboard: shown });
    expect([said.err, other.said.err, developer, owner]).toEqual(['', '', LINKS.developer, LINKS.owner]);
  });

  it('why there is no Dashboard yet, or at all, as a warning', () => {
    const { said, announcement } = announcing({});
    announcement.start(WHERE, { state: 'waiting', reason: 'the first' }, undefined);
    announcement.later({ state: 'waiting', reason: 'the second' }, undefined);
    announcement.later({ state: 'none', reason: 'the third' }, undefined);
    announcement.later({ state: 'none' }, undefined);
    expect(said.err.trimEnd().split('\n')).toEqual([
      'warning: the Dashboard is not available yet: the first',
      'warning: the Dashboard is not available yet: the second',
      'warning: the Dashboard is not available: the third',
    ]);
  });

  it('new links when they are asked for, also of a Dashboard that came later', () => {
    const { said, announcement } = announcing({ json: true });
    announcement.start(WHERE, { state: 'waiting', reason: 'x' }, undefined);
    said.out = '';
    announcement.printNewLinks();
    expect(said.out).toBe('');
    announcement.later(chosen, dashboardWith());
    said.out = '';
    announcement.printNewLinks();
    expect(JSON.parse(said.out)).toEqual({ dashboard: LINKS });
    const text = announcing({});
    text.announcement.start(WHERE, chosen, dashboardWith());
    text.said.out = '';
    text.announcement.printNewLinks();
    expect(text.said.out).toBe(`${linesOfLinks(LINKS).join('\n')}\n`);
  });

  it('makes new links invalid that could not be written', async () => {
    const { said, announcement } = announcing({ fails: true });
    const dashboard = dashboardWith();
    announcement.start(WHERE, chosen, dashboard);
    const before = jest.mocked(dashboard.links).mock.calls.length;
    announcement.printNewLinks();
    await new Promise(setImmediate);
    expect(jest.mocked(dashboard.links).mock.calls.length - before).toBe(2);
    expect(said.err).toMatch(/^the new sign-in links could not be printed/);
    const json = announcing({ fails: true, json: true });
    json.announcement.start(WHERE, chosen, dashboard);
    json.announcement.printNewLinks();
    await new Promise(setImmediate);
    expect(JSON.parse(json.said.err).warning.message).toMatch(/^the new sign-in links could not be printed/);
  });
});
