import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createManagement, type Member } from 'keyward/management';
import { openStore } from 'keyward/store';
import { systemClock } from '../../../lib/contracts/clock.js';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { HAS, type Holder, managed } from '../../support/managed.js';
import { engines } from '../../support/test-stores.js';

const KEYS = {
  ...HAS,
  apis: [...HAS.apis, 'keys'],
  scopes: [...HAS.scopes, 'keys:read', 'keys:write', 'keys:manage', 'keys:other'],
};
const NEW = { kind: 'secret', apis: ['payments'] };

describe.each(engines)('the rules of the API in %s', (engine) => {
  const setup = managed(engine);
  let api: ApiClient;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
  });
  afterAll(() => api.close());

  const invalidAt = (pointer: string) => ({ code: 'invalid', errors: [expect.objectContaining({ pointer })] });

  /** Each operation, on a key and an access key of an account. */
  async function operationsOn(holder: Holder) {
    const [{ key }, access] = [await holder.key(), await holder.accessKey()];
    const match = { 'if-match': '*' };
    const name = { name: 'x' };
    return [
      ['reader', 200, 'GET', '/keys', {}],
      ['reader', 200, 'GET', `/keys/${key.id}`, {}],
      ['reader', 200, 'GET', `/keys/${key.id}/usage`, {}],
      ['reader', 200, 'GET', '/access-keys', {}],
      ['reader', 200, 'GET', `/access-keys/${access.key.id}`, {}],
      ['reader', 200, 'GET', `/access-keys/${access.key.id}/usage`, {}],
      ['reader', 200, 'GET', '/audit', {}],
      ['developer', 201, 'POST', '/keys', { body: NEW }],
      ['developer', 201, 'POST', '/access-keys', { body: { scopes: ['payments'] } }],
      ['owner', 200, 'PATCH', `/keys/${key.id}`, { body: name, headers: match }],
      ['owner', 200, 'PATCH', `/access-keys/${access.key.id}`, { body: name, headers: match }],
      ['owner', 200, 'POST', `/keys/${key.id}/rotate`, { body: { gracePeriod: 60 } }],
      ['owner', 200, 'POST', `/keys/${key.id}/end-grace-period`, {}],
      ['owner', 201, 'POST', `/access-keys/${access.key.id}/secrets`, {}],
      ['owner', 204, 'DELETE', `/access-keys/${access.key.id}/secrets/${access.key.secrets[0]?.id}`, {}],
      ['owner', 200, 'POST', `/access-keys/${access.key.id}/rotate`, { body: { gracePeriod: 60 } }],
      ['owner', 200, 'POST', `/access-keys/${access.key.id}/end-grace-period`, {}],
      ['owner', 204, 'DELETE', `/keys/${key.id}`, {}],
      ['owner', 204, 'DELETE', `/access-keys/${access.key.id}`, {}],
    ] as const;
  }

  it('G02 each operation: anonymous, with each permission, and by another account', async () => {
    const [holder, stranger] = [await setup.account(), await setup.account()];
    const order = ['reader', 'developer', 'owner'];
    for (const [needs, success, method, path, options] of await operationsOn(holder)) {
      const ask = async (member: Member | undefined) => await api.send(member, method, path, options);
      const nobody = await ask(undefined);
      expect([path, nobody.status, nobody.body.code]).toEqual([path, 401, 'no_member']);
      expect(nobody.headers.get('www-authenticate')).toMatch(/^Bearer /);
      if (/\/(?:key|ack)_/.test(path)) {
        const foreign = await ask(stranger.owner);
        expect([method, path, foreign.status, foreign.body.code]).toEqual([method, path, 404, 'not_found']);
      }
      for (const permission of order) {
        const isEnough = order.indexOf(permission) >= order.indexOf(needs);
        if (isEnough && permission !== needs && method !== 'GET') continue;
        const member = { ...holder.owner, permissions: [permission] } as Member;
        const { status, body } = await ask(member);
        const expected = isEnough ? [success] : [403, 'forbidden'];
        expect([method, path, permission, status, ...(isEnough ? [] : [body.code])]).toEqual([
          method,
          path,
          permission,
          ...expected,
        ]);
      }
      expect((await ask({ ...holder.owner, permissions: [] })).status).toBe(403);
    }
  });

  it('G02 each scope, on the credential of a key', async () => {
    const holder = await setup.account(KEYS);
    const keyWith = async (scopes: readonly string[] | undefined) =>
      (await setup.management.keys.create(holder.owner, { kind: 'secret', apis: 'all', ...(scopes && { scopes }) }))
        .secret;
    const [read, write, manage, all] = [
      await keyWith(['keys:read']),
      await keyWith(['keys:write']),
      await keyWith(['keys:manage']),
      await keyWith(undefined),
    ];
    const { key } = await holder.key();
    const status = async (credential: string | undefined, method: string, path: string, body?: unknown) =>
      (await api.sendKeyed(credential, method, path, { body })).status;
    const table = [];
    for (const credential of [undefined, all, read, write, manage]) {
      table.push([
        await status(credential, 'GET', '/keys'),
        await status(credential, 'POST', '/keys', NEW),
        await status(credential, 'POST', `/keys/${key.id}/rotate`, {}),
      ]);
    }
    expect(table).toEqual([
      [401, 401, 401],
      [403, 403, 403],
      [200, 403, 403],
      [200, 201, 403],
      [200, 201, 200],
    ]);
    expect((await api.sendKeyed('sk_wrong', 'GET', '/keys')).headers.get('www-authenticate')).toMatch(/^Bearer /);
  });

  it('G02 a member cannot give a key a scope of the API that they do not have themselves', async () => {
    const holder = await setup.account(KEYS);
    const create = async (permission: string, scope: string, path = '/keys') => {
      const member = { ...holder.owner, permissions: [permission] } as Member;
      const body = path === '/keys' ? { kind: 'secret', apis: 'all', scopes: [scope] } : { scopes: [scope] };
      const { status, body: answer } = await api.send(member, 'POST', path, { body });
      return status === 201 ? 201 : answer.code;
    };
    for (const path of ['/keys', '/access-keys']) {
      expect(await create('developer', 'keys:manage', path)).toBe('forbidden');
      expect(await create('developer', 'keys:other', path)).toBe('forbidden');
      expect(await create('developer', 'keys:write', path)).toBe(201);
      expect(await create('developer', 'keys:read', path)).toBe(201);
      expect(await create('owner', 'keys:manage', path)).toBe(201);
    }
  });

  it('G03 the same Idempotency-Key again, with another body, and 20 times concurrently', async () => {
    const { developer, owner } = await setup.account();
    const send = (idempotencyKey: string, body: unknown = NEW) =>
      api.send(developer, 'POST', '/keys', { body, headers: { 'idempotency-key': idempotencyKey } });
    const [first, again, other] = [await send('a'), await send('a'), await send('a', { ...NEW, name: 'x' })];
    expect([first.status, typeof first.body.secret]).toEqual([201, 'string']);
    expect([again.status, again.body]).toEqual([200, { key: first.body.key }]);
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
    const many = await Promise.all(Array.from({ length: 20 }, () => send('b')));
    expect(new Set(many.map(({ body }) => body.key.id)).size).toBe(1);
    expect(many.filter(({ body }) => body.secret !== undefined)).toHaveLength(1);
    expect(many.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect((await send('c'.repeat(256))).status).toBe(201);
    for (const wrong of ['', 'c'.repeat(257), 'a b']) {
      const { status, body } = await send(wrong);
      expect([status, body.errors]).toEqual([400, [{ header: 'Idempotency-Key', detail: expect.any(String) }]]);
    }
    const rotate = () =>
      api.send(owner, 'POST', `/keys/${first.body.key.id}/rotate`, { body: {}, headers: { 'idempotency-key': 'r' } });
    const [rotated, repeated] = [await rotate(), await rotate()];
    expect([typeof rotated.body.secret, repeated.status, repeated.body]).toEqual([
      'string',
      200,
      { key: rotated.body.key },
    ]);
  });

  it.each(['*', '"1"', '"1", "2"'])('the same Idempotency-Key again with If-Match: %s', async (ifMatch) => {
    const { owner, key: makeKey } = await setup.account();
    const { key } = await makeKey({ metadata: { a: 'x', b: 'y' } });
    const send = async (idempotencyKey: string, method: string, path: string, body: unknown) => {
      const headers = { 'if-match': ifMatch, 'idempotency-key': idempotencyKey };
      const answer = await api.send(owner, method, `/keys/${key.id}${path}`, { body, headers });
      return [answer.status, answer.body.code, (answer.body.key ?? answer.body).version];
    };
    const patch = () => send('p', 'PATCH', '', { metadata: { a: null, c: 'z' } });
    expect([await patch(), await patch()]).toEqual([
      [200, undefined, 2],
      [200, undefined, 2],
    ]);
    // Another edit in between does not make it another request.
    await setup.management.keys.edit(owner, key.id, { version: 2, metadata: { a: 'w' } });
    expect(await patch()).toEqual([200, undefined, 3]);
    expect((await setup.management.keys.view(owner, key.id)).metadata).toEqual({ a: 'w' });
    expect(await send('p', 'PATCH', '', { metadata: { a: null } })).toEqual([409, 'idempotency_conflict', undefined]);

    const other = await makeKey();
    const rotate = async () => {
      const headers = { 'if-match': ifMatch, 'idempotency-key': 'r' };
      const { status, body } = await api.send(owner, 'POST', `/keys/${other.key.id}/rotate`, { body: {}, headers });
      return [status, body.key?.version];
    };
    expect([await rotate(), await rotate()]).toEqual([
      [200, 2],
      [200, 2],
    ]);
  });

  it('G04 PATCH without If-Match, with an old one, a weak one, a list, *', async () => {
    const { owner, key: makeKey } = await setup.account();
    const { key } = await makeKey();
    let names = 0;
    const patch = async (ifMatch: string | undefined) => {
      names += 1;
      const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
      const { status, body } = await api.send(owner, 'PATCH', `/keys/${key.id}`, {
        body: { name: `n${names}` },
        headers,
      });
      return [status, status === 200 ? body.version : body.code];
    };
    expect(await patch(undefined)).toEqual([428, 'precondition_required']);
    expect(await patch('"0"')).toEqual([412, 'version_conflict']);
    expect(await patch('W/"1"')).toEqual([412, 'version_conflict']);
    expect(await patch('1')).toEqual([412, 'version_conflict']);
    expect(await patch('"0", "2"')).toEqual([412, 'version_conflict']);
    expect(await patch('"0", "1"')).toEqual([200, 2]);
    expect(await patch('"2"')).toEqual([200, 3]);
    expect(await patch('*')).toEqual([200, 4]);
    // A change that changes nothing is refused too.
    const same = { body: { name: `n${names}` }, headers: { 'if-match': '"1"' } };
    expect((await api.send(owner, 'PATCH', `/keys/${key.id}`, same)).status).toBe(412);
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/rotate'],
      ['POST', '/end-grace-period'],
    ] as const) {
      const stale = await api.send(owner, method, `/keys/${key.id}${path}`, { headers: { 'if-match': '"3"' } });
      expect([method, path, stale.status, stale.body.code]).toEqual([method, path, 412, 'version_conflict']);
    }
    expect((await api.send(owner, 'DELETE', `/keys/${key.id}`, { headers: { 'if-match': '"4"' } })).status).toBe(204);
  });

  it('a PATCH that changes nothing is 412 with a stale If-Match, also with an Idempotency-Key that was never used', async () => {
    const holder = await setup.account();
    const { key } = await holder.key({ name: 'a' });
    const patch = async (name: string, ifMatch: string, idempotencyKey?: string) => {
      const headers = {
        'if-match': ifMatch,
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      };
      return (await api.send(holder.owner, 'PATCH', `/keys/${key.id}`, { body: { name }, headers })).status;
    };
    expect(await patch('b', '"1"', 'first')).toBe(200);
    for (const ifMatch of ['"1"', '"3"', '"1", "3"', 'W/"2"']) {
      expect([ifMatch, await patch('b', ifMatch)]).toEqual([ifMatch, 412]);
      expect([ifMatch, await patch('b', ifMatch, 'new')]).toEqual([ifMatch, 412]);
      // A repeat is not refused: its If-Match is stale because the first request was carried out.
      expect([ifMatch, await patch('b', ifMatch, 'first')]).toEqual([ifMatch, 200]);
    }
    expect(await patch('b', '"1", "2"', 'new')).toBe(200);
    expect((await holder.story()).at(-1)).toMatchObject({
      ...{ action: 'key.edit', subject: key.id, outcome: 'refused' },
      after: { refused: 'version_conflict', count: 8 },
    });
  });

  it.each(['W/"1"', '1', '"0"', '"x"', '"7"', '"7", "8"'])(
    'a change with If-Match: %s is refused and audited: without permission, for an unknown key, and as a conflict',
    async (ifMatch) => {
      const holder = await setup.account();
      const [{ key }, access] = [await holder.key(), await holder.accessKey()];
      const publicKey = { jwk: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) };
      const secret = access.key.secrets[0]?.id;
      for (const [id, method, path, action, body] of [
        [key.id, 'PATCH', '/keys/:id', 'key.edit', { name: 'x' }],
        [key.id, 'DELETE', '/keys/:id', 'key.revoke', undefined],
        [key.id, 'POST', '/keys/:id/rotate', 'key.rotate', {}],
        [key.id, 'POST', '/keys/:id/end-grace-period', 'key.end_grace', undefined],
        [access.key.id, 'DELETE', '/access-keys/:id', 'access_key.revoke', undefined],
        [access.key.id, 'POST', '/access-keys/:id/secrets', 'access_key.add_secret', undefined],
        [access.key.id, 'DELETE', `/access-keys/:id/secrets/${secret}`, 'access_key.delete_secret', undefined],
        [access.key.id, 'POST', '/access-keys/:id/public-keys', 'access_key.add_public_key', publicKey],
        [access.key.id, 'DELETE', '/access-keys/:id/public-keys/x', 'access_key.remove_public_key', undefined],
      ] as const) {
        for (const [member, subject, status, refused] of [
          [holder.developer, id, 403, 'forbidden'],
          [{ ...holder.owner, permissions: [] }, id, 403, 'forbidden'],
          [holder.developer, 'key_none', 403, 'forbidden'],
          [holder.owner, 'key_none', 404, 'not_found'],
          [holder.owner, id, 412, 'version_conflict'],
        ] as const) {
          setup.clock.advance(60_000);
          const answer = await api.send(member, method, path.replace(':id', subject), {
            body,
            headers: { 'if-match': ifMatch },
          });
          expect([action, subject, answer.status, answer.body.code]).toEqual([action, subject, status, refused]);
          expect((await holder.story()).at(-1)).toMatchObject({
            ...{ action, actor: member.id, subject: subject === id ? id : null, outcome: 'refused' },
            after: { refused },
          });
        }
      }
      expect((await setup.management.keys.view(holder.owner, key.id)).version).toBe(1);
      expect((await setup.management.accessKeys.view(holder.owner, access.key.id)).version).toBe(1);
    },
  );

  it('an invalid request without the permission is 403 and audited, whatever is wrong with it', async () => {
    const holder = await setup.account();
    const [{ key }, access] = [await holder.key(), await holder.accessKey()];
    const reader: Member = { ...holder.owner, permissions: ['reader'] };
    const text = { 'content-type': 'text/plain', 'if-match': '*' };
    for (const [member, method, path, action, subject, options] of [
      [reader, 'POST', '/keys', 'key.create', null, { body: { kind: 'secret', expiresAt: 'x' } }],
      [reader, 'POST', '/keys?dry=1', 'key.create', null, { body: NEW }],
      [reader, 'POST', '/access-keys', 'access_key.create', null, { body: '{' }],
      [holder.developer, 'PATCH', `/keys/${key.id}`, 'key.edit', key.id, { body: { name: 'x' } }],
      [holder.developer, 'PATCH', `/keys/${key.id}`, 'key.edit', key.id, { body: { version: 1 } }],
      [holder.developer, 'PATCH', `/keys/${key.id}`, 'key.edit', key.id, { body: '{}', headers: text }],
      [holder.developer, 'POST', `/keys/${key.id}/rotate`, 'key.rotate', key.id, { body: { gracePeriod: 'x' } }],
      [holder.developer, 'POST', `/keys/${key.id}/rotate`, 'key.rotate', key.id, { body: { grace: 1 } }],
      [holder.developer, 'POST', `/keys/${key.id}/end-grace-period`, 'key.end_grace', key.id, { body: { now: true } }],
      [holder.developer, 'DELETE', '/keys/a%00b', 'key.revoke', null, {}],
      ...(['secrets', 'public-keys'] as const).map((part) => {
        const name = part === 'secrets' ? 'add_secret' : 'add_public_key';
        const path = `/access-keys/${access.key.id}/${part}`;
        return [holder.developer, 'POST', path, `access_key.${name}`, access.key.id, { body: { a: 1 } }] as const;
      }),
      [{ ...reader, permissions: [] }, 'GET', '/keys?limit=x', 'key.list', null, {}],
      [{ ...reader, permissions: [] }, 'GET', '/audit?limit=x', 'audit.list', null, {}],
    ] as const) {
      setup.clock.advance(60_000);
      const answer = await api.send(member as Member, method, path, options);
      expect([method, path, answer.status, answer.body.code]).toEqual([method, path, 403, 'forbidden']);
      const expected = { action, actor: member.id, subject, outcome: 'refused', after: { refused: 'forbidden' } };
      expect((await holder.story()).at(-1)).toMatchObject(expected);
    }
    expect((await setup.management.keys.view(holder.owner, key.id)).version).toBe(1);
    expect((await setup.management.accessKeys.view(holder.owner, access.key.id)).version).toBe(1);
  });

  it('12 concurrent PATCHes with If-Match: * all succeed, and none is audited as refused', async () => {
    const holder = await setup.account();
    const { key } = await holder.key();
    const headers = { 'if-match': '*' };
    const patch = (name: string) => api.send(holder.owner, 'PATCH', `/keys/${key.id}`, { body: { name }, headers });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => patch(`n${i}`)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual(answers.map((_, i) => i + 2));
    expect((await holder.story()).filter(({ outcome }) => outcome === 'refused')).toEqual([]);
  });

  it('a PATCH with a stale If-Match is audited, as other methods are', async () => {
    const holder = await setup.account();
    const { key } = await holder.key();
    const body = { name: 'n' };
    const patch = await api.send(holder.owner, 'PATCH', `/keys/${key.id}`, { body, headers: { 'if-match': '"7"' } });
    expect(patch.status).toBe(412);
    expect((await holder.story()).at(-1)).toMatchObject({
      ...{ action: 'key.edit', subject: key.id, outcome: 'refused' },
      after: { refused: 'version_conflict' },
    });
  });

  it('G05 null members, unknown members and wrong types', async () => {
    const { owner, developer, key: makeKey } = await setup.account();
    const data = { metadata: { a: 'x', b: 'y' }, limits: [{ requests: 1, seconds: 1 }], name: 'n' };
    const { key } = await makeKey({ ...data, expiresAt: new Date('2099-01-01') });
    const patch = async (body: unknown) =>
      await api.send(owner, 'PATCH', `/keys/${key.id}`, { body, headers: { 'if-match': '*' } });
    const merged = await patch({ metadata: { a: null, c: 'z' } });
    expect(merged.body.metadata).toEqual({ b: 'y', c: 'z' });
    const cleared = await patch({
      name: null,
      expiresAt: null,
      metadata: null,
      limits: null,
      platform: null,
      scopes: null,
    });
    expect(cleared.body).toMatchObject({ name: null, expiresAt: null, metadata: null, limits: null, scopes: null });
    for (const [body, pointer] of [
      [{ apis: null }, '#/apis'],
      [{ channels: null }, '#/channels'],
      [{ disabled: null }, '#/disabled'],
      [{ version: 3 }, '#/version'],
      [{ 'a/b~c': 3 }, '#/a~1b~0c'],
      [{ allowedAddresses: [] }, '#/allowedAddresses'],
      [{ metadata: { a: { b: 'c' } } }, '#/metadata'],
      [{ metadata: ['a'] }, '#/metadata'],
      [{ expiresAt: '2099-02-30T00:00:00Z' }, '#/expiresAt'],
      [{ expiresAt: '2099-02-28T24:00:00Z' }, '#/expiresAt'],
      [{ expiresAt: 4e12 }, '#/expiresAt'],
      [{ limits: {} }, '#/limits'],
      ['{"__proto__":{"x":1}}', '#/__proto__'],
      ['{"metadata":{"__proto__":"x"}}', '#/metadata'],
    ] as const) {
      const { status, body: answer } = await patch(body);
      expect([body, status, answer]).toEqual([body, 400, expect.objectContaining(invalidAt(pointer))]);
    }
    const create = async (body: unknown) => (await api.send(developer, 'POST', '/keys', { body })).body;
    expect(await create({ ...NEW, kind: 'access' })).toMatchObject(invalidAt('#/kind'));
    expect(await create({ ...NEW, color: 'red' })).toMatchObject(invalidAt('#/color'));
    expect(await create({ ...NEW, environment: null })).toMatchObject(invalidAt('#/environment'));
    expect(await create({})).toMatchObject(invalidAt('#/kind'));
    const rotate = async (body: unknown) => (await api.send(owner, 'POST', `/keys/${key.id}/rotate`, { body })).body;
    expect(await rotate({ gracePeriod: -1 })).toMatchObject(invalidAt('#/gracePeriod'));
    expect(await rotate({ gracePeriod: null })).toMatchObject(invalidAt('#/gracePeriod'));
    expect(await rotate({ grace: 1 })).toMatchObject(invalidAt('#/grace'));
  });

  it.each(['keys', 'access-keys'])('PATCH /%s stores empty metadata values, and deletes null ones', async (path) => {
    const { owner, key: makeKey, accessKey } = await setup.account();
    const { key } = await (path === 'keys' ? makeKey() : accessKey());
    const patch = async (metadata: object) => {
      const options = { body: { metadata }, headers: { 'if-match': '*' } };
      return (await api.send(owner, 'PATCH', `/${path}/${key.id}`, options)).body.metadata;
    };
    expect(await patch({ a: 'x', b: '' })).toEqual({ a: 'x', b: '' });
    expect(await patch({ a: '', unknown: null })).toEqual({ a: '', b: '' });
    expect(await patch({ a: null, b: null })).toBeNull();
  });

  it('PATCH adds no entry to 64 entries of metadata, but can replace one', async () => {
    const { owner, key: makeKey } = await setup.account();
    const { key } = await makeKey({ metadata: Object.fromEntries(Array.from({ length: 64 }, (_, at) => [at, 'x'])) });
    const patch = async (metadata: object) => {
      const options = { body: { metadata }, headers: { 'if-match': '*' } };
      const { status, body } = await api.send(owner, 'PATCH', `/keys/${key.id}`, options);
      return [status, body];
    };
    expect(await patch({ more: 'x' })).toEqual([400, expect.objectContaining(invalidAt('#/metadata'))]);
    expect(await patch({ 0: null, more: 'x' })).toEqual([200, expect.objectContaining({ version: 2 })]);
  });

  it.each([
    ['40 levels', `{"metadata":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`, 400],
    ['65 KiB', JSON.stringify({ ...NEW, name: 'x'.repeat(65 * 1_024) }), 413],
    ['duplicate members', '{"kind":"secret","kind":"public","apis":["payments"]}', 400],
    ['a list', '[]', 400],
    ['no JSON', '{"kind":', 400],
    ['a byte-order mark', `\uFEFF${JSON.stringify(NEW)}`, 400],
  ])('G05 a body of %s', async (_what, body, expected) => {
    const { developer } = await setup.account();
    const { status, headers } = await api.send(developer, 'POST', '/keys', { body });
    expect([status, headers.get('content-type')]).toEqual([expected, 'application/problem+json']);
  });

  it.each([
    ['text/plain', 415],
    ['application/vnd.api+json', 415],
    ['application/json; charset=utf-16', 415],
    ['application/merge-patch+json', 415],
    ['application/json; charset=UTF-8', 201],
    ['application/json;charset="utf-8"', 201],
  ])('G06 the media type %s', async (type, expected) => {
    const { developer } = await setup.account();
    const { status, body } = await api.send(developer, 'POST', '/keys', {
      body: NEW,
      headers: { 'content-type': type },
    });
    expect([status, body.code]).toEqual([expected, expected === 415 ? 'unsupported_media_type' : undefined]);
  });

  it('G06 Accept: text/html still gets JSON', async () => {
    const { developer } = await setup.account();
    const { status, headers } = await api.send(developer, 'GET', '/keys', { headers: { accept: 'text/html' } });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json']);
  });

  it('G07 PUT, TRACE, OPTIONS and HEAD', async () => {
    const { developer } = await setup.account();
    const put = await api.send(developer, 'PUT', '/keys', { body: {} });
    expect([put.status, put.headers.get('allow'), put.body.code]).toEqual([
      405,
      'GET, HEAD, POST, OPTIONS',
      'method_not_allowed',
    ]);
    expect((await api.send(developer, 'PUT', '/keys/key_1', { body: {} })).headers.get('allow')).toBe(
      'GET, HEAD, PATCH, DELETE, OPTIONS',
    );
    expect(await api.raw('TRACE /api/keys HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 405 .*\r\nAllow: GET, HEAD, POST, OPTIONS\r\n/s,
    );
    const options = await api.send(undefined, 'OPTIONS', '/keys', { headers: { origin: 'https://shop.example' } });
    expect([options.status, options.headers.get('allow'), options.headers.get('access-control-allow-origin')]).toEqual([
      ...[204, 'GET, HEAD, POST, OPTIONS', null],
    ]);
    const [get, head] = [await api.send(developer, 'GET', '/keys'), await api.send(developer, 'HEAD', '/keys')];
    expect([head.status, head.text, head.headers.get('content-length')]).toEqual([
      200,
      '',
      get.headers.get('content-length'),
    ]);
    for (const path of ['/nothing', '/keys/', '/Keys', '/keys/%ff']) {
      const { status, body } = await api.send(developer, 'GET', path);
      if (status !== 200) expect([path, status, body.code]).toEqual([path, 404, 'not_found']);
    }
  });
});

describe('a store that cannot be reached', () => {
  const ID = `key_${'a'.repeat(26)}`;
  const OWNER: Member = { id: 'owner', account: 'acme', permissions: ['owner'] };

  it('G14 every operation is E503, and nothing is partly done', async () => {
    // Nobody listens on port 1.
    const store = await openStore('postgres://postgres:pa55word@127.0.0.1:1/keyward');
    const api = await serveApi(createManagement({ store }), store, systemClock);
    const match = { 'if-match': '*' };
    for (const [method, path, options] of [
      ['GET', '/keys', {}],
      ['GET', `/keys/${ID}`, {}],
      ['GET', `/keys/${ID}/usage`, {}],
      ['POST', '/keys', { body: NEW }],
      ['PATCH', `/keys/${ID}`, { body: {}, headers: match }],
      ['POST', `/keys/${ID}/rotate`, { body: {} }],
      ['DELETE', `/keys/${ID}`, {}],
      ['DELETE', `/access-keys/${ID}/secrets/x`, {}],
      ['GET', '/audit', {}],
    ] as const) {
      const reply = await api.send(OWNER, method, path, options);
      expect([method, path, reply.status, reply.body.code]).toEqual([method, path, 503, 'unavailable']);
      expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(reply.text).not.toContain('pa55word');
    }
    await Promise.all([api.close(), store.close()]);
  });
});
