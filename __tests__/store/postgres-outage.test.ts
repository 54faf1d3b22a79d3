import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { ApiKeysOptions } from 'keyward';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { A5, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createManualClock } from '../support/manual-clock.js';
import { type StoreApi, serveStore } from '../support/store-api.js';
import { type BulkKey, storeKeys } from '../support/store-bulk.js';
import { holdDatabase, onDatabase, schemaOf } from '../support/store-database.js';
import { feedOf, makeStores, revoke, type Stores, storeKey } from '../support/store-places.js';
import { type StoreProxy, startStoreProxy } from '../support/store-proxy.js';
import { eventually, pause } from '../support/store-wait.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

/** Milliseconds that what is cached is believed while the store is out of reach. */
const R2 = 30_000;

onServer('PostgreSQL behind a network that fails', () => {
  let stores: Stores;
  let near: CredentialStore;
  let proxy: StoreProxy;
  let events: Eavesdropper;
  let apis: StoreApi[];
  let roles: string[];

  beforeEach(async () => {
    events = eavesdrop();
    stores = await makeStores('PostgreSQL');
    near = await stores.open();
    proxy = await startStoreProxy(stores.url);
    apis = [];
    roles = [];
  });

  afterEach(async () => {
    events.stop();
    await Promise.all(apis.map((api) => api.close()));
    await proxy.close();
    await stores.close();
    await onDatabase(POSTGRES ?? '', ...roles.map((role) => `drop role ${role}`));
  });

  const openFar = () => stores.openAsIs(proxy.urlOf(stores.url));

  /** Store keys before: their changes, and the first poll of a feed, drop what is cached. */
  async function serveFar(options: Partial<ApiKeysOptions> = {}): Promise<StoreApi> {
    const store = await stores.open({}, proxy.urlOf(stores.url));
    const api = await serveStore(store, options);
    apis.push(api);
    await feedOf(store);
    return api;
  }

  it('F01 it is down at the start: no key is accepted or refused; when it is up they are, without a restart', async () => {
    const { text } = await storeKey(near);
    await proxy.refuse();
    const store = await openFar();
    const unreachable = () =>
      events.heard<StoreWarning>('keyward:store').filter(({ warning }) => warning === 'unreachable');
    expect(unreachable()).toEqual([{ warning: 'unreachable', detail: expect.stringMatching(/./) }]);
    const api = await serveStore(store);
    apis.push(api);
    expect([await store.ready(), await api.answer(text)]).toEqual([false, A5]);
    await expect(store.repository.transact(async () => undefined)).rejects.toMatchObject({ code: 'store_unavailable' });
    await eventually(() => unreachable().length > 1);
    expect([await store.ready(), await api.answer(text)]).toEqual([false, A5]);
    await proxy.accept();
    expect(await eventually(() => store.ready())).toBeLessThan(5_000);
    expect(await api.status(text)).toBe(200);
  });

  it('it is down at the start, and then up, but the encryption key is wrong: unusable, and no signing key is written, until it is right', async () => {
    await stores.open({ encryptionKey: Buffer.alloc(32, 1) });
    await proxy.refuse();
    const store = await stores.openAsIs(proxy.urlOf(stores.url), { encryptionKey: Buffer.alloc(32, 2) });
    const warnings = () =>
      events.heard<StoreWarning>('keyward:store').filter(({ warning }) => /reachable|unusable/.test(warning));
    events.clear();
    await proxy.accept();
    await eventually(() => warnings().some(({ warning }) => warning === 'unusable'));
    expect(warnings().at(-1)).toEqual({ warning: 'unusable', detail: expect.stringMatching(/^no key in .* decrypt/) });
    expect(await store.ready()).toBe(false);
    const key = { kid: 'wrong', alg: 'ES256', jwk: {}, createdAt: new Date() };
    await expect(store.addSigningKey(key, undefined)).rejects.toMatchObject({ code: 'encryption_key' });
    await expect(store.reencryptSigningKeys('operator')).rejects.toMatchObject({ code: 'encryption_key' });
    expect(await store.describeSigningKeys()).toEqual([]);
    events.clear();
    const schema = new URL(stores.url).searchParams.get('schema');
    await onDatabase(POSTGRES ?? '', `delete from "${schema}".encryption_check`);
    await eventually(() => store.ready());
    expect(warnings().at(-1)?.warning).toBe('reachable');
    expect(warnings().map(({ warning }) => warning)).not.toContain('unreachable');
  });

  it('F01 it is down at the start, and the store is closed before it is up: no more attempts', async () => {
    await proxy.refuse();
    const store = await openFar();
    await store.close();
    await proxy.accept();
    events.clear();
    expect(await store.ready()).toBe(false);
    expect(events.heard('keyward:store')).toEqual([]);
  });

  it.each(['succeeds', 'fails'])(
    'it is down at the start, and the store is closed during an attempt that %s: no warning',
    async (end) => {
      await proxy.refuse();
      const store = await openFar();
      const held = await holdDatabase(stores.url, 'lock table migrations in access exclusive mode');
      await proxy.accept();
      const attempts = `from pg_stat_activity where wait_event_type = 'Lock' and query like '%"${schemaOf(stores.url)}"."migrations"%'`;
      await eventually(async () => (await onDatabase(stores.url, `select pid ${attempts}`)).length === 1);
      events.clear();
      const closing = store.close();
      if (end === 'fails') await onDatabase(stores.url, `select pg_terminate_backend(pid) ${attempts}`);
      await held.commit();
      await closing;
      await new Promise(setImmediate);
      expect(events.heard('keyward:store')).toEqual([]);
    },
  );

  it('F02 it is killed under load, and restarted: cached keys are accepted until R2, then A5, other keys A5, and none is refused', async () => {
    const clock = createManualClock();
    clock.setWall(Date.now() - clock.now());
    const [warm, cold] = [
      await storeKeys(near, stores.url, { count: 5 }),
      await storeKeys(near, stores.url, { account: 'cold', count: 5 }),
    ];
    const api = await serveFar({ clock });
    const statusesOf = async (keys: readonly BulkKey[]) =>
      new Set(await Promise.all(keys.map(({ text }) => api.status(text))));
    expect(await statusesOf(warm)).toEqual(new Set([200]));

    const seen = new Set<number>();
    let isOver = false;
    async function client({ text }: BulkKey): Promise<void> {
      while (!isOver) {
        seen.add(await api.status(text));
        await pause(5);
      }
    }
    const load = Promise.all([...warm, ...cold].map(client));
    await proxy.refuse();
    await eventually(() => seen.has(503));
    expect(await statusesOf(cold)).toEqual(new Set([503]));
    clock.advance(R2 - 1_000);
    expect(await statusesOf(warm)).toEqual(new Set([200]));
    clock.advance(2_000);
    expect(await statusesOf(warm)).toEqual(new Set([503]));
    expect(await api.answer(warm[0]?.text ?? '')).toEqual(A5);
    clock.advance(R2);
    expect(await statusesOf([...warm, ...cold])).toEqual(new Set([503]));

    await proxy.accept();
    const isBack = async () => [...(await statusesOf([...warm, ...cold]))].join() === '200';
    expect(await eventually(isBack, 10_000)).toBeLessThan(5_000);
    isOver = true;
    await load;
    expect([...seen].sort()).toEqual([200, 503]);
  });

  it('F03 its answers take 5 s: A5 after 1 s, at most maxLookups in flight, and cached keys are accepted meanwhile', async () => {
    const { text } = await storeKey(near);
    const api = await serveFar({ maxLookups: 8 });
    expect(await api.status(text)).toBe(200);
    proxy.delay(5_000);
    const start = performance.now();
    let isOver = false;
    const answers = Promise.all(Array.from({ length: 24 }, () => api.answer(mintKey('secret', 'live')))).finally(() => {
      isOver = true;
    });
    const meanwhile: number[] = [];
    while (!isOver) meanwhile.push(await api.status(text));
    expect(await answers).toEqual(Array(24).fill(A5));
    expect(performance.now() - start).toBeGreaterThan(900);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(api.mostInFlight()).toBeLessThanOrEqual(8);
    expect(meanwhile.length).toBeGreaterThan(10);
    expect(new Set(meanwhile)).toEqual(new Set([200]));
  });

  it('F03 three in ten of its packets are lost: 200 or A5, never a refusal', async () => {
    const keys = await storeKeys(near, stores.url, { count: 30 });
    const api = await serveFar();
    proxy.lose(3);
    const statuses = await Promise.all(keys.map(({ text }) => api.status(text)));
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses).toContain(200);
  });

  it('F03 it has too many clients: A5, and never a refusal', async () => {
    const role = `role_${randomBytes(6).toString('hex')}`;
    roles.push(role);
    const { text } = await storeKey(near);
    const grants = ['grant usage on schema', 'grant select on all tables in schema'];
    const schema = new URL(stores.url).searchParams.get('schema');
    await onDatabase(
      POSTGRES ?? '',
      `create role ${role} login password 'none' connection limit 2`,
      ...grants.map((grant) => `${grant} "${schema}" to ${role}`),
    );
    const limited = new URL(stores.url);
    Object.assign(limited, { username: role, password: 'none' });
    const store = await stores.open({}, limited.href);
    const api = await serveStore(store);
    apis.push(api);
    const others = await stores.openAsIs(limited.href);
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => api.answer(mintKey('secret', 'live'))));
      expect(answers.filter(({ status }) => status !== 401 && status !== 503)).toEqual([]);
      return answers.some(({ status }) => status === 503);
    });
    expect([200, 503]).toContain(await api.status(text));
    const asked = Array.from({ length: 10 }, async (_, at) => store.resolveAccessKey(`none_${at}`));
    const settled = await Promise.allSettled(asked);
    expect(settled).toContainEqual({ status: 'rejected', reason: expect.objectContaining({ driverCode: '53300' }) });
    await others.close();
  });

  it('F24 a flood of invalid keys while it hangs: valid cached keys are accepted, and at most maxLookups wait', async () => {
    const { text } = await storeKey(near);
    const api = await serveFar({ maxLookups: 4, timeout: 200 });
    expect(await api.status(text)).toBe(200);
    proxy.delay(5_000);
    const flood = Array.from({ length: 100 }, () => api.answer(mintKey('secret', 'live')));
    for (let turn = 0; turn < 20; turn += 1) expect(await api.status(text)).toBe(200);
    expect(await Promise.all(flood)).toEqual(Array(100).fill(A5));
    expect(api.mostInFlight()).toBeLessThanOrEqual(4 + 4);
  });

  it.each([
    ['ahead', 300_000],
    ['behind', -300_000],
  ])(
    'F08 a network partition of 90 s, its clock 5 min %s, 10 keys are revoked: all are refused after the partition',
    async (_where, apart) => {
      const clock = createManualClock();
      clock.setWall(Date.now() + apart - clock.now());
      const keys = await storeKeys(near, stores.url, { count: 10 });
      const api = await serveFar({ clock });
      for (const { text } of keys) expect(await api.status(text)).toBe(200);
      await proxy.refuse();
      for (const { id } of keys) await revoke(near, id);
      clock.advance(29_000);
      expect(await api.status(keys[0]?.text ?? '')).toBe(200);
      clock.advance(2_000);
      for (const { text } of keys) expect(await api.answer(text)).toEqual(A5);
      clock.advance(60_000);
      expect(await api.answer(keys[0]?.text ?? '')).toEqual(A5);
      await proxy.accept();
      await eventually(async () => {
        const answers = await Promise.all(keys.map(({ text }) => api.answer(text)));
        expect(answers.filter(({ status }) => status === 200)).toEqual([]);
        return answers.every(({ status }) => status === 401);
      });
      expect(await api.answer(keys[0]?.text ?? '')).toEqual(T1);
    },
  );
});
