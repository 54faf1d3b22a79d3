/** A Dashboard with an account that has used its keys for three months: for pictures, and to look at. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import express from 'express';
import { createDashboard } from 'keyward/dashboard';
import { createManagement } from 'keyward/management';
import { openStore } from 'keyward/store';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A moment that does not change, so that pictures do not change either. */
const NOW = Date.parse('2026-11-20T15:04:00Z');

const OWNER = { id: 'dana@acme.example', account: 'acme', permissions: ['owner'] };
const DEVELOPER = { id: 'kim@acme.example', account: 'acme', permissions: ['developer'] };
const NEWCOMER = { id: 'lee@new.example', account: 'new', permissions: ['owner'] };

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="#0b6e4f"/><path d="M7 17 12 6l5 11M9 13.5h6" fill="none" stroke="#fff" stroke-width="2"/></svg>';

/** @returns The app, the keys in it, and `signIn(role)`, which says who the next requests come from. */
export async function openSample() {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-sample-'));
  const file = join(folder, 'keyward.db');
  const store = await openStore(`file:${file}`);
  const clock = { time: NOW - 90 * DAY, now: () => clock.time, monotonic: () => clock.time };
  const management = createManagement({ store, clock });
  const keys = await createKeys(management, clock);
  writeUses(file, keys);

  const members = { owner: OWNER, developer: DEVELOPER, newcomer: NEWCOMER };
  let member = OWNER;
  const app = express();
  app.get('/logo.svg', (_req, res) => res.type('svg').send(LOGO));
  app.use(
    createDashboard({
      ...{
        management,
        clock,
        memberOf: () => member,
        productName: 'Acme Pay',
        logoUrl: '/logo.svg',
        signOutUrl: '/out',
      },
      ...{ apiUrl: 'https://api.acme.example/me', tokenUrl: 'https://access.acme.example/connect/token' },
    }),
  );
  return {
    app,
    keys,
    signIn(role) {
      member = members[role];
    },
    async close() {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function createKeys(management, clock) {
  const entitlement = {
    apis: ['payments', 'disputes', 'payouts'],
    scopes: ['payments', 'payments:refund', 'disputes', 'payouts'],
    channels: ['web_shop', 'mobile_app', 'pos'],
    platforms: ['shopify'],
  };
  for (const account of ['acme', 'new']) await management.accounts.put('operator', account, entitlement);
  const created = {};
  const create = async (name, by, settings) => {
    clock.time += 6 * DAY + 47 * MINUTE;
    created[name] = (await management.keys.create(by, { kind: 'secret', apis: ['payments'], ...settings })).key;
  };
  await create('orders', DEVELOPER, {
    name: 'Order service',
    channels: ['web_shop'],
    allowedAddresses: ['203.0.113.0/24'],
  });
  await create('checkout', DEVELOPER, { kind: 'public', name: 'Checkout page' });
  await create('disputes', OWNER, { apis: ['disputes'], name: 'Dispute importer', expiresAt: new Date(NOW + 9 * DAY) });
  await create('office', DEVELOPER, { apis: 'all', name: 'Back office', environment: 'sandbox' });
  await create('payouts', OWNER, { apis: ['payouts'], name: 'Payout runner' });
  await create('mobile', DEVELOPER, { kind: 'public', name: 'Mobile app', channels: ['mobile_app'] });
  await create('accounting', DEVELOPER, { apis: ['payments', 'disputes', 'payouts'], name: 'Accounting export' });
  clock.time = NOW - 3 * DAY;
  await management.keys.edit(OWNER, created.accounting.id, { version: 1, disabled: true });
  await management.keys.edit(OWNER, created.orders.id, { version: 1, scopes: ['payments', 'payments:refund'] });
  clock.time = NOW - 2 * HOUR;
  await management.keys.rotate(OWNER, created.orders.id, 86_400);
  await management.keys.revoke(DEVELOPER, created.payouts.id).catch(() => undefined);
  const scopes = ['payments', 'payments:refund'];
  for (const [name, title] of [
    ['billing', 'Billing server'],
    ['warehouse', 'Data warehouse'],
  ]) {
    clock.time += MINUTE;
    created[name] = (await management.accessKeys.create(OWNER, { name: title, scopes })).key;
  }
  clock.time = NOW;
  return created;
}

/** Requests of a usual day, milliseconds since the last one, and the days on which there were any. */
function usesOf(keys) {
  return [
    { key: keys.orders, daily: 4_200, ago: 4 * MINUTE, days: 30 },
    { key: keys.checkout, daily: 11_800, ago: MINUTE, days: 30 },
    { key: keys.disputes, daily: 36, ago: 5 * HOUR, days: 30 },
    { key: keys.office, daily: 90, ago: 2 * DAY, days: 30 },
    { key: keys.payouts, daily: 0, ago: 41 * DAY, days: 0 },
    { key: keys.mobile, daily: 2_650, ago: 2 * MINUTE, days: 30 },
    { key: keys.accounting, daily: 240, ago: 3 * DAY, days: 30 },
    { key: keys.billing, daily: 310, ago: HOUR, days: 1 },
  ];
}

/** The store counts requests on the day on which they come, so days that are over are written into its tables. */
function writeUses(file, keys) {
  const database = new Database(file);
  const addDay = database.prepare('insert into usage (key_id, day, accepted, refused) values (?, ?, ?, ?)');
  const setSecret = database.prepare('update secrets set last_used_at = ?, last_used_from = ? where key_id = ?');
  const setKey = database.prepare('update keys set used_at = ? where id = ?');
  const today = Math.floor(NOW / DAY);
  for (const { key, daily, ago, days } of usesOf(keys)) {
    setSecret.run(NOW - ago, '203.0.113.7', key.id);
    setKey.run(NOW - ago, key.id);
    for (let day = today - days + 1; day <= today; day += 1) {
      const isDisabled = key === keys.accounting && day > today - 3;
      const count = Math.round(daily * shareOf(day));
      addDay.run(key.id, day, isDisabled ? 0 : count, isDisabled ? count : 0);
    }
  }
  database.close();
}

/** A week with a quiet weekend and a little noise, the same in every run. */
function shareOf(day) {
  const weekday = (day + 4) % 7;
  const noise = ((day * 7_919) % 23) / 60;
  return (weekday === 0 || weekday === 6 ? 0.45 : 0.8) + noise;
}
