// Takes the pictures of docs/dashboard/, or with a folder as argument every page in every width and theme, to look at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import express from 'express';
import { createDashboard } from 'keyward/dashboard';
import { createManagement } from 'keyward/management';
import { openStore } from 'keyward/store';
import { chromium } from 'playwright-core';
import { progressLine } from './progress-line.js';

const DOCS = fileURLToPath(new URL('../docs/dashboard/', import.meta.url));
const folder = process.argv[2];
const executablePath = process.env.KEYWARD_TEST_BROWSER ?? '/usr/bin/chromium';

const MINUTE = 60_000;
const DAY = 86_400_000;
// A moment that does not change, so that pictures do.
const NOW = Date.parse('2026-11-20T15:04:00Z');

/** A clock that the sample data is made by, hour by hour. */
const clock = { time: NOW - 90 * DAY, now: () => clock.time, monotonic: () => clock.time };

const store = await openStore('memory:');
const management = createManagement({ store, clock });
await management.accounts.put('operator', 'acme', {
  apis: ['payments', 'disputes', 'payouts'],
  scopes: ['payments', 'payments:refund', 'disputes', 'payouts'],
  channels: ['web_shop', 'mobile_app', 'pos'],
  platforms: ['shopify'],
});
const dana = { id: 'dana@acme.example', account: 'acme', permissions: ['owner'] };
const kim = { id: 'kim@acme.example', account: 'acme', permissions: ['developer'] };

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6e4f"/><path d="M7 17 12 6l5 11M9 13.5h6" fill="none" stroke="#fff" stroke-width="2"/></svg>';

const made = await makeKeys();
const app = express();
let member = dana;
app.get('/logo.svg', (_req, res) => res.type('svg').send(LOGO));
app.use(
  '/',
  createDashboard({
    management,
    clock,
    memberOf: () => member,
    productName: 'Acme Pay',
    logoUrl: '/logo.svg',
    signOutUrl: '/out',
  }),
);
const server = createServer(app).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const site = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  if (folder === undefined) await takeForDocs();
  else await takeAll(folder);
} finally {
  await browser.close();
  server.close();
  await store.close();
}

async function makeKeys() {
  const settings = [
    [kim, { kind: 'secret', apis: ['payments'], name: 'Order service', channels: ['web_shop'] }],
    [kim, { kind: 'public', apis: ['payments'], name: 'Checkout page' }],
    [dana, { kind: 'secret', apis: ['disputes'], name: 'Dispute importer', expiresAt: new Date(NOW + 9 * DAY) }],
    [kim, { kind: 'secret', apis: 'all', name: 'Back office', environment: 'sandbox' }],
    [dana, { kind: 'secret', apis: ['payouts'], name: 'Payout runner' }],
    [kim, { kind: 'public', apis: ['payments'], name: 'Mobile app', channels: ['mobile_app'] }],
    [kim, { kind: 'secret', apis: ['payments', 'disputes', 'payouts'], name: 'Accounting export' }],
  ];
  const keys = [];
  for (const [by, given] of settings) {
    clock.time += 6 * DAY + 47 * MINUTE;
    keys.push((await management.keys.create(by, given)).key);
  }
  const [orders, , , , payouts, , accounting] = keys;
  clock.time = NOW - 3 * DAY;
  await management.keys.edit(dana, accounting.id, { version: 1, disabled: true });
  await management.keys.edit(dana, orders.id, { version: 1, scopes: ['payments', 'payments:refund'] });
  clock.time = NOW - 2 * 60 * MINUTE;
  await management.keys.rotate(dana, orders.id, 86_400);
  await management.keys.revoke(dana, payouts.id).catch(() => {});
  const access = [];
  for (const name of ['Billing server', 'Data warehouse']) {
    clock.time += MINUTE;
    access.push((await management.accessKeys.create(dana, { name, scopes: ['payments', 'payments:refund'] })).key);
  }
  clock.time = NOW;
  return { orders, accounting, access: access[0] };
}

function pages() {
  const key = `/keys/${made.orders.id}`;
  return {
    keys: '/',
    empty: '/?text=no+such+key',
    'access-keys': '/access-keys',
    key,
    'access-key': `/access-keys/${made.access.id}`,
    disabled: `/keys/${made.accounting.id}`,
    rotate: `${key}/rotate/confirm`,
    disable: `${key}/disable/confirm`,
    revoke: `${key}/revoke`,
    edit: `${key}/edit`,
    new: '/keys/new',
    'new-secret': '/keys/new?kind=secret',
    'new-access': '/access-keys/new',
    audit: '/audit',
    missing: '/keys/none',
  };
}

async function takeAll(target) {
  mkdirSync(target, { recursive: true });
  const line = progressLine();
  const all = Object.entries(pages());
  for (const width of [390, 768, 1280]) {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme,
        isMobile: width < 600,
        hasTouch: width < 600,
      });
      const page = await context.newPage();
      for (const [name, path] of all) {
        line.show(`${name} ${width} ${colorScheme}`);
        await page.goto(site + path);
        await page.screenshot({ path: join(target, `${name}-${width}-${colorScheme}.png`), fullPage: true });
      }
      await createOne(page);
      await page.screenshot({ path: join(target, `shown-once-${width}-${colorScheme}.png`), fullPage: true });
      await context.close();
    }
  }
  line.clear();
}

async function createOne(page) {
  await page.goto(`${site}/keys/new?kind=secret`);
  await page.getByLabel('Name', { exact: true }).fill('Invoices');
  await page.locator('[name=apis][value=payments]').check();
  await page.getByRole('button', { name: 'Create' }).click();
  await page.waitForSelector('#text');
}

async function takeForDocs() {
  mkdirSync(DOCS, { recursive: true });
  const desktop = { viewport: { width: 960, height: 480 } };
  const list = { viewport: { width: 960, height: 510 } };
  const phone = { viewport: { width: 390, height: 660 }, isMobile: true, hasTouch: true };
  const { keys, key, rotate, audit } = pages();
  const wanted = [
    ['overview.png', list, keys],
    ['key.png', { ...desktop, colorScheme: 'dark' }, key],
    ['rotate.png', desktop, rotate],
    ['audit.png', desktop, audit],
    ['phone.png', phone, keys],
  ];
  for (const [name, options, path] of wanted) {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(site + path);
    writeFileSync(DOCS + name, await page.screenshot({ animations: 'disabled' }));
  }
  const page = await (await browser.newContext(desktop)).newPage();
  member = kim;
  await createOne(page);
  writeFileSync(`${DOCS}shown-once.png`, await page.screenshot({ animations: 'disabled' }));
}
