/** The Dashboard as `keyward serve` has it, in this process, for the tests of one file. */
import { afterAll, beforeAll } from '@jest/globals';
import express from 'express';
import { type AccountSettings, createManagement, type Management, type Member } from 'keyward/management';
import type { CredentialStore } from 'keyward/store';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { DASHBOARD_PATH, type ServedDashboard, serveDashboard } from '../../lib/cli/serve/served-dashboard.js';
import type { Chromium } from './browser.js';
import { type Served, serve } from './raw-http.js';
import { makeStores, type Stores } from './store-places.js';

export type Role = 'developer' | 'owner';

export interface BrowserSite {
  readonly store: CredentialStore;
  readonly management: Management;
  /** Acts beside the browser, with the permission Owner. */
  readonly owner: Member;
  readonly port: number;
  /** Where the Dashboard is: `http://127.0.0.1:4000/dashboard`. */
  readonly url: string;
  /** A link that has not been used. */
  link(role: Role): string;
  /** A page of the lists, in a browser that was signed in: for tests that are about something else. */
  enter(chromium: Chromium, role: Role, options?: BrowserContextOptions): Promise<Page>;
}

/** What the account has, beside what is asked for. */
const HAS = {
  apis: ['payments', 'disputes'],
  scopes: ['payments', 'payments:refund', 'disputes'],
  channels: ['pc_web', 'pc_shop'],
  platforms: ['shop'],
} as const satisfies AccountSettings;

export function browserSite(settings: AccountSettings = {}, account = 'acme'): BrowserSite {
  let stores: Stores;
  let store: CredentialStore;
  let served: Served;
  let management: Management;
  let dashboard: ServedDashboard;
  /** The cookies of earlier sign-ins. */
  const sessions = new Map<Role, Awaited<ReturnType<BrowserContext['storageState']>>>();

  beforeAll(async () => {
    stores = await makeStores('memory');
    store = await stores.open();
    management = createManagement({ store });
    await management.accounts.put('operator', account, { ...HAS, ...settings });
    const app = express();
    served = await serve(app);
    const issuer = `http://127.0.0.1:${served.port}`;
    dashboard = serveDashboard(store, account, { issuer, audience: 'https://api.example.com' });
    app.use(DASHBOARD_PATH, ...dashboard.routers);
  });

  afterAll(async () => {
    await served.close();
    await stores.close();
  });

  return {
    owner: { id: 'olga@acme.example', account, permissions: ['owner'] },
    get store() {
      return store;
    },
    get management() {
      return management;
    },
    get port() {
      return served.port;
    },
    get url() {
      return `http://127.0.0.1:${served.port}${DASHBOARD_PATH}`;
    },
    link: (role) => dashboard.links()[role],
    async enter(chromium, role, options = {}) {
      const storageState = sessions.get(role);
      if (storageState === undefined) {
        const page = await signIn(await chromium.context(options), dashboard.links()[role]);
        sessions.set(role, await page.context().storageState());
        return page;
      }
      const page = await chromium.page({ ...options, storageState });
      await page.goto(`http://127.0.0.1:${served.port}${DASHBOARD_PATH}/`);
      return page;
    },
  };
}

/** Signs in as people do: opens the link, and presses the button. */
export async function signIn(context: BrowserContext, link: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'API keys', exact: true }).waitFor();
  return page;
}
