import { describe, expect, it } from '@jest/globals';
import type { Account, AccountSettings } from 'keyward/management';
import { HAS, hostile, managed, OPERATOR, refusalOf, refusing, storyOf } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  it('has the given settings; default: nothing, but every channel', async () => {
    const createdAt = new Date(at.clock.now());
    const account = await at.management.accounts.put(OPERATOR, 'acc_new', {});
    expect(account).toEqual({
      ...{ id: 'acc_new', apis: [], scopes: [], channels: 'all', platforms: [] },
      ...{ createdAt, disabledAt: null, version: 1 },
    });
    expect(await at.management.accounts.view('acc_new')).toEqual(account);
    const { id } = await at.account();
    expect(await at.management.accounts.view(id)).toMatchObject({ id, ...HAS });
  });

  it.each<AccountSettings>([
    { apis: 'all' },
    { apis: ['reports'] },
    { scopes: ['reports:read'] },
    { scopes: [] },
    { channels: 'all' },
    { channels: [] },
    { platforms: ['bazaar', 'shop'] },
  ])('put again with %j keeps the other settings', async (settings) => {
    const { id } = await at.account();
    const before = await at.management.accounts.view(id);
    at.clock.advance(1_000);
    const account = await at.management.accounts.put(OPERATOR, id, settings);
    expect(account).toEqual({ ...before, ...settings, version: 2 });
  });

  it.each<[string, unknown]>([
    ['apis', { apis: 'payments' }],
    ['apis', { apis: ['all'] }],
    ['apis', { apis: ['payments', 'payments'] }],
    ['scopes', { scopes: 'all' }],
    ['scopes', { scopes: ['a b'] }],
    ['channels', { channels: null }],
    ['platforms', { platforms: 'all' }],
    ['id', { id: 'acc_other' }],
    ['disabledAt', { disabledAt: null }],
    ['__proto__', JSON.parse('{"__proto__":{"apis":"all"}}')],
    ['request', null],
    ['request', ['payments']],
  ])('is refused for the %s: %j', async (field, settings) => {
    const { id } = await at.account();
    const before = await at.management.accounts.view(id);
    for (const of of [id, 'acc_refused']) {
      const doing = at.management.accounts.put(OPERATOR, of, hostile<AccountSettings>(settings));
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
    }
    expect(await at.management.accounts.view(id)).toEqual(before);
    expect(await refusalOf(at.management.accounts.view('acc_refused'))).toEqual(refusing(404, 'not_found'));
  });

  it.each(['', 'a b', 'all', 'é', 'x'.repeat(65), undefined, 7])('cannot have the id %j', async (id) => {
    const doing = at.management.accounts.put(OPERATOR, hostile<string>(id), {});
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'account'));
  });

  it.each(['', undefined, 7, 'a\u0000', 'o'.repeat(257)])('cannot be put by the operator %j', async (operator) => {
    const { id } = await at.account();
    for (const doing of [
      () => at.management.accounts.put(hostile<string>(operator), id, {}),
      () => at.management.accounts.setDisabled(hostile<string>(operator), id, true),
    ]) {
      expect(await refusalOf(doing())).toEqual(refusing(400, 'invalid', 'operator'));
    }
  });

  it('is disabled and enabled; disabling it again keeps the time', async () => {
    const { id } = await at.account();
    const { setDisabled } = at.management.accounts;
    const disabledAt = new Date(at.clock.now());
    expect(await setDisabled(OPERATOR, id, true)).toMatchObject({ disabledAt, version: 2 });
    at.clock.advance(1_000);
    expect(await setDisabled(OPERATOR, id, true)).toMatchObject({ disabledAt, version: 2 });
    expect(await at.management.accounts.put(OPERATOR, id, { apis: [] })).toMatchObject({ disabledAt });
    expect(await setDisabled(OPERATOR, id, false)).toMatchObject({ disabledAt: null });
    for (const flag of ['false', 0, undefined, null]) {
      const doing = setDisabled(OPERATOR, id, hostile<boolean>(flag));
      expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'disabled'));
    }
  });

  it('a key that is disabled itself stays disabled when its account is enabled', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    await at.management.accounts.setDisabled(OPERATOR, holder.id, true);
    await at.management.accounts.setDisabled(OPERATOR, holder.id, false);
    expect(await at.management.keys.view(holder.owner, key.id)).toMatchObject({ state: 'disabled' });
  });

  it('that does not exist is not found, and cannot be disabled', async () => {
    const { view, setDisabled } = at.management.accounts;
    for (const id of ['acc_none', '', '\u0000', 'x'.repeat(20_000)]) {
      expect([400, 404]).toContain((await refusalOf(view(id))).status);
    }
    const message = 'the account was not found';
    expect(await refusalOf(view('acc_none'))).toMatchObject({ status: 404, message });
    expect(await refusalOf(setDisabled(OPERATOR, 'acc_none', true))).toMatchObject({ status: 404, message });
    const stray = { id: 'm', account: 'acc_none', permissions: ['owner' as const] };
    expect(await storyOf(at.management, stray)).toEqual([]);
  });

  it('are listed by id', async () => {
    const made = [await at.account(), await at.account()];
    const listed: Account[] = [];
    let after: string | undefined;
    do {
      const page = await at.management.accounts.list({ limit: 1, ...(after === undefined ? {} : { after }) });
      listed.push(...page.items);
      after = page.next ?? undefined;
    } while (after !== undefined);
    const ids = listed.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(made.map(({ id }) => id)));
    expect(ids).toEqual([...new Set(ids)].sort());
    for (const { id } of made) {
      expect(listed.find((account) => account.id === id)).toEqual(await at.management.accounts.view(id));
    }
  });

  it('put concurrently: each put succeeds or must be tried again', async () => {
    const { id } = await at.account();
    const ends = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) => at.management.accounts.put(OPERATOR, id, { apis: [`api_${i}`] })),
    );
    const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(lost).toEqual(lost.map(() => refusing(409, 'version_conflict')));
    const { version } = await at.management.accounts.view(id);
    expect(version).toBe(1 + ends.length - lost.length);
    expect(version).toBeGreaterThan(1);
  });
});
