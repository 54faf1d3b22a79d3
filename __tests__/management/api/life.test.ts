import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { digestOf } from 'keyward';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { eavesdrop } from '../../support/eavesdrop.js';
import { managed, OPERATOR } from '../../support/managed.js';
import { type ManagedApi, serveManaged } from '../../support/managed-api.js';
import { engines } from '../../support/test-stores.js';

describe.each(engines)('the API in %s', (engine) => {
  const setup = managed(engine);
  let api: ApiClient;
  let gate: ManagedApi;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
    gate = await serveManaged(setup.store, setup.clock);
  });
  afterAll(() => Promise.all([api.close(), gate.close()]));

  it('G01 the life of a key', async () => {
    const { owner, developer } = await setup.account();
    const settings = { kind: 'secret', apis: ['payments'], name: 'Till', metadata: { plan: 'gold' } };
    const made = await api.send(developer, 'POST', '/keys', { body: settings });
    expect([made.status, made.headers.get('etag')]).toEqual([201, '"1"']);
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { key, secret } = made.body;
    expect(made.headers.get('location')).toBe(`/api/keys/${key.id}`);
    expect(key).toMatchObject({ ...settings, environment: 'live', state: 'active', version: 1 });
    expect(await gate.status('/payments', secret)).toBe(200);
    expect(await gate.status('/disputes', secret)).toBe(403);

    const viewed = await api.send(developer, 'GET', `/keys/${key.id}`);
    expect([viewed.status, viewed.body, viewed.headers.get('etag')]).toEqual([200, key, '"1"']);
    const fresh = await api.send(developer, 'GET', `/keys/${key.id}`, { headers: { 'if-none-match': 'W/"1", "7"' } });
    expect([fresh.status, fresh.text, fresh.headers.get('etag')]).toEqual([304, '', '"1"']);
    const stale = await api.send(developer, 'GET', `/keys/${key.id}`, { headers: { 'if-none-match': '"0"' } });
    expect(stale.status).toBe(200);

    const patch = {
      apis: ['payments', 'disputes'],
      expiresAt: '2099-01-31T12:00:00+01:00',
      metadata: { region: 'eu' },
    };
    const type = { 'content-type': 'application/merge-patch+json' };
    const edited = await api.send(owner, 'PATCH', `/keys/${key.id}`, {
      body: patch,
      headers: { ...type, 'if-match': '"1"' },
    });
    expect([edited.status, edited.headers.get('etag')]).toEqual([200, '"2"']);
    expect(edited.body).toMatchObject({
      ...{ apis: ['payments', 'disputes'], name: 'Till', expiresAt: '2099-01-31T11:00:00.000Z', version: 2 },
      metadata: { plan: 'gold', region: 'eu' },
    });
    expect(await gate.status('/disputes', secret)).toBe(200);

    const rotated = await api.send(owner, 'POST', `/keys/${key.id}/rotate`, { body: { gracePeriod: 3_600 } });
    expect([rotated.status, rotated.headers.get('etag')]).toEqual([200, '"3"']);
    expect([await gate.status('/payments', secret), await gate.status('/payments', rotated.body.secret)]).toEqual([
      200, 200,
    ]);
    const ended = await api.send(owner, 'POST', `/keys/${key.id}/end-grace-period`);
    expect([ended.status, ended.body.secrets.map(({ state }: { state: string }) => state)]).toEqual([
      200,
      ['current', 'ended'],
    ]);
    expect([await gate.status('/payments', secret), await gate.status('/payments', rotated.body.secret)]).toEqual([
      401, 200,
    ]);

    const revoked = await api.send(owner, 'DELETE', `/keys/${key.id}`);
    expect([revoked.status, revoked.text]).toEqual([204, '']);
    expect(await gate.status('/payments', rotated.body.secret)).toBe(401);
    expect((await api.send(owner, 'GET', `/keys/${key.id}`)).body.state).toBe('revoked');
    const again = await api.send(owner, 'DELETE', `/keys/${key.id}`);
    expect([again.status, again.body.code]).toEqual([409, 'revoked']);
  });

  it('G01 the life of an access key', async () => {
    const { owner, developer } = await setup.account();
    const made = await api.send(developer, 'POST', '/access-keys', { body: { scopes: ['payments'] } });
    const { key, secret } = made.body;
    expect([made.status, made.headers.get('location')]).toEqual([201, `/api/access-keys/${key.id}`]);
    const first = await gate.obtainToken(key.id, secret);
    expect([first.status, await gate.status('/payments', first.token)]).toEqual([200, 200]);

    const added = await api.send(owner, 'POST', `/access-keys/${key.id}/secrets`);
    expect(added.status).toBe(201);
    expect((await gate.obtainToken(key.id, added.body.secret)).status).toBe(200);
    const old = added.body.key.secrets.at(-1).id;
    expect((await api.send(owner, 'DELETE', `/access-keys/${key.id}/secrets/${old}`)).status).toBe(204);
    expect((await gate.obtainToken(key.id, secret)).status).toBe(401);
    expect((await api.send(owner, 'DELETE', `/access-keys/${key.id}/secrets/${old}`)).status).toBe(404);

    const rotated = await api.send(owner, 'POST', `/access-keys/${key.id}/rotate`, { body: {} });
    const headers = { 'if-match': rotated.headers.get('etag') ?? '' };
    const disabled = await api.send(owner, 'PATCH', `/access-keys/${key.id}`, { body: { disabled: true }, headers });
    expect([disabled.status, disabled.body.state]).toEqual([200, 'disabled']);
    expect((await gate.obtainToken(key.id, rotated.body.secret)).status).toBe(401);
    expect((await api.send(owner, 'DELETE', `/access-keys/${key.id}`)).status).toBe(204);
    expect(await gate.status('/payments', first.token)).toBe(401);
    expect((await api.send(owner, 'GET', `/keys/${key.id}`)).status).toBe(404);
  });

  it('G08 a changed cursor, and invalid limits', async () => {
    const { developer, key } = await setup.account();
    await key();
    for (const query of [
      'after=x',
      'after=',
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1.0',
      'limit=',
      'x=1',
      'limit=1&limit=2',
      'state=gone',
      'kind=access',
    ]) {
      const { status, body } = await api.send(developer, 'GET', `/keys?${query}`);
      expect([query, status, body.code]).toEqual([query, 400, 'invalid']);
      expect(body.errors).toEqual([{ parameter: query.split('=')[0], detail: expect.any(String) }]);
    }
    expect((await api.send(developer, 'GET', '/audit?after=zzz')).status).toBe(400);
    expect((await api.send(developer, 'GET', '/keys/key_x/usage?from=2026-02-30')).body.errors[0].parameter).toBe(
      'from',
    );
  });

  it('G08 a cursor of another account reveals nothing about it', async () => {
    const [one, other] = [await setup.account(), await setup.account()];
    for (let made = 0; made < 3; made += 1) await one.key();
    const mine = await other.key();
    const { body } = await api.send(one.developer, 'GET', '/keys?limit=1');
    const page = await api.send(other.developer, 'GET', `/keys?after=${body.next}`);
    expect(page.status).toBe(200);
    expect(page.body.data.every(({ id }: { id: string }) => id === mine.key.id)).toBe(true);
  });

  it('G09 keys inserted while paging: none missed, none twice', async () => {
    const holder = await setup.account();
    let made = 0;
    /** Keys of an existing table are made at once. */
    async function add(count: number) {
      setup.clock.advance(1);
      const rows = Array.from({ length: count }, () => {
        made += 1;
        return { digest: digestOf(`${holder.id} ${made}`), kind: 'secret', apis: 'all' } as const;
      });
      expect((await setup.management.keys.import(OPERATOR, holder.id, rows)).imported).toBe(count);
    }
    await add(30);
    const before = await api.send(holder.developer, 'GET', '/keys?limit=200');
    const seen: string[] = [];
    let path: string | undefined = '/keys?limit=7';
    while (path !== undefined) {
      const page = await api.send(holder.developer, 'GET', path);
      seen.push(...page.body.data.map(({ id }: { id: string }) => id));
      await add(40);
      const next: string | undefined = /<\/api(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      expect([next === undefined, next === path]).toEqual([page.body.next === null, false]);
      path = next;
    }
    expect(made).toBe(230);
    expect(new Set(seen).size).toBe(seen.length);
    for (const { id } of before.body.data) expect(seen).toContain(id);
  });

  it('G10 a secret is only in the first response', async () => {
    const ear = eavesdrop();
    const { owner, developer } = await setup.account();
    const [made, access] = [
      await api.send(developer, 'POST', '/keys', { body: { kind: 'secret', apis: 'all' } }),
      await api.send(developer, 'POST', '/access-keys', { body: { scopes: ['payments'] } }),
    ];
    const rotated = await api.send(owner, 'POST', `/keys/${made.body.key.id}/rotate`, { body: {} });
    const secrets = [made.body.secret, access.body.secret, rotated.body.secret];
    const answers = await Promise.all([
      ...['/keys', '/access-keys', '/audit', `/keys/${made.body.key.id}`, `/access-keys/${access.body.key.id}`].map(
        (path) => api.send(owner, 'GET', path),
      ),
      api.send(owner, 'PATCH', `/keys/${made.body.key.id}`, {
        body: { name: secrets[0] },
        headers: { 'if-match': '"9"' },
      }),
      api.send(owner, 'GET', `/keys/${secrets[0]}`),
    ]);
    ear.stop();
    const announced = JSON.stringify([answers.map(({ text }) => text), ear.heard()]);
    for (const secret of secrets) expect(announced.includes(secret)).toBe(false);
  });

  it('G13 32 writers on one key: sequential versions, and a matching audit log', async () => {
    const holder = await setup.account();
    const { key } = await holder.key();
    let version = key.version;
    for (let round = 0; round < 4; round += 1) {
      const headers = { 'if-match': `"${version}"` };
      const replies = await Promise.all(
        Array.from({ length: 32 }, (_, at) =>
          api.send(holder.owner, 'PATCH', `/keys/${key.id}`, { body: { name: `writer ${round} ${at}` }, headers }),
        ),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 31 }, () => 412)]);
      version += 1;
    }
    expect((await api.send(holder.owner, 'GET', `/keys/${key.id}`)).body.version).toBe(version);
    const done = (await holder.story()).filter(({ action, outcome }) => action === 'key.edit' && outcome === 'done');
    expect(done).toHaveLength(4);
    const anyone = await Promise.all(
      Array.from({ length: 4 }, (_, at) =>
        api.send(holder.owner, 'PATCH', `/keys/${key.id}`, {
          body: { name: `any ${at}` },
          headers: { 'if-match': '*' },
        }),
      ),
    );
    expect(anyone.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
