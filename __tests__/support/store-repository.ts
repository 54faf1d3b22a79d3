import { Feed } from '../../lib/store/change-feed.js';
import type { Engine } from '../../lib/store/engine.js';
import { openPostgres } from '../../lib/store/postgres/engine.js';
import type { Repository } from '../../lib/store/repository/repository.js';
import { sqlRepository } from '../../lib/store/repository/sql-repository.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { fileOf, schemaOf } from './store-database.js';
import { type EngineName, POSTGRES, placesOf } from './test-stores.js';

/** A repository without a store around it, and the engine below it, on a place that `close` removes. */
export interface TestRepository {
  readonly engine: Engine;
  readonly repository: Repository;
  close(): Promise<void>;
}

const open: Readonly<Record<EngineName, (url: string) => Promise<Engine>>> = {
  memory: () => openSqlite(':memory:'),
  SQLite: (url) => openSqlite(fileOf(url)),
  PostgreSQL: async (url) => openPostgres(POSTGRES ?? '', schemaOf(url)),
};

export async function makeRepository(name: EngineName): Promise<TestRepository> {
  const { url, remove } = await placesOf[name]();
  const engine = await open[name](url);
  await engine.migrate();
  return {
    engine,
    repository: sqlRepository(engine, new Feed(engine)),
    async close() {
      await engine.close();
      await remove();
    },
  };
}
