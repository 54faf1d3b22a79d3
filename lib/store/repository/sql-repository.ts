/**
 * Implements `Repository` in SQL. Each transaction writes its changes to the change feed. After the commit, the caches
 * of this process are notified directly, so that they need not wait for a poll.
 */

import type { Change } from '../../contracts/change-feed.js';
import { appendChange, type Feed } from '../change-feed.js';
import type { Engine } from '../engine.js';
import { type CountedKeys, usageOfKey, usageTotals } from '../usage/usage-queries.js';
import {
  accountRow,
  keyNames,
  keyOfDigest,
  keyWithSecrets,
  listAccounts,
  listKeys,
} from './account-and-key-queries.js';
import { listAudit } from './list-audit.js';
import type { AccountFilter, AuditFilter, KeyFilter, Repository, RepositoryTransaction } from './repository.js';
import { SqlTransaction } from './sql-transaction.js';

export function sqlRepository(engine: Engine, feed: Feed): Repository {
  return Object.freeze({
    async transact<T>(work: (tx: RepositoryTransaction) => Promise<T>): Promise<T> {
      const outdated: Change[] = [];
      try {
        const { result, changes } = await engine.transact(async (db) => {
          const tx = new SqlTransaction(engine, db, outdated);
          const done = await work(tx);
          await tx.writeSearchTexts();
          for (const change of tx.changes) await appendChange(engine, db, change);
          return { result: done, changes: tx.changes };
        });
        outdated.push(...changes);
        return result;
      } finally {
        for (const change of outdated) feed.notify(change);
      }
    },
    analyze: () => engine.analyze(),
    account: (id: string) => accountRow(engine.lists, id),
    accounts: (filter: AccountFilter) => listAccounts(engine.lists, filter),
    key: (id: string) => keyWithSecrets(engine.lists, id),
    keyOfDigest: (digest: string) => keyOfDigest(engine.lists, digest),
    keys: (filter: KeyFilter) => listKeys(engine.lists, filter, engine),
    keyNames: (account: string, ids: readonly string[]) => keyNames(engine.lists, account, ids),
    audit: (filter: AuditFilter) => listAudit(engine.lists, filter, engine),
    usage: (key: string, from: number, to: number) => usageOfKey(engine.lists, key, from, to),
    usageTotals: (keys: CountedKeys, from: number) => usageTotals(engine.lists, keys, from),
  });
}
