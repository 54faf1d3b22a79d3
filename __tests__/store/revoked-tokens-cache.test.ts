import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import type { Engine } from '../../lib/store/engine.js';
import { RevokedTokensCache } from '../../lib/store/revoked-tokens/revoked-tokens-cache.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { accountRow, keyRow } from '../support/stored-rows.js';

const MINUTE = 60_000;

describe('the cache of revoked tokens', () => {
  let engine: Engine;
  let clock: ManualClock;
  let cache: RevokedTokensCache;

  beforeEach(async () => {
    engine = await openSqlite(':memory:');
    await engine.migrate();
    await engine.transact(async (tx) => {
      await tx.insertInto('accounts').values(accountRow()).execute();
      await tx
        .insertInto('keys')
        .values(keyRow({ id: 'ack_1', kind: 'access', apis: null, scopes: '[]', default_scopes: '[]' }))
        .execute();
    });
    clock = createManualClock();
    cache = new RevokedTokensCache(clock);
  });
  afterEach(() => engine.close());

  /** Revokes tokens with the numbers `from` to `to`. */
  const revoke = (from: number, to: number, expiresAt: number) =>
    engine.transact(async (tx) => {
      for (let number = from; number <= to; number += 1) {
        const row = { key_id: 'ack_1', number, jti: `token-${number}`, expires_at: expiresAt };
        await tx.insertInto('revoked_tokens').values(row).execute();
      }
      await tx.updateTable('keys').set({ tokens_revoked: to }).where('id', '=', 'ack_1').execute();
    });
  const tokens = async (number: number) => {
    const found = await cache.of(engine.lookups, 'ack_1', number);
    return [...((found as ReadonlyMap<string, number> | undefined)?.keys() ?? [])];
  };

  it('has a revocation until ten minutes after the token expired, because another clock may be behind', async () => {
    await revoke(1, 1, clock.now() + MINUTE);
    expect(await tokens(1)).toEqual(['token-1']);
    clock.advance(10 * MINUTE);
    await revoke(2, 2, clock.now() + 60 * MINUTE);
    expect(await tokens(2)).toEqual(['token-1', 'token-2']);
    clock.advance(MINUTE);
    await revoke(3, 3, clock.now() + 60 * MINUTE);
    expect(await tokens(3)).toEqual(['token-2', 'token-3']);
  });

  it('reads all revocations, however many queries that takes, and serves requests between the queries', async () => {
    await revoke(1, 5_001, clock.now() + MINUTE);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    const [read, another] = await Promise.all([tokens(5_001), tokens(5_001)]);
    clearInterval(counting);
    expect([read.length, read.at(-1), another]).toEqual([5_001, 'token-5001', read]);
    expect(turns).toBeGreaterThan(0);
  });

  it('serves requests between the queries even if all revocations have expired', async () => {
    await revoke(1, 5_001, clock.now() - 11 * MINUTE);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    });
    expect(await tokens(5_001)).toEqual([]);
    clearInterval(counting);
    expect(turns).toBeGreaterThan(0);
  });

  it('reads everything again if the clock is set back while another lookup reads', async () => {
    await revoke(1, 5_001, clock.now() + MINUTE);
    clock.setWall(60 * MINUTE);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let pages = 0;
    const slow = engine.lookups.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        pages += 1;
        if (pages === 3) await released;
        return result;
      },
    });
    const ahead = cache.of(slow, 'ack_1', 5_001);
    while (pages < 3) await new Promise(setImmediate);
    clock.setWall(-60 * MINUTE);
    const right = tokens(5_001);
    release();
    expect(await right).toHaveLength(5_001);
    await ahead;
    expect(await tokens(5_001)).toHaveLength(5_001);
  });

  it('reads only the revocations that it has not read', async () => {
    await revoke(1, 1, clock.now() + MINUTE);
    await tokens(1);
    await engine.transact((tx) => tx.deleteFrom('revoked_tokens').execute());
    await revoke(2, 2, clock.now() + MINUTE);
    expect(await tokens(2)).toEqual(['token-1', 'token-2']);
  });

  it('runs no query if it has read all revocations', async () => {
    await revoke(1, 2_001, clock.now() + MINUTE);
    await tokens(2_001);
    const unused = engine.lookups.withPlugin({
      transformQuery: () => {
        throw new Error('a query was run');
      },
      transformResult: async ({ result }) => result,
    });
    expect((await cache.of(unused, 'ack_1', 2_001))?.has('token-2001')).toBe(true);
    clock.advance(MINUTE);
    expect((await cache.of(unused, 'ack_1', 2_001))?.has('token-2001')).toBe(true);
  });

  it('leaves out the revocation of a token that expired exactly ten minutes ago', async () => {
    await revoke(1, 1, clock.now() - 10 * MINUTE);
    await revoke(2, 2, clock.now() - 10 * MINUTE + 1);
    expect(await tokens(2)).toEqual(['token-2']);
  });

  it('has the revocations that it has read if a restored backup has none', async () => {
    await revoke(1, 1, clock.now() + MINUTE);
    await tokens(1);
    cache.forgetNumbers();
    expect(await tokens(0)).toEqual(['token-1']);
  });

  it('reads a number again after a restored backup had none, even if the former revocation was left out', async () => {
    await revoke(1, 1, clock.now() - 60 * MINUTE);
    expect(await tokens(1)).toEqual([]);
    expect(await tokens(0)).toEqual([]);
    const restored = { jti: 'restored', expires_at: clock.now() + MINUTE };
    await engine.transact((tx) => tx.updateTable('revoked_tokens').set(restored).execute());
    expect(await tokens(1)).toEqual(['restored']);
  });

  it('reads all revocations again if the database may have become another one during a query', async () => {
    await revoke(1, 1, clock.now() + MINUTE);
    const reading = tokens(1);
    cache.forgetNumbers();
    await reading;
    // The restored backup has another token under the same number.
    await engine.transact((tx) => tx.updateTable('revoked_tokens').set({ jti: 'restored' }).execute());
    expect(await tokens(1)).toContain('restored');
  });

  it('deletes expired revocations at most once a minute', async () => {
    const HOUR = 60 * MINUTE;
    await revoke(1, 1, clock.now() - 10 * MINUTE + 1);
    await tokens(1);
    clock.advance(MINUTE - 1);
    await revoke(2, 2, clock.now() + HOUR);
    expect(await tokens(2)).toEqual(['token-1', 'token-2']);
    clock.advance(1);
    await revoke(3, 3, clock.now() + HOUR);
    expect(await tokens(3)).toEqual(['token-2', 'token-3']);
  });

  it('reads everything again if the clock was ahead, and is set back', async () => {
    await revoke(1, 1, clock.now() + 50 * MINUTE);
    expect(await tokens(1)).toEqual(['token-1']);
    clock.setWall(80 * MINUTE);
    clock.advance(MINUTE);
    await revoke(2, 2, clock.now() + 60 * MINUTE);
    expect(await tokens(2)).toEqual(['token-2']);
    const started = new RevokedTokensCache(clock);
    await started.of(engine.lookups, 'ack_1', 2);
    clock.setWall(-80 * MINUTE);
    expect(await tokens(2)).toEqual(['token-2', 'token-1']);
    expect((await started.of(engine.lookups, 'ack_1', 2))?.has('token-1')).toBe(true);
  });

  it('reads everything again if the number is lower, as in a restored backup', async () => {
    await revoke(1, 2, clock.now() + MINUTE);
    await tokens(2);
    await engine.transact((tx) => tx.deleteFrom('revoked_tokens').execute());
    await engine.transact(async (tx) => {
      const row = { key_id: 'ack_1', number: 1, jti: 'restored', expires_at: clock.now() + MINUTE };
      await tx.insertInto('revoked_tokens').values(row).execute();
      await tx.updateTable('keys').set({ tokens_revoked: 1 }).execute();
    });
    // What was revoked before the backup was restored stays refused.
    expect(await tokens(1)).toEqual(['token-1', 'token-2', 'restored']);
  });

  it('refuses the answer of a replica that lags behind', async () => {
    await revoke(1, 1, clock.now() + MINUTE);
    const refusal = {
      code: 'store_unavailable',
      message: 'the database replica returned older data than an earlier read; try again',
    };
    await expect(cache.of(engine.lookups, 'ack_1', 2)).rejects.toMatchObject(refusal);
    await expect(cache.of(engine.lookups, 'ack_none', 1)).rejects.toMatchObject(refusal);
    expect(await cache.of(engine.lookups, 'ack_1', 0)).toBeUndefined();
  });

  it('drops those of the access keys that were read least recently, above 500,000', async () => {
    const ids = ['ack_1', 'ack_2', 'ack_3'];
    const traits = { kind: 'access', apis: null, scopes: '[]', default_scopes: '[]' } as const;
    await engine.transact(async (tx) => {
      const rows = ids.slice(1).map((id) => keyRow({ id, ...traits }));
      await tx.insertInto('keys').values(rows).execute();
      for (const id of ids) {
        const numbers = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
          insert into revoked_tokens select ${id}, 'jti-' || i, i, ${clock.now() + MINUTE} from n`;
        await numbers.execute(tx);
      }
      await tx.updateTable('keys').set({ tokens_revoked: 200_000 }).execute();
    });
    const read = (id: string) => cache.of(engine.lookups, id, 200_000);
    const first = await read('ack_1');
    const second = await read('ack_2');
    expect(await read('ack_1')).toBe(first);
    // 400,000 are in memory; the next 200,000 drop those that were needed longest ago.
    await read('ack_3');
    expect(await read('ack_1')).toBe(first);
    expect(await read('ack_2')).not.toBe(second);
  });

  describe('with many revocations in memory', () => {
    /** A database in which each access key has so many revoked tokens. */
    const withTokens = (count: number, { lookups } = engine, released = Promise.resolve()) =>
      lookups.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async () => {
          await released;
          const row = { tokens_revoked: count, expires_at: clock.now() + MINUTE };
          return { rows: Array.from({ length: count }, (_, at) => ({ ...row, number: at + 1, jti: `token-${at}` })) };
        },
      });
    const read = (id: string, count: number) => cache.of(withTokens(count), id, count);

    it('drops none if there are exactly 500,000', async () => {
      const first = await read('ack_1', 250_000);
      await read('ack_2', 250_000);
      expect(await read('ack_1', 250_000)).toBe(first);
    });

    it('keeps all of an access key that has more than 500,000, until another one is looked up', async () => {
      const first = await read('ack_1', 500_001);
      expect(await read('ack_1', 500_001)).toBe(first);
      await read('ack_2', 1);
      expect(await read('ack_1', 500_001)).not.toBe(first);
    });

    it('drops an access key while it is read', async () => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      // The database in memory has one connection, so the slow query needs another database.
      const other = await openSqlite(':memory:');
      await other.migrate();
      const reading = cache.of(withTokens(1, other, released), 'ack_1', 1);
      await read('ack_2', 500_001);
      release();
      expect((await reading)?.has('token-0')).toBe(true);
      await other.close();
    });
  });
});
