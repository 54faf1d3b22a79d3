import { describe, expect, it } from '@jest/globals';
import { assertEnabled, assertEntitled } from '../../lib/management/keys/account-rules.js';
import { managed, OPERATOR, refusalOf } from '../support/managed.js';
import { keyRow } from '../support/stored-rows.js';
import { engines } from '../support/test-stores.js';

const NOT_FOUND = { status: 404, code: 'not_found', message: 'the account was not found' };

describe.each(engines)('on %s, an account', (engine) => {
  const at = managed(engine);

  it('that does not exist has no keys', async () => {
    const { repository } = at.store;
    const member = { id: 'm', account: 'acc_none', permissions: ['owner'] } as const;
    for (const refused of [
      () => at.management.keys.create(member, { kind: 'secret', apis: 'all' }),
      () => repository.transact((tx) => assertEnabled(tx, 'acc_none')),
      () => repository.transact((tx) => assertEntitled(tx, keyRow(), 'acc_none')),
    ]) {
      expect(await refusalOf(refused())).toMatchObject(NOT_FOUND);
    }
  });

  it('that is disabled gets no new key, and the member is told why', async () => {
    const holder = await at.account();
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    expect(await refusalOf(holder.key())).toMatchObject({
      code: 'forbidden',
      message: 'the account is disabled; it must be enabled before this operation is allowed',
    });
  });
});
