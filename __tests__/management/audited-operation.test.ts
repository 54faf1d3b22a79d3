import { describe, expect, it } from '@jest/globals';
import { createOperations } from '../../lib/management/audit-log/audited-operation.js';
import type { CredentialStore } from '../../lib/store/credential-store.js';
import type { RepositoryTransaction } from '../../lib/store/repository/repository.js';
import { hostile } from '../support/managed.js';
import { createManualClock } from '../support/manual-clock.js';

describe('an operation that changes something', () => {
  it.each([
    [
      { before: undefined, after: { name: 'Till' } },
      { before: null, after: '{"name":"Till"}' },
    ],
    [
      { before: { name: null }, after: { name: 'Till' } },
      { before: '{"name":null}', after: '{"name":"Till"}' },
    ],
  ])('writes the fields %j to the audit log', async (fields, texts) => {
    const entries: object[] = [];
    const tx = hostile<RepositoryTransaction>({ audit: async (entry: object) => entries.push(entry) });
    const repository = { transact: <T>(work: (tx: RepositoryTransaction) => Promise<T>) => work(tx) };
    const clock = createManualClock();
    const { change } = createOperations(hostile<CredentialStore>({ repository }), clock);
    const member = { id: 'm', account: 'a', permissions: ['owner'] };
    const operation = { action: 'edit', name: 'key.edit', subject: undefined } as const;
    expect(await change(member, operation, async () => ({ result: 7, subject: 'key_1', fields }))).toBe(7);
    expect(entries).toStrictEqual([
      {
        ...{ at: clock.now(), account: 'a', actor: 'm', role: 'owner', action: 'key.edit', origin: null },
        ...{ outcome: 'done', subject: 'key_1', ...texts },
      },
    ]);
  });
});
