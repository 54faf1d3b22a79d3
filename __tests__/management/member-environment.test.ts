import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { apiKeys, requireBearer } from 'keyward';
import { createManagementApi, type Member, memberByScopes } from 'keyward/management';
import { HAS, managed, refusalOf } from '../support/managed.js';
import { serve } from '../support/raw-http.js';
import { engines } from '../support/test-stores.js';

const SETTINGS = { kind: 'secret', apis: ['payments'] } as const;

describe.each(engines)('a member of one environment, on %s', (engine) => {
  const at = managed(engine);

  it('manages only the keys of that environment', async () => {
    const holder = await at.account();
    const { keys, usage } = at.management;
    const [live, sandbox] = [await holder.key({ name: 'Live' }), await holder.key({ environment: 'sandbox' })];
    const member = { ...holder.owner, environment: 'sandbox' } as const;
    const notFound = { code: 'not_found' };
    expect((await keys.list(member)).items.map(({ id }) => id)).toEqual([sandbox.key.id]);
    expect(await keys.list(member, { environment: 'live' })).toEqual({ items: [], next: null });
    expect((await keys.list(member, { environment: 'sandbox' })).items).toHaveLength(1);
    for (const refused of [
      keys.view(member, live.key.id),
      keys.edit(member, live.key.id, { version: 1, name: 'Mine' }),
      keys.rotate(member, live.key.id),
      keys.revoke(member, live.key.id),
      usage(member, live.key.id),
    ]) {
      expect(await refusalOf(refused)).toMatchObject(notFound);
    }
    expect(await refusalOf(keys.create(member, { ...SETTINGS, environment: 'live' }))).toMatchObject({
      code: 'forbidden',
      message: 'you can manage only sandbox keys',
    });
    expect((await keys.create(member, SETTINGS)).key.environment).toBe('sandbox');
    const ofLive = { ...SETTINGS, environment: 'live' } as const;
    await keys.create(holder.owner, ofLive, 'again');
    expect(await refusalOf(keys.create(member, ofLive, 'again'))).toMatchObject({ code: 'forbidden' });
    expect((await keys.edit(member, sandbox.key.id, { version: 1, name: 'Mine' })).name).toBe('Mine');
    expect((await usage(member, sandbox.key.id)).id).toBe(sandbox.key.id);
    expect((await keys.view(holder.owner, live.key.id)).version).toBe(1);
  });

  it.each(['keys', 'accessKeys'] as const)(
    'and another one who repeat the same creation of %s under one idempotency key: a conflict',
    async (type) => {
      const holder = await at.account();
      const create = (member: Member, idempotencyKey: string) =>
        type === 'keys'
          ? at.management.keys.create(member, SETTINGS, idempotencyKey)
          : at.management.accessKeys.create(member, { scopes: ['payments'] }, idempotencyKey);
      const sandbox = { ...holder.owner, environment: 'sandbox' } as const;
      const { key } = await create(sandbox, 'first');
      const conflict = { status: 409, code: 'idempotency_conflict' };
      expect(await refusalOf(create(holder.owner, 'first'))).toMatchObject(conflict);
      expect(await create(sandbox, 'first')).toMatchObject({ key, secret: undefined });
      await create(holder.owner, 'second');
      expect(await refusalOf(create(sandbox, 'second'))).toMatchObject(conflict);
    },
  );

  it('is invalid if the environment is unknown', async () => {
    const member = { ...(await at.account()).owner, environment: 'test' as never };
    expect(await refusalOf(at.management.keys.list(member))).toMatchObject({ field: 'member.environment' });
  });
});

describe('memberByScopes', () => {
  const at = managed('memory');

  it('lets a sandbox key manage only sandbox keys, and a live key both', async () => {
    const app = express();
    const verifier = apiKeys({ resolver: at.store, kinds: ['secret'], environment: 'any', clock: at.clock });
    const api = createManagementApi({ management: at.management, memberOf: memberByScopes() });
    app.use(requireBearer({ accept: [verifier] }), api);
    const { port, close } = await serve(app);
    const holder = await at.account({ ...HAS, apis: ['payments', 'keys'], scopes: [...HAS.scopes, 'keys:manage'] });
    const statuses: Record<string, number[]> = {};
    for (const environment of ['live', 'sandbox'] as const) {
      const settings = { kind: 'secret', environment, apis: ['keys'], scopes: ['keys:manage'] } as const;
      const { secret: text } = await at.management.keys.create(holder.owner, settings);
      const own = await Promise.all((['live', 'sandbox'] as const).map((to) => holder.key({ environment: to })));
      const send = async (method: string, path: string, body?: object) => {
        const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/json' };
        const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
        return (await fetch(`http://127.0.0.1:${port}${path}`, init)).status;
      };
      statuses[environment] = [
        ...(await Promise.all(own.map(({ key }) => send('DELETE', `/keys/${key.id}`)))),
        await send('POST', '/keys', { ...SETTINGS, environment: 'live' }),
        await send('POST', '/keys', { ...SETTINGS, environment: 'sandbox' }),
      ];
    }
    await close();
    expect(statuses).toEqual({ live: [204, 204, 201, 201], sandbox: [404, 204, 403, 201] });
  });
});
