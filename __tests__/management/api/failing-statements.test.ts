import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { type Holder, managed } from '../../support/managed.js';
import { onDatabase, type RawRow, schemaOf } from '../../support/store-database.js';
import { type EngineName, sharedEngines } from '../../support/test-stores.js';

const PEM_JWK = {
  ...{ kty: 'OKP', crv: 'Ed25519', kid: 'ed-1' },
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
};

/** The tables that the management API writes. */
const WRITTEN = ['keys', 'secrets', 'public_keys', 'creations', 'audit', 'changes', 'feed_head'];

type Engine = Exclude<EngineName, 'memory'>;

/** Statements that let one written row fail: the one with the number `at` of a transaction. */
const FAULTS: Readonly<Record<Engine, (schema: string) => readonly string[]>> = {
  SQLite: () => [
    'create table fault (n integer, at integer)',
    'insert into fault values (0, 0)',
    ...triggers(
      (name, when) => `create trigger ${name} before ${when}
      begin update fault set n = n + 1; select raise(abort, 'fault') from fault where n = at; end`,
    ),
  ],
  PostgreSQL: (schema) => [
    'create table fault (n integer, at integer)',
    'insert into fault values (0, 0)',
    `create function fail() returns trigger language plpgsql as $$ begin
       update "${schema}".fault set n = n + 1;
       if exists (select from "${schema}".fault where n = at) then raise exception 'fault' using errcode = '53200'; end if;
       return case tg_op when 'DELETE' then old else new end;
     end $$`,
    ...triggers((name, when) => `create trigger ${name} before ${when} for each row execute function fail()`),
  ],
};

function triggers(create: (name: string, when: string) => string): readonly string[] {
  const events = ['insert', 'update', 'delete'];
  return WRITTEN.flatMap((table) => events.map((event) => create(`fail_${event}_${table}`, `${event} on ${table}`)));
}

type Request = readonly [method: string, path: string, body: object | undefined, status: number];

describe.each(sharedEngines as readonly Engine[])('a statement that fails, in %s', (engine) => {
  const setup = managed(engine);
  let api: ApiClient;
  let requests = 0;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
    await onDatabase(setup.url, ...FAULTS[engine](schemaOf(setup.url)));
  });
  afterAll(() => api.close());

  /** Lets the row with this number fail from now on; none if it is 0. */
  const failAt = (at: number) => onDatabase(setup.url, `update fault set n = 0, at = ${at}`);

  /** Every row of these tables. */
  async function rows(): Promise<ReadonlyMap<string, readonly RawRow[]>> {
    return new Map(await Promise.all(WRITTEN.map(async (name) => [name, await rowsOf(name)] as const)));
  }

  async function rowsOf(table: string): Promise<readonly RawRow[]> {
    const found = await onDatabase(setup.url, `select * from "${table}"`);
    return [...found].sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }

  /** Each change that the API can make, on keys of its own. */
  async function changesOf(holder: Holder): Promise<readonly Request[]> {
    const [edited, rotated] = [await holder.key(), await holder.key()];
    const [graced, revoked] = [await holder.key(), await holder.key()];
    const [access, keyed] = [await holder.accessKey(), await holder.accessKey()];
    await setup.management.keys.rotate(holder.owner, graced.key.id, 60);
    await setup.management.accessKeys.addSecret(holder.owner, access.key.id);
    await setup.management.accessKeys.addPublicKey(holder.owner, keyed.key.id, { ...PEM_JWK, kid: 'first' });
    const secret = access.key.secrets[0]?.id;
    return [
      ['POST', '/keys', { kind: 'secret', apis: ['payments'] }, 201],
      ['POST', '/access-keys', { scopes: ['payments'] }, 201],
      ['PATCH', `/keys/${edited.key.id}`, { name: 'Till' }, 200],
      ['POST', `/keys/${rotated.key.id}/rotate`, { gracePeriod: 60 }, 200],
      ['POST', `/keys/${graced.key.id}/end-grace-period`, undefined, 200],
      ['DELETE', `/keys/${revoked.key.id}`, undefined, 204],
      ['DELETE', `/access-keys/${access.key.id}/secrets/${secret}`, undefined, 204],
      ['POST', `/access-keys/${access.key.id}/secrets`, undefined, 201],
      ['POST', `/access-keys/${keyed.key.id}/public-keys`, { jwk: PEM_JWK }, 201],
      ['DELETE', `/access-keys/${keyed.key.id}/public-keys/first`, undefined, 204],
      ['DELETE', `/access-keys/${access.key.id}`, undefined, 204],
    ];
  }

  it('G14 at each row of each change: E503, and every table is as before; the same request succeeds later', async () => {
    const holder = await setup.account();
    for (const [method, path, body, status] of await changesOf(holder)) {
      requests += 1;
      const headers = { 'if-match': '*', 'idempotency-key': `request-${requests}` };
      const before = await rows();
      let faults = 0;
      for (;;) {
        await failAt(faults + 1);
        const reply = await api.send(holder.owner, method, path, { body, headers });
        if (reply.status < 300) {
          // The first answer: a failed request is not stored as done.
          expect([method, path, reply.status]).toEqual([method, path, status]);
          break;
        }
        faults += 1;
        const { status: failed, body: problem, headers: fields, text } = reply;
        expect([method, path, faults, failed, problem.code]).toEqual([method, path, faults, 503, 'unavailable']);
        expect(fields.get('content-type')).toBe('application/problem+json');
        expect(Number(fields.get('retry-after'))).toBeGreaterThan(0);
        expect(text).not.toContain('fault');
        expect([method, path, faults, await rows()]).toEqual([method, path, faults, before]);
      }
      // The key, the audit log and the feed, at least.
      expect([method, path, faults > 3]).toEqual([method, path, true]);
    }
    await failAt(0);
  }, 300_000);
});
