import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { storeKeys } from '../support/store-bulk.js';
import { onDatabase } from '../support/store-database.js';
import type { HeardFeed } from '../support/store-listener.js';
import { feedOf, makeStores, revoke, type Stores, storeKey } from '../support/store-places.js';
import { type StoreProxy, startStoreProxy } from '../support/store-proxy.js';
import { eventually, pause } from '../support/store-wait.js';
import { onServer } from '../support/test-stores.js';

onServer('the channel of a store in PostgreSQL', () => {
  let stores: Stores;
  let near: CredentialStore;
  let nearby: string;
  let far: CredentialStore;
  let proxy: StoreProxy;
  let heard: HeardFeed;
  let api: StoreApi;
  let events: Eavesdropper;

  beforeEach(async () => {
    stores = await makeStores('PostgreSQL');
    nearby = `near_${randomBytes(6).toString('hex')}`;
    const url = new URL(stores.url);
    url.searchParams.set('application_name', nearby);
    near = await stores.open({}, url.href);
    proxy = await startStoreProxy(stores.url);
  });

  afterEach(async () => {
    events.stop();
    await api.close();
    await proxy.close();
    await stores.close();
  });

  /** Only what the far store says is heard from here on: the near one listens already. */
  async function openFar(application = 'keyward'): Promise<void> {
    await eventually(async () => (await listeners(nearby)).length > 0);
    events = eavesdrop();
    const url = new URL(proxy.urlOf(stores.url));
    url.searchParams.set('application_name', application);
    far = await stores.open({}, url.href);
    heard = await feedOf(far);
    api = await serveStore(far);
  }

  const listeners = (application: string) =>
    onDatabase(
      stores.url,
      `select pid from pg_stat_activity where application_name = '${application}' and query like 'notify "keyward_beat%'`,
    );
  const warnings = () => events.heard<StoreWarning>('keyward:store').map(({ warning }) => warning);
  const saidLast = (warning: string) => eventually(() => warnings().at(-1) === warning);

  it('notices a commit immediately, long before the next poll', async () => {
    await openFar();
    await saidLast('listening');
    const waits: number[] = [];
    for (let turn = 0; turn < 9; turn += 1) {
      const { id } = await storeKey(near);
      waits.push(await eventually(() => heard.changes.some((change) => JSON.stringify(change).includes(id))));
    }
    expect(waits.sort((one, other) => one - other)[4]).toBeLessThan(200);
  });

  it('F05 its connection is terminated repeatedly: a commit in the gap is noticed, and it listens again', async () => {
    const application = `far_${randomBytes(6).toString('hex')}`;
    await openFar(application);
    for (let turn = 0; turn < 2; turn += 1) {
      await saidLast('listening');
      events.clear();
      const { id, text } = await storeKey(near);
      expect(await api.status(text)).toBe(200);
      const terminated = await onDatabase(
        stores.url,
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${application}'`,
      );
      expect(terminated.length).toBeGreaterThan(0);
      await revoke(near, id);
      expect(await eventually(async () => (await api.status(text)) === 401)).toBeLessThan(5_000);
      await eventually(() => warnings().includes('polling_only'));
    }
    await saidLast('listening');
  });

  it('F06 its packets are dropped without an error: noticed within 5 s, and it listens again', async () => {
    await openFar();
    await saidLast('listening');
    proxy.silence('listening');
    await eventually(() => warnings().includes('polling_only'), 5_000);
    expect(events.heard('keyward:store').at(-1)).toMatchObject({
      detail:
        'a PostgreSQL test notification (NOTIFY) did not arrive within 1.5 seconds; the connection was probably lost',
    });
    await saidLast('listening');
    expect(proxy.listening()).toBe(1);
  });

  it('F07 100 revocations while its packets are dropped: no key is accepted after the time limit', async () => {
    const keys = await storeKeys(near, stores.url, { count: 100 });
    await openFar();
    await saidLast('listening');
    for (const { text } of keys) expect(await api.status(text)).toBe(200);
    proxy.silence('listening');
    const committed = new Map<string, number>();
    for (const { id, text } of keys) {
      await revoke(near, id);
      committed.set(text, performance.now());
    }
    for (const [text, at] of committed) {
      await eventually(async () => {
        const sentAt = performance.now();
        const status = await api.status(text);
        if (status === 200) expect(sentAt - at).toBeLessThan(5_000);
        return status === 401;
      });
    }
  });

  it.each(['deafen', 'forgetListen', 'refuseListen'] as const)(
    'F11 a pooler, database or replica without LISTEN (%s): reported once, tried rarely, and changes are found by polling',
    async (fault) => {
      proxy[fault]();
      await openFar();
      await eventually(() => warnings().includes('polling_only'));
      const { id, text } = await storeKey(near);
      expect(await api.status(text)).toBe(200);
      await revoke(near, id);
      expect(await eventually(async () => (await api.status(text)) === 401)).toBeLessThan(5_000);
      await pause(1_200);
      expect(warnings()).toEqual(['polling_only']);
    },
  );

  it('F10 a writer dies between its commit and its notification: the poll finds the change', async () => {
    await openFar();
    await saidLast('listening');
    const { id, text } = await storeKey(near);
    expect(await api.status(text)).toBe(200);
    await onDatabase(
      stores.url,
      'begin',
      `update keys set revoked_at = 1 where id = '${id}'`,
      'update feed_head set position = position + 1',
      `insert into changes select position, 'unsaid', 'key', '${id}' from feed_head`,
      'commit',
    );
    expect(await eventually(async () => (await api.status(text)) === 401)).toBeLessThan(5_000);
  });

  it('stops when the store is closed, even while its packets are dropped', async () => {
    await openFar();
    await saidLast('listening');
    proxy.silence('all');
    await far.close();
    const said = warnings();
    await pause(300);
    expect(warnings()).toEqual(said);
    expect(proxy.listening()).toBe(0);
  });
});
