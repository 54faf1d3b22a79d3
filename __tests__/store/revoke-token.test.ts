import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Change } from 'keyward';
import { type KyselyPlugin, sql } from 'kysely';
import { Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import { revokeToken } from '../../lib/store/revoked-tokens/revoke-token.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { accountRow, keyRow } from '../support/stored-rows.js';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const SOON = new Date(NOW + 60_000);

describe('the revocation of a token', () => {
  let engine: Engine;
  let feed: Feed;
  let changes: Change[];

  beforeEach(async () => {
    const database = await openSqlite(':memory:');
    await database.migrate();
    engine = { ...database, now: sql<number>`${NOW}` };
    await engine.transact(async (tx) => {
      await tx.insertInto('accounts').values(accountRow()).execute();
      const access = { kind: 'access', apis: null, scopes: '[]', default_scopes: '[]' } as const;
      const rows = [keyRow({ id: 'ack_1', ...access }), keyRow({ id: 'ack_2', ...access }), keyRow({ id: 'key_1' })];
      await tx.insertInto('keys').values(rows).execute();
    });
    feed = new Feed(engine);
    changes = [];
    feed.watch({ onChange: (change) => changes.push(change), onCaughtUp: () => undefined, onGap: () => undefined });
  });
  afterEach(() => engine.close());

  const rows = () =>
    engine.lookups.selectFrom('revoked_tokens').selectAll().orderBy('key_id').orderBy('number').execute();
  const steps = () =>
    engine.lookups.selectFrom('changes').select('subject').where('member', '=', 'accessKey').execute();
  const revoke = (id: string, jti: string, expiresAt = SOON) => revokeToken(engine, feed, id, jti, expiresAt);

  it('is numbered for each access key, and is a change of that key', async () => {
    for (const [id, jti] of [
      ['ack_1', 'a'],
      ['ack_2', 'a'],
      ['ack_1', 'b'],
    ] as const) {
      await revoke(id, jti);
    }
    expect((await rows()).map(({ key_id, jti, number }) => [key_id, jti, number])).toEqual([
      ['ack_1', 'a', 1],
      ['ack_1', 'b', 2],
      ['ack_2', 'a', 1],
    ]);
    expect(changes).toEqual([{ accessKey: 'ack_1' }, { accessKey: 'ack_2' }, { accessKey: 'ack_1' }]);
    expect((await steps()).map(({ subject }) => subject)).toEqual(['ack_1', 'ack_2', 'ack_1']);
  });

  it('is stored once; the second time notifies only this process, which may not have read the first one yet', async () => {
    for (const _time of [1, 2]) await revoke('ack_1', 'a');
    expect([(await rows()).length, (await steps()).length]).toEqual([1, 1]);
    expect(changes).toEqual([{ accessKey: 'ack_1' }, { accessKey: 'ack_1' }]);
    const [key] = await engine.lookups.selectFrom('keys').select('tokens_revoked').where('id', '=', 'ack_1').execute();
    expect(key).toEqual({ tokens_revoked: 1 });
  });

  it('is stored until a day after the token has expired, by the clock of the database', async () => {
    await revoke('ack_1', 'ended', new Date(NOW - DAY));
    expect([await rows(), await steps()]).toEqual([[], []]);
    await revoke('ack_1', 'just in time', new Date(NOW - DAY + 1));
    expect((await rows()).map(({ jti }) => jti)).toEqual(['just in time']);
    engine = Object.assign(engine, { now: sql<number>`${NOW + 1}` });
    await revoke('ack_1', 'next');
    expect((await rows()).map(({ jti }) => jti)).toEqual(['next']);
  });

  it('deletes about 1,000 that have expired, the oldest first', async () => {
    await engine.transact(async (tx) => {
      for (let from = 0; from < 2_500; from += 500) {
        const old = Array.from({ length: 500 }, (_, at) => ({
          ...{ key_id: 'ack_2', jti: `old ${from + at}`, number: from + at, expires_at: from + at },
        }));
        await tx.insertInto('revoked_tokens').values(old).execute();
      }
    });
    await revoke('ack_1', 'a');
    expect((await rows()).map(({ expires_at }) => expires_at).sort((one, other) => one - other)[0]).toBe(1_001);
    for (const jti of ['b', 'c']) await revoke('ack_1', jti);
    expect((await rows()).map(({ jti }) => jti)).toEqual(['a', 'b', 'c']);
  });

  it('counts the stored rows only if their numbers do not show that they are few', async () => {
    const statements: string[] = [];
    const recorder: KyselyPlugin = {
      transformQuery: ({ node }) => {
        statements.push(JSON.stringify(node));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const { transact } = engine;
    engine = Object.assign(engine, {
      transact: (work: Parameters<typeof transact>[0]) => transact((tx) => work(tx.withPlugin(recorder))),
    });
    const set = (tokens_revoked: number, tokens_superseded: number) =>
      transact((tx) => tx.updateTable('keys').set({ tokens_revoked, tokens_superseded }).execute());
    const counts = () => statements.splice(0).filter((statement) => statement.includes('count(*)')).length;
    await set(99_999, 0);
    await revoke('ack_1', 'a');
    expect(counts()).toBe(0);
    await revoke('ack_1', 'b');
    expect(counts()).toBe(1);
    await set(100_010, 11);
    await revoke('ack_1', 'c');
    expect(counts()).toBe(0);
  });

  it('is refused if the access key has 100,000, whose error says what to do', async () => {
    await engine.transact(async (tx) => {
      await sql`insert into revoked_tokens (key_id, jti, number, expires_at)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000)
        select 'ack_1', 'old ' || i, i, ${SOON.getTime()} from n`.execute(tx);
      await tx.updateTable('keys').set({ tokens_revoked: 100_000 }).where('id', '=', 'ack_1').execute();
    });
    await expect(revoke('ack_1', 'a')).rejects.toMatchObject({
      code: 'too_many_revoked_tokens',
      message:
        'access key ack_1 has 100000 revoked tokens, which is the maximum; revoke all of its tokens at once ' +
        '(edit the access key with "revokeTokens": true), or wait until some expire',
    });
    await engine.transact((tx) => tx.deleteFrom('revoked_tokens').where('jti', '=', 'old 1').execute());
    await revoke('ack_1', 'a');
    await expect(revoke('ack_1', 'b')).rejects.toMatchObject({ code: 'too_many_revoked_tokens' });
    // A token that expired more than ten minutes ago does not count, although its row is still stored.
    const expire = (expires_at: number) =>
      engine.transact((tx) => tx.updateTable('revoked_tokens').set({ expires_at }).where('jti', '=', 'a').execute());
    await expire(NOW - 600_000 + 1);
    await expect(revoke('ack_1', 'b')).rejects.toMatchObject({ code: 'too_many_revoked_tokens' });
    await expire(NOW - 600_000);
    await revoke('ack_1', 'b');
    expect((await rows()).at(-1)?.jti).toBe('b');
  });

  it('needs an access key', async () => {
    await revoke('key_1', 'a');
    await revoke('ack_none', 'a');
    expect([await rows(), await steps()]).toEqual([[], []]);
  });

  it('needs a jti of 1 to 256 characters, and a date', async () => {
    await revoke('ack_1', 'x'.repeat(256));
    for (const jti of ['x'.repeat(257), '', 7 as unknown as string]) {
      const error = new TypeError('revokeToken: "jti" must be a string of 1 to 256 characters');
      await expect(revoke('ack_1', jti)).rejects.toThrow(error);
    }
    const noDate = new TypeError('revokeToken: "expiresAt" must be a valid Date');
    await expect(revoke('ack_1', 'x', new Date(Number.NaN))).rejects.toThrow(noDate);
    expect(await rows()).toHaveLength(1);
  });
});
