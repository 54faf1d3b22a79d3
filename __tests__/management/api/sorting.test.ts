import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { managed } from '../../support/managed.js';
import { onDatabase } from '../../support/store-database.js';
import { engines } from '../../support/test-stores.js';

describe.each(engines)('sorted lists of the API in %s', (engine) => {
  const setup = managed(engine);
  let api: ApiClient;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
  });
  afterAll(() => api.close());

  /** Follows the links of a list; the names on its pages. */
  async function namesOf(member: Parameters<ApiClient['send']>[0], first: string): Promise<readonly string[]> {
    const names: string[] = [];
    for (let path: string | undefined = first; path !== undefined; ) {
      const { status, body, headers } = await api.send(member, 'GET', path);
      expect([path, status]).toEqual([path, 200]);
      names.push(...body.data.map(({ name }: { name: string }) => name));
      const next: string | undefined = /<\/api(.*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      // Otherwise a link to the page itself would be followed for ever.
      expect(next).not.toBe(path);
      path = next;
    }
    return names;
  }

  it.each(['/keys', '/access-keys'])('%s by name and creation, page by page, both ways', async (path) => {
    const { developer, owner } = await setup.account();
    for (const name of ['b', 'c', 'a']) {
      const settings = path === '/keys' ? { kind: 'secret', apis: ['payments'] } : { scopes: ['payments'] };
      expect((await api.send(developer, 'POST', path, { body: { ...settings, name } })).status).toBe(201);
      setup.clock.advance(1_000);
    }
    const sorted = (sort: string) => namesOf(owner, `${path}?limit=1${sort}`);
    expect(await sorted('')).toEqual(['a', 'c', 'b']);
    expect(await sorted('&sort=-created')).toEqual(['a', 'c', 'b']);
    expect(await sorted('&sort=created')).toEqual(['b', 'c', 'a']);
    expect(await sorted('&sort=name')).toEqual(['a', 'b', 'c']);
    expect(await sorted('&sort=-name')).toEqual(['c', 'b', 'a']);
  });

  it('another order, and the cursor of another order', async () => {
    const { developer, key } = await setup.account();
    await key({ name: 'a' });
    await key({ name: 'b' });
    for (const sort of ['', 'hint', '--name', 'Name']) {
      const { status, body } = await api.send(developer, 'GET', `/keys?sort=${sort}`);
      expect([sort, status, body.code, body.errors[0].parameter]).toEqual([sort, 400, 'invalid', 'sort']);
    }
    const { body } = await api.send(developer, 'GET', '/keys?limit=1&sort=name');
    const other = await api.send(developer, 'GET', `/keys?limit=1&sort=created&after=${body.next}`);
    expect([other.status, other.body.errors[0].parameter]).toEqual([400, 'after']);
    const audit = await api.send(developer, 'GET', '/audit?sort=name');
    expect([audit.status, audit.body.errors[0].parameter]).toEqual([400, 'sort']);
  });

  const onDisk = engine === 'memory' ? it.skip : it;

  onDisk('by last use, unused keys before all others', async () => {
    const { developer, key } = await setup.account();
    for (const [name, at] of [
      ['late', 3_000],
      ['never', 0],
      ['early', 1_000],
    ] as const) {
      const { key: made } = await key({ name });
      await onDatabase(setup.url, `update keys set used_at = ${at} where id = '${made.id}'`);
    }
    expect(await namesOf(developer, '/keys?limit=1&sort=used')).toEqual(['never', 'early', 'late']);
    expect(await namesOf(developer, '/keys?limit=1&sort=-used')).toEqual(['late', 'early', 'never']);
  });

  it('its document names the orders', async () => {
    const { body } = await api.send(undefined, 'GET', '/openapi.json');
    for (const path of ['/keys', '/access-keys']) {
      const parameters = body.paths[path].get.parameters as readonly {
        readonly name: string;
        readonly schema: object;
      }[];
      expect(parameters.find(({ name }) => name === 'sort')?.schema).toMatchObject({
        enum: ['created', '-created', 'name', '-name', 'used', '-used'],
        default: '-created',
      });
    }
  });
});
