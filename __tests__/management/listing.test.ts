import { describe, expect, it } from '@jest/globals';
import type { KeyView, ListFilter } from 'keyward/management';
import { type Holder, hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { engines } from '../support/test-stores.js';

describe.each(engines)('on %s', (engine) => {
  const at = managed(engine);

  /** Makes keys of every sort, one a second; their names say which. */
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
    await keys.delete(holder.owner, revoked.id);
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

  it('access keys apart', async () => {
    const holder = await holderOfMany();
    const { items } = await at.management.accessKeys.list(holder.developer);
    expect(items.map(({ kind }) => kind)).toEqual(['access']);
    expect((await at.management.accessKeys.list(holder.developer, { kind: 'access' })).items).toEqual(items);
  });

  it.each([1, 2, 3, 4, 50])('page by page, %d at a time, each key once', async (limit) => {
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

  it('page by page, where all are of one instant', async () => {
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
