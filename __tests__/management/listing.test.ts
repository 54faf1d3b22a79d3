import { describe, expect, it } from '@jest/globals';
import type { KeyOrder, KeyView, ListFilter } from 'keyward/management';
import { type Holder, hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  /** Makes keys of every kind, one a second; their names say which. */
  async function holderOfMany(): Promise<Holder> {
    const holder = await at.account();
    const { keys } = at.management;
    const soon = new Date(at.clock.now() + 60_000);
    await holder.key({ name: 'secret all', apis: 'all' });
    at.clock.advance(1_000);
    await holder.key({ name: 'public payments', kind: 'public' });
    at.clock.advance(1_000);
    await holder.key({ name: 'expired', apis: ['disputes'], expiresAt: soon });
    at.clock.advance(1_000);
    const { key: disabled } = await holder.key({ name: 'DISABLED 100%', apis: ['disputes'] });
    await keys.edit(holder.owner, disabled.id, { version: 1, disabled: true });
    at.clock.advance(1_000);
    const { key: revoked } = await holder.key({ name: 'revoked' });
    await keys.revoke(holder.owner, revoked.id);
    await holder.accessKey();
    at.clock.advance(60_000);
    return holder;
  }

  const namesOf = (items: readonly KeyView[]) => items.map(({ name }) => name);

  it.each<[ListFilter, string[]]>([
    [{}, ['DISABLED 100%', 'expired', 'public payments', 'secret all']],
    [{ kind: 'public' }, ['public payments']],
    [{ kind: 'secret' }, ['DISABLED 100%', 'expired', 'secret all']],
    [{ api: 'payments' }, ['public payments', 'secret all']],
    [{ api: 'disputes', kind: 'secret' }, ['DISABLED 100%', 'expired', 'secret all']],
    [{ api: 'pay' }, ['secret all']],
    [{ state: 'active' }, ['public payments', 'secret all']],
    [{ state: 'disabled' }, ['DISABLED 100%']],
    [{ state: 'expired' }, ['expired']],
    [{ state: 'revoked' }, ['revoked']],
    [{ text: 'disabled' }, ['DISABLED 100%']],
    [{ text: '0%' }, ['DISABLED 100%']],
    [{ text: '%' }, ['DISABLED 100%']],
    [{ text: '_' }, ['DISABLED 100%', 'expired', 'public payments', 'secret all']],
    [{ text: 'KEY_' }, ['DISABLED 100%', 'expired', 'public payments', 'secret all']],
    [{ text: 'pk_…' }, ['public payments']],
    [{ text: "'--" }, []],
    [{ text: 'payments', api: 'disputes' }, []],
  ])('keys by %j', async (filter, names) => {
    const holder = await holderOfMany();
    const { items, next } = await at.management.keys.list(holder.developer, filter);
    expect(namesOf(items)).toEqual(names);
    expect(next).toBeNull();
  });

  it('a disabled key that has expired is listed as expired alone', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'both', expiresAt: new Date(at.clock.now() + 60_000) });
    await at.management.keys.edit(holder.owner, key.id, { version: 1, disabled: true });
    const listed = async (state: 'disabled' | 'expired') =>
      namesOf((await at.management.keys.list(holder.owner, { state })).items);
    expect([await listed('disabled'), await listed('expired')]).toEqual([['both'], []]);
    at.clock.advance(60_000);
    expect([await listed('disabled'), await listed('expired')]).toEqual([[], ['both']]);
  });

  it('a revoked key that has expired is listed as revoked alone', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'both', expiresAt: new Date(at.clock.now() + 60_000) });
    await at.management.keys.revoke(holder.owner, key.id);
    at.clock.advance(60_000);
    const listed = async (state: 'expired' | 'revoked') =>
      namesOf((await at.management.keys.list(holder.owner, { state })).items);
    expect([await listed('expired'), await listed('revoked')]).toEqual([[], ['both']]);
  });

  it('a key by the hint of its secret, also of one that a rotation ended', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'found' });
    await holder.key({ name: 'other' });
    const { key: rotated } = await at.management.keys.rotate(holder.owner, key.id);
    const found = async (text: string) => namesOf((await at.management.keys.list(holder.owner, { text })).items);
    expect([await found(key.hint), await found(rotated.hint)]).toEqual([['found'], ['found']]);
  });

  it('access keys separately', async () => {
    const holder = await holderOfMany();
    const { items } = await at.management.accessKeys.list(holder.developer);
    expect(items.map(({ kind }) => kind)).toEqual(['access']);
    expect((await at.management.accessKeys.list(holder.developer, { kind: 'access' })).items).toEqual(items);
  });

  it.each([1, 2, 3, 4, 50])('in pages of %d, each key once', async (limit) => {
    const holder = await holderOfMany();
    const seen: KeyView[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const page = await at.management.keys.list(holder.developer, { limit, after });
      seen.push(...page.items);
      after = page.next ?? undefined;
      pages += 1;
    } while (after !== undefined);
    expect(namesOf(seen)).toEqual(['DISABLED 100%', 'expired', 'public payments', 'secret all']);
    expect(pages).toBe(Math.ceil(4 / limit));
  });

  it.each<[KeyOrder, readonly string[]]>([
    ['created', ['b', 'A', 'c', 'É', '-']],
    ['-created', ['-', 'É', 'c', 'A', 'b']],
    ['name', ['-', 'A', 'b', 'c', 'É']],
    ['-name', ['É', 'c', 'b', 'A', '-']],
  ])('page by page, by %s', async (sort, names) => {
    const holder = await at.account();
    for (const name of ['b', 'A', 'c', 'É', '-']) {
      await holder.key({ name });
      await holder.accessKey();
      at.clock.advance(1_000);
    }
    for (const limit of [1, 2, 5]) {
      const seen: KeyView[] = [];
      for (let after: string | undefined; ; ) {
        const page = await at.management.keys.list(holder.developer, { sort, limit, after });
        seen.push(...page.items);
        if (page.next === null) break;
        after = page.next;
      }
      expect(namesOf(seen)).toEqual(names);
    }
    expect((await at.management.accessKeys.list(holder.developer, { sort })).items).toHaveLength(5);
    const { items } = await at.management.keys.list(holder.developer, { sort, kind: 'public' });
    expect(items).toEqual([]);
  });

  it.each<KeyOrder>(['used', '-used'])('page by page, by %s, each of those without a use once', async (sort) => {
    const holder = await at.account();
    for (const name of ['a', 'b', 'c']) await holder.key({ name });
    const first = await at.management.keys.list(holder.developer, { sort, limit: 2 });
    const rest = await at.management.keys.list(holder.developer, { sort, after: String(first.next) });
    expect(namesOf([...first.items, ...rest.items]).sort()).toEqual(['a', 'b', 'c']);
  });

  it.each<KeyOrder>(['created', '-created', 'name', '-name', 'used', '-used'])(
    'by a filter and by %s, also of the last key that a statement reads',
    async (sort) => {
      const holder = await at.account();
      // The first statement for a page of one key reads eight keys.
      const names = Array.from({ length: 9 }, (_, number) => `number ${number}`);
      for (const name of names) {
        await holder.key({ name });
        at.clock.advance(1_000);
      }
      for (const name of names) {
        const { items } = await at.management.keys.list(holder.developer, { text: name, sort, limit: 1 });
        expect(namesOf(items)).toEqual([name]);
      }
    },
  );

  it('of keys that were created before a time and were not used since', async () => {
    const holder = await at.account();
    await holder.key({ name: 'old' });
    at.clock.advance(60_000);
    const time = new Date(at.clock.now());
    await holder.key({ name: 'new' });
    const { items } = await at.management.keys.list(holder.developer, { unusedSince: time });
    expect(namesOf(items)).toEqual(['old']);
  });

  it('of names by id: of keys of the account that have one, also of revoked ones', async () => {
    const holder = await at.account();
    const { key } = await holder.key({ name: 'Till' });
    const { key: nameless } = await holder.key();
    await at.management.keys.revoke(holder.owner, key.id);
    const { key: foreign } = await (await at.account()).key({ name: 'Desk' });
    const names = (ids: readonly string[]) => at.management.keyNames(holder.developer, ids);
    expect(await names([key.id, nameless.id, foreign.id, 'key_none', 7 as unknown as string])).toEqual(
      new Map([[key.id, 'Till']]),
    );
    expect((await names([])).size).toBe(0);
    for (const bad of [['\0'], 'all', Array.from({ length: 201 }, () => 'key_1')]) {
      expect(await refusalOf(names(hostile(bad)))).toEqual(refusing(400, 'invalid', 'ids'));
    }
    const nobody = { ...holder.developer, permissions: [] };
    expect(await refusalOf(at.management.keyNames(nobody, [key.id]))).toMatchObject({ status: 403 });
  });

  it('page by page, by a name that is changed meanwhile', async () => {
    const holder = await at.account();
    for (const name of ['a', 'b', 'c', 'd']) await holder.key({ name });
    const first = await at.management.keys.list(holder.developer, { sort: 'name', limit: 2 });
    const [, last] = first.items;
    await at.management.keys.edit(holder.owner, String(last?.id), { version: 1, name: 'z' });
    const rest = await at.management.keys.list(holder.developer, { sort: 'name', after: String(first.next) });
    expect(namesOf(rest.items)).toEqual(['c', 'd', 'z']);
  });

  it('in pages, if all keys were created at the same time', async () => {
    const holder = await at.account();
    for (let i = 0; i < 5; i += 1) await holder.key({ name: `${i}` });
    const { next, items } = await at.management.keys.list(holder.developer, { limit: 2 });
    const rest = await at.management.keys.list(holder.developer, { after: String(next) });
    expect(namesOf([...items, ...rest.items]).sort()).toEqual(['0', '1', '2', '3', '4']);
  });

  it.each<[string, unknown]>([
    ['kind', { kind: 'access' }],
    ['kind', { kind: 'all' }],
    ['api', { api: ['payments'] }],
    ['api', { api: '' }],
    ['state', { state: 'deleted' }],
    ['text', { text: '' }],
    ['text', { text: 'a\u0000' }],
    ['after', { after: 'nowhere' }],
    ['after', { sort: 'name', after: Buffer.from('1 key_a').toString('base64url') }],
    ['after', { after: Buffer.from('name key_a\nA').toString('base64url') }],
    ['unusedSince', { unusedSince: 'yesterday' }],
    ['unusedSince', { unusedSince: new Date(Number.NaN) }],
    ['sort', { sort: 'digest' }],
    ['sort', { sort: ['name'] }],
    ['limit', { limit: 0 }],
    ['limit', { limit: 1e9 }],
    ['request', 'all'],
    ['request', null],
  ])('is refused for the %s: %j', async (field, filter) => {
    const holder = await at.account();
    const doing = at.management.keys.list(holder.developer, hostile<ListFilter>(filter));
    expect(await refusalOf(doing)).toEqual(refusing(400, 'invalid', field));
  });
});
