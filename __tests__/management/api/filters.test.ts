import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { type Holder, managed } from '../../support/managed.js';
import { engines } from '../../support/test-stores.js';

describe.each(engines)('the filters of the API in %s', (engine) => {
  const setup = managed(engine);
  let api: ApiClient;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
  });
  afterAll(() => api.close());

  /** Follows the links of a list, page by page; what is in it. */
  async function listed<T>({ owner }: Holder, first: string): Promise<readonly T[]> {
    const found: T[] = [];
    for (let path: string | undefined = first; path !== undefined; ) {
      const { status, body, headers } = await api.send(owner, 'GET', path);
      expect([path, status]).toEqual([path, 200]);
      found.push(...body.data);
      const next: string | undefined = /<\/api(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      // Otherwise a link to the page itself would be followed for ever.
      expect(next).not.toBe(path);
      path = next;
    }
    return found;
  }

  const namesOf = async (holder: Holder, path: string) =>
    (await listed<{ name: string }>(holder, path)).map(({ name }) => name);

  it('select keys, on each page', async () => {
    const holder = await setup.account();
    const names = ['Till 1', 'Till 2', 'Till 3'];
    for (const name of names) await holder.key({ name, kind: 'public', apis: ['disputes'] });
    for (const name of ['Desk 1', 'Desk 2']) await holder.key({ name });
    for (const { id, version } of await listed<{ id: string; version: number }>(holder, '/keys?q=Till')) {
      await setup.management.keys.edit(holder.owner, id, { version, disabled: true });
    }
    for (const filter of [
      'kind=public',
      'api=disputes',
      'state=disabled',
      'q=till',
      'q=TILL&kind=public&api=disputes',
    ]) {
      expect([filter, await namesOf(holder, `/keys?${filter}&sort=name&limit=1`)]).toEqual([filter, names]);
    }
    expect(await namesOf(holder, '/keys?state=active&sort=-name')).toEqual(['Desk 2', 'Desk 1']);
    expect(await namesOf(holder, '/keys?q=till&kind=secret')).toEqual([]);
  });

  it('select access keys, on each page', async () => {
    const holder = await setup.account();
    for (const name of ['Job 1', 'Job 2', 'Other']) {
      await setup.management.accessKeys.create(holder.owner, { scopes: ['payments'], name });
    }
    expect(await namesOf(holder, '/access-keys?q=job&sort=name&limit=1')).toEqual(['Job 1', 'Job 2']);
    expect(await namesOf(holder, '/access-keys?state=revoked')).toEqual([]);
  });

  it('select entries of the audit log, on each page', async () => {
    const holder = await setup.account();
    const [{ key }, { key: other }] = [await holder.key(), await holder.key()];
    for (const { id } of [key, other]) {
      for (const version of [1, 2]) {
        await setup.management.keys.edit(holder.owner, id, { version, name: `name ${version}` });
      }
    }
    const entries = async (filter: string) =>
      (await listed<{ subject: string; action: string }>(holder, `/audit?limit=1&${filter}`)).map(
        ({ subject, action }) => `${action} ${subject}`,
      );
    const edits = [other, other, key, key].map(({ id }) => `key.edit ${id}`);
    expect(await entries('action=key.edit')).toEqual(edits);
    expect(await entries(`actor=${holder.owner.id}`)).toEqual(edits);
    expect(await entries(`subject=${key.id}`)).toEqual([...edits.slice(2), `key.create ${key.id}`]);
    expect(await entries(`subject=${key.id}&actor=${holder.developer.id}`)).toEqual([`key.create ${key.id}`]);
  });
});
