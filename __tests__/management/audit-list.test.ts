import { describe, expect, it } from '@jest/globals';
import type { AuditListFilter } from 'keyward/management';
import { hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { START } from '../support/manual-clock.js';
import { engines } from '../support/test-stores.js';

describe.each(engines)('on %s, a list of audit entries', (engine) => {
  const at = managed(engine);

  it('has the newest entry first, page by page', async () => {
    const holder = await at.account();
    for (const name of ['1', '2', '3', '4', '5']) {
      at.clock.advance(1_000);
      await holder.key({ name });
    }
    const nameOf = ({ after }: { readonly after: unknown }) => (after as { readonly name?: string }).name;
    const first = await at.management.audit(holder.developer, { action: 'key.create', limit: 2 });
    expect(first.items.map(nameOf)).toEqual(['5', '4']);
    const second = await at.management.audit(holder.developer, {
      action: 'key.create',
      limit: 2,
      after: first.next ?? '',
    });
    expect(second.items.map(nameOf)).toEqual(['3', '2']);
    const third = await at.management.audit(holder.developer, { action: 'key.create', after: second.next ?? '' });
    expect(third).toMatchObject({ next: null });
    expect(third.items.map(nameOf)).toEqual(['1']);
  });

  it('of a period has the entries of its start, and not those of its end', async () => {
    const holder = await at.account();
    const from = new Date(at.clock.now());
    const { key } = await holder.key();
    at.clock.advance(1_000);
    const to = new Date(at.clock.now());
    const { key: later } = await holder.key();
    const subjects = async (filter: AuditListFilter) =>
      (await at.management.audit(holder.owner, { ...filter, action: 'key.create' })).items.map(
        ({ subject }) => subject,
      );
    expect(await subjects({ from, to })).toEqual([key.id]);
    expect(await subjects({ from: to })).toEqual([later.id]);
  });

  it('can be filtered by subject, actor and action', async () => {
    const holder = await at.account();
    const [{ key }, { key: other }] = [await holder.key(), await holder.key()];
    await at.management.keys.edit(holder.owner, key.id, { version: 1, name: 'Shop' });
    const counts = async (filter: AuditListFilter) => (await at.management.audit(holder.owner, filter)).items.length;
    expect(await counts({ subject: key.id })).toBe(2);
    expect(await counts({ subject: other.id })).toBe(1);
    expect(await counts({ actor: holder.developer.id })).toBe(2);
    expect(await counts({ action: 'key.edit' })).toBe(1);
    expect(await counts({ subject: key.id, actor: holder.owner.id, action: 'key.edit' })).toBe(1);
    expect(await counts({ subject: other.id, action: 'key.edit' })).toBe(0);
  });

  it('includes entries that an older version wrote as key.delete', async () => {
    const holder = await at.account();
    const { key } = await holder.key();
    const [account, subject] = [holder.id, key.id];
    await at.store.repository.transact((tx) =>
      tx.audit({
        ...{ at: START, account, actor: holder.owner.id, role: 'owner', action: 'key.delete', outcome: 'done' },
        ...{ subject, before: '{"revokedAt":null}', after: '{"revokedAt":"2026-01-01T00:00:00.000Z"}', origin: null },
      }),
    );
    await at.management.keys.revoke(holder.owner, key.id);
    const { items } = await at.management.audit(holder.owner, { subject });
    const actions = items.map(({ action }) => action).filter((action) => action !== 'key.create');
    expect(actions.toSorted()).toEqual(['key.delete', 'key.revoke']);
  });

  it('has the entries of one account or of every account for the operator, by the same filters', async () => {
    const [holder, other] = [await at.account(), await at.account()];
    await holder.key();
    await other.key();
    const { audit } = at.management.accounts;
    const accountsOf = async (filter: Parameters<typeof audit>[0]) =>
      (await audit(filter)).items.map(({ account, action }) => `${account} ${action}`);
    expect(await accountsOf({ account: holder.id })).toEqual([`${holder.id} key.create`, `${holder.id} account.put`]);
    expect(await accountsOf({ account: other.id, action: 'key.create' })).toEqual([`${other.id} key.create`]);
    expect(await accountsOf({ limit: 2, action: 'key.create' })).toEqual(
      expect.arrayContaining([`${holder.id} key.create`, `${other.id} key.create`]),
    );
    const doing = audit(hostile({ account: '' }));
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'account'));
  });

  it('cannot be that of another account', async () => {
    const [holder, other] = [await at.account(), await at.account()];
    const doing = at.management.audit(holder.owner, hostile<AuditListFilter>({ account: other.id }));
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', 'account'));
  });

  it('has every entry that matches, page by page, also the last one that a statement reads', async () => {
    const [holder, other] = [await at.account(), await at.account()];
    const written = Array.from({ length: 50 }, (_, number) => ({
      ...{ at: START + Math.floor(number / 2), account: [holder.id, other.id][number % 16 < 8 ? 0 : 1] ?? '' },
      // The first statement for a page of one entry reads eight entries: the eighth of them matches.
      ...{ actor: 'period', action: number % 8 === 2 ? 'test.match' : 'test.other', subject: `${number}` },
    }));
    await at.store.repository.transact(async (tx) => {
      for (const entry of written)
        await tx.audit({ ...entry, role: null, outcome: 'done', before: null, after: null, origin: null });
    });
    const { audit } = at.management.accounts;
    const subjects = async (filter: Parameters<typeof audit>[0]) => {
      const seen: (string | null)[] = [];
      for (let after: string | undefined; ; ) {
        const page = await audit({ ...filter, limit: 1, after });
        seen.push(...page.items.map(({ subject }) => subject));
        if (page.next === null) return seen;
        after = page.next;
      }
    };
    const matches = ['42', '34', '26', '18', '10', '2'];
    expect(await subjects({ action: 'test.match' })).toEqual(matches);
    expect(await subjects({ actor: 'period', action: 'test.match' })).toEqual(matches);
    const period = { from: new Date(START + 5), to: new Date(START + 17) };
    expect(await subjects({ action: 'test.match', ...period })).toEqual(['26', '18', '10']);
    expect(await subjects({ account: holder.id, action: 'test.match' })).toEqual(['34', '18', '2']);
    expect(await subjects({ account: holder.id, actor: 'period', action: 'test.match' })).toEqual(['34', '18', '2']);
    expect(await subjects({ account: other.id, action: 'test.match', ...period })).toEqual(['26', '10']);
  });

  it('of one account has every entry that matches, also the last one that a statement reads', async () => {
    const holder = await at.account();
    await at.store.repository.transact(async (tx) => {
      for (let number = 0; number < 50; number += 1) {
        await tx.audit({
          ...{ at: START + Math.floor(number / 2), account: holder.id, actor: 'period', role: null, outcome: 'done' },
          ...{ action: number % 8 === 2 ? 'test.match' : 'test.other', subject: `${number}`, origin: null },
          ...{ before: null, after: null },
        });
      }
    });
    const seen: (string | null)[] = [];
    for (let after: string | undefined; ; ) {
      const filter = { actor: 'period', action: 'test.match', limit: 1, after };
      const page = await at.management.audit(holder.owner, filter);
      seen.push(...page.items.map(({ subject }) => subject));
      if (page.next === null) break;
      after = page.next;
    }
    expect(seen).toEqual(['42', '34', '26', '18', '10', '2']);
  });

  it('has 50 entries on a page, unless it is asked for others', async () => {
    const holder = await at.account();
    await at.store.repository.transact(async (tx) => {
      for (let number = 0; number < 60; number += 1) {
        await tx.audit({
          ...{ at: START + number, account: holder.id, actor: holder.owner.id, role: 'owner', action: 'key.edit' },
          ...{ outcome: 'done', subject: `key_${number}`, before: null, after: '{}', origin: null },
        });
      }
    });
    expect((await at.management.audit(holder.owner)).items).toHaveLength(50);
    expect((await at.management.audit(holder.owner, { limit: 200 })).items.length).toBeGreaterThanOrEqual(61);
  });

  it.each<[string, object]>([
    ['limit', { limit: 0 }],
    ['to', { to: new Date(Number.NaN) }],
    ['subject', { subject: '' }],
    ['subject', { subject: 'key_\u0000' }],
    ['actor', { actor: ['owner'] }],
    ['action', { action: null }],
    ['limit', { limit: 201 }],
    ['after', { after: 'nowhere' }],
    ['from', { from: START }],
  ])('is refused for the %s: %j', async (field, filter) => {
    const holder = await at.account();
    const doing = at.management.audit(holder.owner, hostile<AuditListFilter>(filter));
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
  });
});
