import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { StoreWarning } from 'keyward/store';
import pg from 'pg';
import { listenOnPostgres } from '../../lib/store/postgres/listen-notify.js';
import { clientConfig } from '../../lib/store/postgres/pool.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { onDatabase } from '../support/store-database.js';
import { eventually } from '../support/store-wait.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

onServer('listening on PostgreSQL', () => {
  it('wakes the poll once when it begins, because earlier notifications were not received', async () => {
    const url = POSTGRES ?? '';
    let wakes = 0;
    const stop = listenOnPostgres({
      config: () => clientConfig({ connectionString: url }, { connectTimeout: 1_000, statementTimeout: 3_000 }),
      channel: `keyward_test_${randomBytes(6).toString('hex')}`,
      sendNotification: (name) => onDatabase(url, `select pg_notify('${name}', '')`),
      wake: () => {
        wakes += 1;
      },
    });
    await eventually(() => wakes > 0, 10_000);
    expect(wakes).toBe(1);
    stop();
  });
});

describe('a connection that listens', () => {
  let events: Eavesdropper;
  let stop: () => void;

  afterEach(() => {
    stop();
    events.stop();
    jest.restoreAllMocks();
  });

  /** Starts to listen on a driver that answers as a test says. */
  async function listening({
    connect = Promise.resolve(),
    listen = Promise.resolve(),
    send = Promise.resolve(),
  }: Record<string, Promise<void>>) {
    events = eavesdrop();
    const connects = jest.spyOn(pg.Client.prototype, 'connect').mockImplementation(() => connect);
    const queries = jest.spyOn(pg.Client.prototype, 'query').mockImplementation((() => listen) as never);
    const timers = jest.spyOn(globalThis, 'setTimeout').mockImplementation((() => ({ unref: () => 0 })) as never);
    const sent: string[] = [];
    let wakes = 0;
    stop = listenOnPostgres({
      config: () =>
        clientConfig(
          { connectionString: 'postgres://127.0.0.1:1/none' },
          { connectTimeout: 1_000, statementTimeout: 3_000 },
        ),
      channel: 'changes',
      sendNotification: async (channel) => {
        sent.push(channel);
        await send;
      },
      wake: () => {
        wakes += 1;
      },
    });
    const settle = () => new Promise(setImmediate);
    await settle();
    const hear = (channel: string) =>
      (connects.mock.contexts.at(-1) as unknown as pg.Client).emit('notification', { channel });
    return {
      sent,
      hear,
      connects: () => connects.mock.calls.length,
      client: () => connects.mock.contexts.at(-1) as unknown as pg.Client,
      said: () => queries.mock.calls.map(([text]) => String(text)),
      wakes: () => wakes,
      delay: () => timers.mock.calls.at(-1)?.[1],
      timers: () => timers.mock.calls.length,
      /** The last timer ends. */
      async elapse() {
        timers.mock.calls.at(-1)?.[0]();
        await settle();
        await settle();
      },
      /** The last timer ends, but Node has not read from its sockets yet. */
      end: () => timers.mock.calls.at(-1)?.[0](),
      settle,
      warnings: () => events.heard<StoreWarning>('keyward:store').map(({ warning }) => warning),
      details: () => events.heard<StoreWarning>('keyward:store').map(({ detail }) => detail),
    };
  }

  it('sends its first heartbeat over another connection, and one over its own a second after each answer', async () => {
    const at = await listening({});
    const [own = ''] = at.sent;
    expect(at.said()).toEqual([`listen "changes"; listen "${own}"`]);
    expect([at.delay(), at.warnings(), at.wakes()]).toEqual([1_500, [], 0]);
    at.hear(own);
    expect([at.delay(), at.warnings(), at.wakes()]).toEqual([1_000, ['listening'], 1]);
    await at.elapse();
    expect([at.said().at(-1), at.sent.length, at.delay()]).toEqual([`notify "${own}"`, 1, 1_500]);
    at.hear(own);
    // Only changes wake the poll from now on.
    expect(at.wakes()).toBe(1);
    at.hear('changes');
    expect([at.wakes(), at.warnings()]).toEqual([2, ['listening']]);
  });

  it('is replaced after a second if a heartbeat is not answered within 1.5 s', async () => {
    const at = await listening({});
    const [own = ''] = at.sent;
    at.hear(own);
    await at.elapse();
    await at.elapse();
    expect([at.warnings(), at.delay(), at.connects()]).toEqual([['listening', 'polling_only'], 1_000, 1]);
    expect(at.details().at(-1)).toBe(
      'a PostgreSQL test notification (NOTIFY) did not arrive within 1.5 seconds; the connection was probably lost',
    );
    await at.elapse();
    expect([at.connects(), at.sent]).toEqual([2, [own, own]]);
  });

  it('is kept if the answer to a heartbeat is read after the timer ended, as when the event loop was blocked', async () => {
    const at = await listening({});
    const [own = ''] = at.sent;
    at.end();
    at.hear(own);
    await at.settle();
    expect([at.warnings(), at.delay(), at.connects()]).toEqual([['listening'], 1_000, 1]);
  });

  it('is tried once a minute if it never hears anything, as behind a pooler', async () => {
    const at = await listening({});
    await at.elapse();
    expect([at.warnings(), at.delay()]).toEqual([['polling_only'], 60_000]);
    expect(at.details()).toEqual([
      'a PostgreSQL test notification (NOTIFY) did not arrive within 1.5 seconds; a connection pooler in transaction mode may be dropping notifications',
    ]);
    await at.elapse();
    await at.elapse();
    // The same is not said twice.
    expect([at.warnings(), at.delay(), at.connects()]).toEqual([['polling_only'], 60_000, 2]);
  });

  it.each([
    ['0A000', 60_000],
    ['42601', 60_000],
    ['25006', 60_000],
    ['57P01', 1_000],
    ['HV00A', 1_000],
    ['ECONNRESET', 1_000],
  ])('that LISTEN is refused on with %s is tried again after %d ms', async (code, delay) => {
    const at = await listening({ listen: Promise.reject(Object.assign(new Error('no'), { code })) });
    expect([at.warnings(), at.delay()]).toEqual([['polling_only'], delay]);
  });

  it('is tried every second if it cannot be made, or ends', async () => {
    const refused = await listening({ connect: Promise.reject(new Error('down')) });
    expect([refused.warnings(), refused.delay()]).toEqual([['polling_only'], 1_000]);
    stop();
    events.stop();
    jest.restoreAllMocks();
    const ended = await listening({});
    ended.hear(ended.sent[0] ?? '');
    ended.client().emit('end');
    expect([ended.warnings(), ended.delay()]).toEqual([['listening', 'polling_only'], 1_000]);
  });

  it('is replaced once, and for the first reason, if it fails and then ends', async () => {
    const at = await listening({});
    at.hear(at.sent[0] ?? '');
    const timers = at.timers();
    at.client().emit('error', new Error('gone'));
    expect([at.warnings(), at.details().at(-1), at.delay()]).toEqual([['listening', 'polling_only'], 'gone', 1_000]);
    at.client().emit('end');
    expect([at.warnings(), at.timers()]).toEqual([['listening', 'polling_only'], timers + 1]);
  });

  it('is replaced if its heartbeat cannot be sent', async () => {
    const at = await listening({ send: Promise.reject(new Error('no connection')) });
    expect([at.warnings(), at.details(), at.delay()]).toEqual([['polling_only'], ['no connection'], 1_000]);
  });

  it('says nothing, and tries nothing, after it was stopped', async () => {
    const at = await listening({});
    const [own = ''] = at.sent;
    at.hear(own);
    const timers = at.timers();
    stop();
    at.hear(own);
    at.client().emit('end');
    expect([at.warnings(), at.connects(), at.timers()]).toEqual([['listening'], 1, timers]);
  });
});
