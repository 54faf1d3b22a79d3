import { beforeEach, describe, expect, it } from '@jest/globals';
import { createManagement } from '../../../lib/management/index.js';
import { openStore } from '../../../lib/store/index.js';
import { transcriptOnDatabase } from '../../support/transcript.js';

const keyward = transcriptOnDatabase();

const ALL = [
  ...['accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', '--scope', 'payments'],
  ...['--scope', 'payments:refund', '--channel', 'pc_1', '--channel', 'pc_2', '--platform', 'shop'],
];

describe('the whole output of keyward accounts', () => {
  it('put, for a new account, and view', async () => {
    expect(await keyward.run(...ALL)).toMatchSnapshot();
    expect(await keyward.both('accounts', 'view', 'acme')).toMatchSnapshot();
  });

  it('put --json, for an account with every API and channel, and for one without', async () => {
    expect(
      await keyward.run('accounts', 'put', 'globex', '--api', 'all', '--channel', 'all', '--json'),
    ).toMatchSnapshot();
    expect(await keyward.both('accounts', 'put', 'empty')).toMatchSnapshot();
  });

  it('list, without accounts, and with a disabled one among others', async () => {
    expect(await keyward.both('accounts', 'list')).toMatchSnapshot();
    await keyward.run(...ALL);
    await keyward.run('accounts', 'put', 'a-much-longer-name-of-an-account', '--api', 'all');
    await keyward.run('accounts', 'put', 'none');
    await keyward.run('accounts', 'disable', 'none');
    expect(await keyward.both('accounts', 'list')).toMatchSnapshot();
  });

  it('disable and enable, also if there is nothing to change', async () => {
    await keyward.run(...ALL);
    expect(await keyward.both('accounts', 'disable', 'acme')).toMatchSnapshot();
    expect(await keyward.both('accounts', 'enable', 'acme')).toMatchSnapshot();
  });

  it('put, for each list of which something is removed', async () => {
    await keyward.run(...ALL);
    expect(await keyward.run('accounts', 'put', 'acme', '--api', 'payments')).toMatchSnapshot();
    expect(await keyward.run('accounts', 'put', 'acme', '--scope', 'other', '--channel', 'pc_2')).toMatchSnapshot();
    expect(await keyward.run('accounts', 'put', 'acme', '--platform', 'market', '--json')).toMatchSnapshot();
    await keyward.run('accounts', 'put', 'acme', '--api', 'all', '--channel', 'all');
    expect(
      await keyward.run('accounts', 'put', 'acme', '--api', 'payments', '--api', 'disputes', '--channel', 'pc_1'),
    ).toMatchSnapshot();
  });
});

describe('a question on a terminal', () => {
  const put = (...args: string[]) => keyward.runWith('n\n', ['accounts', 'put', 'acme', ...args], true);

  beforeEach(async () => {
    await keyward.run(...ALL);
  });

  it('names what accounts put removes, and what this does', async () => {
    expect(await put('--api', 'payments')).toMatchSnapshot();
    expect(await put('--platform', 'market')).toMatchSnapshot();
    expect(await put('--scope', 'payments', '--platform', 'market')).toMatchSnapshot();
    expect(await put('--scope', 'other', '--channel', 'pc_3')).toMatchSnapshot();
  });

  it('is not asked if nothing is removed', async () => {
    expect(await put('--api', 'all', '--scope', 'payments', '--scope', 'payments:refund')).toMatchSnapshot();
  });

  it('is asked before an account is disabled, and only once', async () => {
    const disable = (answer: string) => keyward.runWith(answer, ['accounts', 'disable', 'acme'], true);
    expect(await disable('n\n')).toMatchSnapshot();
    expect(await disable('y\n')).toMatchSnapshot();
    expect(await disable('')).toMatchSnapshot();
  });
});

it('accounts list has each of more than 200 accounts', async () => {
  const store = await openStore(keyward.url);
  const { accounts } = createManagement({ store });
  for (let number = 0; number < 201; number += 1) await accounts.put('operator', `account-${number}`, {});
  await store.close();
  expect((await keyward.json<{ accounts: unknown[] }>('accounts', 'list')).accounts).toHaveLength(201);
});

it('a list with "all" has no other value', async () => {
  expect(await keyward.run('accounts', 'put', 'acme', '--channel', 'all', '--channel', 'pc_1')).toContain(
    '\n--channel: "all" cannot be combined with other values\n[exit code 2]',
  );
});
