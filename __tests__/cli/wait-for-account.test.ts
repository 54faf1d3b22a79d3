import { expect, it } from '@jest/globals';
import type { AccountChoice } from '../../lib/cli/serve/served-dashboard.js';
import { waitForAccount } from '../../lib/cli/serve/wait-for-account.js';

const waiting = (reason: string): AccountChoice => ({ state: 'waiting', reason });
const chosen: AccountChoice = { state: 'chosen', account: 'acme' };
const none: AccountChoice = { state: 'none', reason: 'there are several accounts' };

/** All that is yielded while the attempts have these results; then the wait ends. */
async function yielded(...results: AccountChoice[]) {
  const ended = new AbortController();
  let pauses = 0;
  const pause = async (signal: AbortSignal) => {
    pauses += 1;
    if (results.length === 0) ended.abort();
    signal.throwIfAborted();
  };
  const choose = async () => results.shift() ?? chosen;
  const all: AccountChoice[] = [];
  for await (const choice of waitForAccount(choose, 'no database', ended.signal, pause)) all.push(choice);
  return { all, pauses };
}

it('says each reason to wait once, in the order of their changes', async () => {
  const [noDatabase, noAccount] = [waiting('no database'), waiting('no account')];
  const { all } = await yielded(noDatabase, noDatabase, noAccount, noAccount, noAccount, noDatabase, noDatabase);
  expect(all).toEqual([noAccount, noDatabase]);
});

it.each<AccountChoice>([chosen, none, { ...none, reason: 'no database' }])(
  'ends with the final choice: %j',
  async (last) => {
    expect(await yielded(waiting('no database'), last, waiting('never asked'))).toEqual({ all: [last], pauses: 2 });
  },
);

it('waits before each attempt, and ends without a choice when the server ends', async () => {
  expect(await yielded(waiting('no database'), waiting('no database'))).toEqual({ all: [], pauses: 3 });
});
