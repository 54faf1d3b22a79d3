import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Change } from 'keyward';
import type { CredentialStore, StoreWarning } from 'keyward/store';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { holdDatabase, onDatabase } from '../support/store-database.js';
import { type HeardFeed, listenTo } from '../support/store-listener.js';
import { feedOf, makeStores, type Stores, storeKey } from '../support/store-places.js';
import { eventually, pause } from '../support/store-wait.js';
import { engines, sharedEngines } from '../support/test-stores.js';

let stores: Stores;
let events: Eavesdropper;

beforeEach(() => {
  events = eavesdrop();
});

afterEach(async () => {
  events.stop();
  await stores.close();
});

const notify = (store: CredentialStore, ...changes: readonly Change[]) =>
  store.repository.transact(async (tx) => {
    for (const change of changes) tx.notify(change);
  });

describe.each(engines)('the change feed in %s', (engine) => {
  it('confirms the cache repeatedly while nothing changes, until it is stopped', async () => {
    stores = await makeStores(engine);
    const store = await stores.open();
    const [heard, ended] = [listenTo(store), listenTo(store)];
    ended.stop();
    await eventually(() => heard.currents() >= 3);
    expect(heard.changes.filter((change) => change !== 'all')).toEqual([]);
    expect([ended.currents(), ended.changes]).toEqual([0, []]);
    expect(events.heard('keyward:store').filter((event) => event.warning !== 'listening')).toEqual([]);
  });

  it('notifies every listener of a change before its transaction resolves', async () => {
    stores = await makeStores(engine);
    const store = await stores.open();
    const heard = [await feedOf(store), await feedOf(store)];
    await notify(store, { key: 'key_1' });
    expect(heard.map(({ changes }) => changes[0])).toEqual([{ key: 'key_1' }, { key: 'key_1' }]);
  });
});

describe.each(sharedEngines)('the change feed in %s, between two stores', (engine) => {
  let here: CredentialStore;
  let there: CredentialStore;
  let heard: HeardFeed;

  beforeEach(async () => {
    stores = await makeStores(engine);
    [here, there] = [await stores.open(), await stores.open()];
    heard = await feedOf(there);
  });

  const sql = (...statements: string[]) => onDatabase(stores.url, ...statements);
  const headPosition = async () => Number((await sql('select position from feed_head'))[0]?.position);

  it('every change arrives there, of each kind', async () => {
    const changes: readonly Change[] = [{ key: 'a' }, { accessKey: 'b' }, { account: 'c' }, 'all', { key: 'a' }];
    await notify(here, ...changes);
    await eventually(() => heard.changes.length >= changes.length);
    expect(heard.changes).toEqual(changes);
  });

  it('changes of many writers arrive once each, in the order of their commits', async () => {
    const writers = [here, there, await stores.open()];
    const said = Array.from({ length: 60 }, (_, at) => ({ key: `key_${at}` }));
    const listener = await feedOf(await stores.open());
    await Promise.all(
      writers.map(async (store, of) => {
        for (const change of said.filter((_, at) => at % writers.length === of)) await notify(store, change);
      }),
    );
    await eventually(() => listener.changes.length >= said.length);
    const rows = await sql(`select subject from changes where member = 'key' order by position`);
    expect(listener.changes).toEqual(rows.map(({ subject }) => ({ key: subject })));
    expect(new Set(listener.changes.map((change) => JSON.stringify(change))).size).toBe(said.length);
  });

  it('a step that is written but not committed delays later steps', async () => {
    const first = await holdDatabase(
      stores.url,
      'update feed_head set position = position + 1',
      `insert into changes select position, 'raw', 'key', 'first' from feed_head`,
    );
    const second = notify(here, { key: 'second' });
    const polls = heard.currents();
    await eventually(() => heard.currents() > polls + 1);
    expect(heard.changes).toEqual([]);
    await first.commit();
    await second;
    await eventually(() => heard.changes.length === 2);
    expect(heard.changes).toEqual([{ key: 'first' }, { key: 'second' }]);
  });

  it('up to 1,000 steps are delivered one by one; more invalidate everything', async () => {
    const steps = (from: number, count: number) =>
      Array.from({ length: count }, (_, at) => `(${from + at}, 'id ${from + at}', 'key', 'key_${from + at}')`);
    const append = (from: number, count: number) =>
      sql(
        ...(engine === 'SQLite' ? ['begin immediate'] : ['begin']),
        `insert into changes (position, id, member, subject) values ${steps(from, count)}`,
        `update feed_head set position = ${from + count - 1}`,
        'commit',
      );
    const from = (await headPosition()) + 1;
    await append(from, 1_000);
    await eventually(() => heard.changes.length > 0);
    expect([heard.changes.length, heard.changes[0], heard.changes.at(-1)]).toEqual([
      ...[1_000, { key: `key_${from}` }, { key: `key_${from + 999}` }],
    ]);
    heard.changes.length = 0;
    await append(from + 1_000, 1_001);
    await eventually(() => heard.changes.length > 0);
    expect(heard.changes).toEqual(['all']);
    await notify(here, { key: 'next' });
    await eventually(() => heard.changes.length > 1);
    expect(heard.changes).toEqual(['all', { key: 'next' }]);
    expect(events.heard('keyward:store').filter(({ warning }) => warning === 'replaced')).toEqual([]);
  });

  it('keeps the last 10,000 steps; a process that read none of them invalidates everything', async () => {
    await sql('update feed_head set position = 20999', `update changes set position = 10500 where position = 0`);
    await notify(here, { key: 'pruning' });
    const [oldest] = await sql('select min(position) as position, count(*) as steps from changes');
    expect([Number(oldest?.position), Number(oldest?.steps)]).toEqual([21_000, 1]);
    await eventually(() => heard.changes.length > 0);
    expect(heard.changes).toEqual(['all']);
  });

  it('has every revocation of a token', async () => {
    const traits = { kind: 'access', apis: null, scopes: '[]', default_scopes: '[]' } as const;
    const { id } = await storeKey(here, traits);
    await eventually(() => heard.changes.length > 0);
    for (const jti of ['first', 'second']) {
      heard.changes.length = 0;
      await here.revokeToken(id, jti, new Date(Date.now() + 60_000));
      await eventually(() => heard.changes.length > 0);
      expect(heard.changes).toEqual([{ accessKey: id }]);
    }
  });

  it('keeps a step of 10,000 steps ago, so that a process that has read it reads only the newer ones', async () => {
    await sql('update feed_head set position = 20999', `update changes set position = 11000 where position = 0`);
    await notify(here, { key: 'pruning' });
    await eventually(() => heard.changes.length > 0);
    expect(heard.changes).toEqual([{ key: 'pruning' }]);
  });

  it('reports once that it cannot be read, and once that it can be read again', async () => {
    await here.close();
    const warnings = () => events.heard<StoreWarning>('keyward:store').filter(({ warning }) => warning !== 'listening');
    await sql('alter table changes rename to hidden');
    await eventually(() => warnings().length > 0);
    await pause(250);
    await sql('alter table hidden rename to changes');
    await eventually(() => warnings().length > 1);
    expect(warnings()).toEqual([
      { warning: 'unreachable', detail: expect.stringMatching(/no such table|42P01/) },
      { warning: 'reachable', detail: undefined },
    ]);
  });
});
