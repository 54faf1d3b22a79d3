import { expect, it } from '@jest/globals';
import { memberAccount } from '../../../lib/dashboard/http/member-account.js';
import type { PageContext } from '../../../lib/dashboard/http/page-context.js';
import { ManagementError, type ManagementErrorCode } from '../../../lib/management/management-error.js';

function contextOf(code: ManagementErrorCode): PageContext {
  const view = () => Promise.reject(new ManagementError(code, 'no account'));
  return { site: { management: { accounts: { view } } }, member: { account: 'acme' } } as unknown as PageContext;
}

it('a member whose account is unknown may use nothing', async () => {
  expect(await memberAccount(contextOf('not_found'))).toEqual({
    ...{ apis: [], scopes: [], channels: [], platforms: [] },
    disabled: false,
  });
});

it('any other error of the account is thrown', async () => {
  await expect(memberAccount(contextOf('unavailable'))).rejects.toThrow('no account');
});
