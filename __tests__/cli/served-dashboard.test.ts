import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { chooseAccount, linesOfLinks, serveDashboard } from '../../lib/cli/serve/served-dashboard.js';
import { createManagement } from '../../lib/management/index.js';
import { type CredentialStore, openStore } from '../../lib/store/index.js';
import { newForm } from '../dashboard/key-forms.js';
import { formTokenIn } from '../dashboard/served-dashboard.js';
import { Browser } from '../dashboard/sign-in/sign-in-browser.js';
import { HAS, OPERATOR } from '../support/managed.js';
import { serve } from '../support/raw-http.js';

const DATABASE = { url: 'memory:', source: '--database', name: 'memory:' };

let store: CredentialStore;
beforeEach(async () => {
  store = await openStore('memory:');
});
afterEach(() => store.close());

const addAccounts = async (...ids: string[]) => {
  for (const id of ids) await createManagement({ store }).accounts.put(OPERATOR, id, HAS);
};
const choose = (choice: { account?: string; issuer?: string } = {}, of = store) =>
  chooseAccount({ dashboard: true, ...choice }, of, DATABASE);

describe('the account of the Dashboard', () => {
  const CREATE = 'to create one, run: keyward accounts put ID --api NAME';

  it('is waited for until there is one', async () => {
    expect(await choose()).toEqual({ state: 'waiting', reason: `there is no account in memory:; ${CREATE}` });
    await addAccounts('acme');
    expect(await choose()).toEqual({ state: 'chosen', account: 'acme' });
  });

  it('is the named one of several', async () => {
    await addAccounts('acme', 'other');
    expect(await choose()).toEqual({
      ...{ state: 'none', reason: 'there are several accounts; choose one with --account ID' },
    });
    expect(await choose({ account: 'other' })).toEqual({ state: 'chosen', account: 'other' });
    expect(await choose({ account: 'lost' })).toEqual({
      ...{ state: 'waiting', reason: `there is no account "lost" in memory:; ${CREATE}` },
    });
  });

  it.each([
    ['x', 'it needs an https URL in --issuer, because browsers send its cookies only over https'],
    ['http://api.test', 'it needs an https URL in --issuer, because browsers send its cookies only over https'],
    ['https://api.test/auth', 'it needs a URL without a path in --issuer'],
  ])('is none with the issuer %s', async (issuer, reason) => {
    await addAccounts('acme');
    expect(await choose({ issuer })).toEqual({ state: 'none', reason });
  });

  it.each(['https://api.test', 'https://api.test/', 'http://127.0.0.1:4000'])(
    'may have the issuer %s',
    async (issuer) => {
      await addAccounts('acme');
      expect(await choose({ issuer })).toEqual({ state: 'chosen', account: 'acme' });
    },
  );

  it('is waited for while the database cannot be reached', async () => {
    const reason = 'the database memory: cannot be reached, or is read-only';
    expect(await choose({}, { ...store, ready: async () => false })).toEqual({ state: 'waiting', reason });
    await store.close();
    for (const account of [undefined, 'acme']) {
      const lost = { ...store, ready: async () => true };
      expect(await choose(account === undefined ? {} : { account }, lost)).toEqual({
        ...{ state: 'waiting', reason: expect.stringMatching(/^the database memory: returned an error: .*closed/) },
      });
    }
  });

  it('is not known after a fault of the program', async () => {
    const fault = new TypeError('a fault');
    const repository = { ...store.repository, accounts: () => Promise.reject(fault) };
    const broken = { ...store, ready: async () => true, repository };
    await expect(choose({}, broken)).rejects.toBe(fault);
  });
});

describe('the Dashboard', () => {
  it('has links for two members, on lines of their own', async () => {
    await addAccounts('acme');
    const { links } = serveDashboard(store, 'acme', { issuer: 'https://a.test', audience: 'x' });
    const { url, account, developer, owner } = links();
    expect([url, account]).toEqual(['https://a.test/dashboard', 'acme']);
    expect(new Set([developer, owner]).size).toBe(2);
    expect(linesOfLinks({ url, account, developer, owner })).toEqual([
      ...['Sign in as Owner (the link works once and expires after 15 minutes):', owner],
      ...['Sign in as Developer (the link works once and expires after 15 minutes):', developer],
    ]);
  });

  it('shows the token endpoint of the issuer with a new access key', async () => {
    await addAccounts('acme');
    const app = express();
    const served = await serve(app);
    const issuer = `http://127.0.0.1:${served.port}`;
    const { routers, links } = serveDashboard(store, 'acme', { issuer, audience: 'https://api.test' });
    app.use('/dashboard', ...routers);
    const browser = new Browser(served.port);
    await browser.signIn(links().owner);
    const csrf = formTokenIn(await browser.get('/dashboard/access-keys/new'));
    const made = await browser.post('/dashboard/access-keys', { ...newForm('accessKeys'), csrf });
    await served.close();
    expect(made.status).toBe(201);
    expect(made.body).toContain(`${issuer}/connect/token`);
  });
});
