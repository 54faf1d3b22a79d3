import { describe, expect, it } from '@jest/globals';
import { createManagement } from 'keyward/management';
import type { RepositoryTransaction } from '../../lib/store/repository/repository.js';
import { managed, OPERATOR, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

type Changes = (tx: RepositoryTransaction) => Partial<RepositoryTransaction>;

describe.each(engines)('on %s, the transaction that changes an account', (engine) => {
  const at = managed(engine);

  /** The operations on accounts with a store whose transactions have other methods. */
  function accountsWith(changes: Changes) {
    const { store, clock } = at;
    const changed = (tx: RepositoryTransaction) =>
      new Proxy(tx, {
        get(target, name) {
          const member: unknown = Reflect.get({ ...changes(tx) }, name) ?? Reflect.get(target, name);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
    const { repository } = store;
    const transact: typeof repository.transact = (work) => repository.transact((tx) => work(changed(tx)));
    return createManagement({ store: { ...store, repository: { ...repository, transact } }, clock }).accounts;
  }

  it('conflicts with a change that another operation made at the same time', async () => {
    const { id } = await at.account();
    const accounts = accountsWith(() => ({ updateAccount: async () => false }));
    for (const doing of [
      () => accounts.put(OPERATOR, id, { apis: [] }),
      () => accounts.setDisabled(OPERATOR, id, true),
    ]) {
      expect(await refusalOf(doing())).toMatchObject({
        code: 'version_conflict',
        message: 'another operation changed the account at the same time; try again',
      });
    }
    expect(await at.management.accounts.view(id)).toMatchObject({ version: 1 });
  });

  it('is refused if the account is gone at its end', async () => {
    const { id } = await at.account();
    const accounts = accountsWith(() => ({ account: async () => undefined }));
    expect(await refusalOf(accounts.put(OPERATOR, id, { apis: [] }))).toEqual(refusing(404, 'not_found'));
    expect(await at.management.accounts.view(id)).toMatchObject({ version: 1 });
  });

  it('invalidates the account in the caches of this process, even if it changes nothing', async () => {
    const { id } = await at.account();
    const invalidated: unknown[] = [];
    const accounts = accountsWith((tx) => ({
      invalidateLocally(change) {
        invalidated.push(change);
        tx.invalidateLocally(change);
      },
    }));
    await accounts.setDisabled(OPERATOR, id, false);
    expect(invalidated).toEqual([{ account: id }]);
  });

  it('writes no earlier settings of a new account to the audit log', async () => {
    const entries: unknown[] = [];
    const accounts = accountsWith((tx) => ({
      async audit(entry) {
        entries.push(entry);
        await tx.audit(entry);
      },
    }));
    const { id } = await accounts.put(OPERATOR, 'acc_audited', {});
    expect(entries).toEqual([expect.objectContaining({ action: 'account.put', subject: id, before: null })]);
  });

  it.each(['view', 'setDisabled'] as const)('is not started by %s of an account with an invalid id', async (verb) => {
    const { accounts } = at.management;
    const doing = verb === 'view' ? accounts.view('a\0') : accounts.setDisabled(OPERATOR, 'a\0', true);
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'account'));
  });
});
