import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { createManagement } from 'keyward/management';
import { openStore } from 'keyward/store';
import pg from 'pg';
import { eavesdrop } from '../support/eavesdrop.js';
import { sectionOf } from '../support/markdown.js';
import { onDatabase, schemaOf } from '../support/store-database.js';
import { makeStores } from '../support/store-places.js';
import { onServer, POSTGRES } from '../support/test-stores.js';

const page = readFileSync(new URL('../../docs/store.md', import.meta.url), 'utf8');
const section = sectionOf(page, 'Set up PostgreSQL roles');
/** The grants of a role, as the page has them. */
const grantsOf = (role: string) =>
  [...section.matchAll(/^grant [^;]+;/gm)].flat().filter((line) => line.includes(role));

onServer('the roles of docs/store.md', () => {
  /** Makes the role in a schema of its own, and works as it. */
  async function asRole(documented: string, work: (url: string) => Promise<void>, without?: string): Promise<void> {
    const stores = await makeStores('PostgreSQL');
    await stores.open();
    const schema = schemaOf(stores.url);
    const role = `role_${randomBytes(6).toString('hex')}`;
    const granted = grantsOf(documented).filter((line) => without === undefined || !line.includes(without));
    const grants = granted.map((line) =>
      line
        .replace(/keyward\./g, `"${schema}".`)
        .replace('schema keyward', `schema "${schema}"`)
        .replace(documented, role),
    );
    await onDatabase(POSTGRES ?? '', `create role ${role} login password 'none'`, ...grants);
    const url = Object.assign(new URL(stores.url), { username: role, password: 'none' });
    try {
      await work(url.href);
    } finally {
      await stores.close();
      await onDatabase(POSTGRES ?? '', `drop owned by ${role}`, `drop role ${role}`);
    }
  }

  const inAMinute = () => new Date(Date.now() + 60_000);

  it('the role that manages keys can change every table that it needs', async () => {
    await asRole('keyward_app', async (url) => {
      const store = await openStore(url);
      try {
        const { accounts, accessKeys } = createManagement({ store });
        const member = { id: 'ada', account: 'acme', permissions: ['owner'] as const };
        await accounts.put('operator', 'acme', { scopes: ['payments'] });
        const { key } = await accessKeys.create(member, { environment: 'live', scopes: ['payments'] });
        const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo', kid: 'one' };
        expect((await accessKeys.addPublicKey(member, key.id, jwk)).publicKeys).toHaveLength(1);
        for (let rotation = 0; rotation < 6; rotation += 1) await accessKeys.rotate(member, key.id);
        expect((await accessKeys.removePublicKey(member, key.id, 'one')).publicKeys).toEqual([]);
        await store.revokeToken?.(key.id, 'jti', inAMinute());
        expect([await store.firstUse('client.one', 60), await store.firstUse('client.one', 60)]).toEqual([true, false]);
      } finally {
        await store.close();
      }
      await assertCanCountUsage(url);
    });
  });

  it('the role of a resource server can read keys, note proofs and count usage, and change no key', async () => {
    await asRole('keyward_api', async (url) => {
      const store = await openStore(url);
      try {
        expect(await store.resolveAccessKey('ack_none')).toBeUndefined();
        expect([await store.firstUse('client.one', 60), await store.firstUse('client.one', 60)]).toEqual([true, false]);
        await expect(store.revokeToken?.('ack_none', 'jti', inAMinute())).rejects.toThrow();
      } finally {
        await store.close();
      }
      await assertCanCountUsage(url);
    });
  });

  it('a role without the right to count usage has a warning that says so', async () => {
    const events = eavesdrop();
    await asRole(
      'keyward_api',
      async (url) => {
        const store = await openStore(url);
        store.usageOf?.('counted').accepted();
        await store.close();
      },
      'used_ids',
    );
    expect(events.heard('keyward:store')).toContainEqual({
      warning: 'usage_not_written',
      detail: expect.stringContaining('permission denied for table used_ids'),
    });
    events.stop();
  });

  /** As the store counts, and deletes old days. */
  async function assertCanCountUsage(url: string): Promise<void> {
    const store = await openStore(url);
    store.usageOf?.('counted').accepted();
    await store.close();
    const client = new pg.Client({ connectionString: withoutSchema(url) });
    await client.connect();
    try {
      await client.query(`set search_path to "${schemaOf(url)}"`);
      const { rows } = await client.query(`select accepted from usage where key_id = 'counted'`);
      expect(rows.map(({ accepted }) => Number(accepted))).toEqual([1]);
      const count = `insert into usage (key_id, day, accepted, refused) values ('one', 1, 1, 0)
        on conflict (key_id, day) do update set accepted = usage.accepted + 1`;
      await client.query(count);
      await client.query(count);
      expect((await client.query('delete from usage where day < 2')).rowCount).toBe(1);
    } finally {
      await client.end();
    }
  }
});

function withoutSchema(url: string): string {
  const plain = new URL(url);
  plain.searchParams.delete('schema');
  return plain.href;
}
