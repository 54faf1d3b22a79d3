import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { digestOf } from '../../lib/credentials/digest.js';
import { Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import { findKey } from '../../lib/store/find-credential.js';
import { createLastUsedWriter } from '../../lib/store/last-used.js';
import { openPostgres } from '../../lib/store/postgres/engine.js';
import type { Repository } from '../../lib/store/repository/repository.js';
import { sqlRepository } from '../../lib/store/repository/sql-repository.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { fileOf, schemaOf } from '../support/store-database.js';
import { eventually } from '../support/store-wait.js';
import { accountRow, keyRow, secretRow } from '../support/stored-rows.js';
import { type EngineName, engines, POSTGRES, placesOf, type TestPlace } from '../support/test-stores.js';

const ROUNDS = 6;
const KEYS = 50;

const open: Readonly<Record<EngineName, (url: string) => Promise<Engine>>> = {
  memory: () => openSqlite(':memory:'),
  SQLite: (url) => openSqlite(fileOf(url)),
  PostgreSQL: async (url) => openPostgres(POSTGRES ?? '', schemaOf(url)),
};

describe.each(engines)('uses that are written while keys are revoked, in %s', (name) => {
  let place: TestPlace;
  let revoking: Engine;
  let using: Engine;
  let repository: Repository;

  beforeEach(async () => {
    place = await placesOf[name]();
    revoking = await open[name](place.url);
    // Of another process, where there may be one.
    using = name === 'memory' ? revoking : await open[name](place.url);
    await revoking.migrate();
    repository = sqlRepository(revoking, new Feed(revoking));
    await repository.transact((tx) => tx.insertAccount(accountRow()));
  });

  afterEach(async () => {
    await revoking.close();
    if (using !== revoking) await using.close();
    await place.remove();
  });

  async function addKeys(round: number): Promise<readonly string[]> {
    const ids = Array.from({ length: KEYS }, (_, at) => `key_${round}_${at}`);
    await repository.transact((tx) =>
      tx.insertKeys(
        ids.map((id) => keyRow({ id })),
        ids.map((id) => secretRow(id, id)),
      ),
    );
    return ids;
  }

  /** As management does it: it reads the row, and writes it at the version that it read. */
  async function revoke(id: string): Promise<void> {
    await repository.transact(async (tx) => {
      const row = await tx.key(id);
      expect(await tx.updateKey(id, row?.version ?? 0, { revoked_at: 1 })).toBe(true);
      tx.notify({ key: id });
    });
  }

  it(`P22 at least ${ROUNDS * KEYS} last-used writes, each concurrent with a revocation: every key stays revoked, and no use is lost`, async () => {
    const uses = createLastUsedWriter(using);
    let between = 0;
    // Which of the two is first is the machine's: rounds go on until a revocation has come between.
    for (let round = 0; round < ROUNDS || (between === 0 && round < 20 * ROUNDS); round += 1) {
      const ids = await addKeys(round);
      for (const id of ids) uses.record(digestOf(id), '192.0.2.1');
      // It begins after some of them, in each round after others, and ends before the last.
      const before = Math.floor(((round % ROUNDS) * KEYS) / ROUNDS);
      let written = false;
      const revokeNow = async (id: string) => {
        await revoke(id);
        if (!written) between += 1;
      };
      // One after the other: so many at once may wait for a connection longer than a busy machine gives them.
      const inTurn = async (keys: readonly string[]) => {
        for (const id of keys) await revokeNow(id);
      };
      const first = inTurn(ids.slice(0, before));
      const writing = uses.flush().then(() => {
        written = true;
      });
      await Promise.all([first, inTurn(ids.slice(before)), writing]);
      const rows = [];
      for (const id of ids) rows.push(await repository.key(id));
      expect(rows.filter((row) => row?.key.revoked_at !== 1 || row.key.version !== 2)).toEqual([]);
      expect(rows.filter((row) => row?.secrets[0]?.last_used_from !== '192.0.2.1')).toEqual([]);
    }
    expect(between).toBeGreaterThan(0);
    const found = await findKey(revoking.lookups, digestOf('key_0_0'));
    expect(found.record?.revokedAt).toEqual(new Date(0));
  });

  it('a secret that is used before and after its key was rotated: both uses are written', async () => {
    const uses = createLastUsedWriter(using);
    const [id = ''] = await addKeys(0);
    const lastUse = async () => (await repository.key(id))?.secrets.find(({ digest }) => digest === digestOf(id));
    const usedAt = Date.now();
    uses.record(digestOf(id), 'before');
    await uses.flush();
    uses.record(digestOf(id), 'too soon');
    await uses.flush();
    expect((await lastUse())?.last_used_from).toBe('before');
    await repository.transact((tx) => tx.insertSecret(secretRow(id, 'newer', { created_at: Date.now() + 1 })));
    // A use is written where it is later than the last one, by milliseconds of the clock of the database.
    await eventually(() => Date.now() > usedAt + 20);
    // On a busy machine the question for that clock takes long, and the time of the use would be off by as much.
    const stopped = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    uses.record(digestOf(id), 'after');
    await uses.flush();
    stopped.mockRestore();
    expect((await lastUse())?.last_used_from).toBe('after');
  });
});
