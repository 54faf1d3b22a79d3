import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { apiKeys, requireBearer } from 'keyward';
import { createManagementApi, type Member, memberByScopes } from 'keyward/management';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { deferred } from '../../support/deferred.js';
import { HAS, managed } from '../../support/managed.js';
import { serve } from '../../support/raw-http.js';

const HOUR = 3_600;
const PUBLIC_JWK = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
const MANAGING = { ...HAS, apis: [...HAS.apis, 'keys'], scopes: [...HAS.scopes, 'keys:manage'] };

describe('requests of the API', () => {
  const setup = managed('memory');
  let api: ApiClient;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
  });
  afterAll(() => api.close());

  it('the usage of a key is not under the path of access keys, nor the reverse', async () => {
    const { owner, key, accessKey } = await setup.account();
    const [{ key: apiKey }, { key: client }] = [await key(), await accessKey()];
    const status = async (path: string) => (await api.send(owner, 'GET', path)).status;
    expect(await status(`/keys/${apiKey.id}/usage`)).toBe(200);
    expect(await status(`/access-keys/${client.id}/usage`)).toBe(200);
    expect(await status(`/keys/${client.id}/usage`)).toBe(404);
    expect(await status(`/access-keys/${apiKey.id}/usage`)).toBe(404);
  });

  it('the usage of a period has its first and its last day', async () => {
    const { owner, key, accessKey } = await setup.account();
    const [{ key: apiKey }, { key: client }] = [await key(), await accessKey()];
    for (const path of [`/keys/${apiKey.id}/usage`, `/access-keys/${client.id}/usage`]) {
      const { body } = await api.send(owner, 'GET', `${path}?from=2026-01-30&to=2026-02-01`);
      expect([body.from, body.to]).toEqual(['2026-01-30', '2026-02-01']);
      expect(body.days.map(({ day }: { day: string }) => day)).toEqual(['2026-01-30', '2026-01-31', '2026-02-01']);
      const until = (await api.send(owner, 'GET', `${path}?to=2026-02-01`)).body;
      expect([until.from, until.to]).toEqual(['2026-01-03', '2026-02-01']);
    }
  });

  it('a secret is not deleted with an old If-Match', async () => {
    const { owner, accessKey } = await setup.account();
    const { key } = await accessKey();
    const added = await api.send(owner, 'POST', `/access-keys/${key.id}/secrets`);
    const [, old] = added.body.key.secrets;
    const path = `/access-keys/${key.id}/secrets/${old.id}`;
    const stale = await api.send(owner, 'DELETE', path, { headers: { 'if-match': '"1"' } });
    expect([stale.status, stale.body.code]).toEqual([412, 'version_conflict']);
    const headers = { 'if-match': added.headers.get('etag') ?? '' };
    expect((await api.send(owner, 'DELETE', path, { headers })).status).toBe(204);
  });

  it('a public key is not removed with an old If-Match', async () => {
    const { owner, accessKey } = await setup.account();
    const { key } = await accessKey();
    const path = `/access-keys/${key.id}/public-keys`;
    const added = await api.send(owner, 'POST', path, { body: { jwk: { ...PUBLIC_JWK, kid: 'first' } } });
    const remove = (etag: string) => api.send(owner, 'DELETE', `${path}/first`, { headers: { 'if-match': etag } });
    const stale = await remove('"1"');
    expect([stale.status, stale.body.code]).toEqual([412, 'version_conflict']);
    expect((await remove(added.headers.get('etag') ?? '')).status).toBe(204);
  });

  it('idempotency keys that differ only in upper and lower case are different', async () => {
    const { developer } = await setup.account();
    const create = async (idempotencyKey: string) => {
      const options = { body: { kind: 'secret', apis: ['payments'] }, headers: { 'idempotency-key': idempotencyKey } };
      const { status, body } = await api.send(developer, 'POST', '/keys', options);
      return [status, body.key.id];
    };
    const [upper, lower, again] = [await create('Order-A'), await create('order-a'), await create('Order-A')];
    expect([upper[0], lower[0]]).toEqual([201, 201]);
    expect(again).toEqual([200, upper[1]]);
  });

  it('an edit without the permission is refused and audited, also with an If-Match that matches no version', async () => {
    const { owner, developer, key: create } = await setup.account();
    const { key } = await create();
    const request = { body: { name: 'Till' }, headers: { 'if-match': 'W/"1"' } };
    const { status, body } = await api.send(developer, 'PATCH', `/keys/${key.id}`, request);
    expect([status, body.code]).toEqual([403, 'forbidden']);
    const { items } = await setup.management.audit(owner, { subject: key.id, limit: 1 });
    expect(items).toMatchObject([{ action: 'key.edit', actor: developer.id, outcome: 'refused' }]);
  });

  it('a body without a Content-Length is read', async () => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const body = new Blob([JSON.stringify({ gracePeriod: HOUR })]).stream();
    const headers = { 'content-type': 'application/json', 'x-member': JSON.stringify(owner) };
    const request = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
    const response = await fetch(`${api.url}/api/keys/${key.id}/rotate`, request);
    const { key: rotated } = (await response.json()) as { key: { secrets: readonly { state: string }[] } };
    expect(rotated.secrets.map(({ state }) => state)).toEqual(['current', 'grace_period']);
  });

  it('a body that the host app has parsed has the same limits', async () => {
    const { developer } = await setup.account();
    const app = express().use(express.json({ limit: '1mb' }));
    app.use('/api', createManagementApi({ management: setup.management, memberOf: () => developer }));
    const { port, close } = await serve(app);
    const create = async (name: string) => {
      const body = `{"kind":"secret","apis":["payments"],"name":${name}}`;
      const headers = { 'content-type': 'application/json' };
      return (await fetch(`http://127.0.0.1:${port}/api/keys`, { method: 'POST', headers, body })).status;
    };
    expect(await create('"Till"')).toBe(201);
    expect(await create(`"${'x'.repeat(65 * 1_024)}"`)).toBe(413);
    expect(await create('['.repeat(30_000) + ']'.repeat(30_000))).toBe(400);
    await close();
  });

  it.each([
    ['*', 304],
    ['W/"1"', 304],
    ['"7", W/"1"', 304],
    ['W/"2"', 200],
    ['"W/1"', 200],
  ])('a key of version 1 with If-None-Match %s: %d, with its ETag', async (ifNoneMatch, expected) => {
    const { developer, key: create } = await setup.account();
    const { key } = await create();
    const headers = { 'if-none-match': ifNoneMatch };
    const { status, headers: answered } = await api.send(developer, 'GET', `/keys/${key.id}`, { headers });
    expect([status, answered.get('etag')]).toEqual([expected, '"1"']);
    expect(answered.get('cache-control')).toBe('no-store');
  });

  it('a body of another type closes the connection, and the types that are accepted are named', async () => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const member = `X-Member: ${JSON.stringify(owner)}`;
    const lines = [`PATCH /api/keys/${key.id} HTTP/1.1`, 'Host: a', member, 'If-Match: *', 'Content-Type: text/plain'];
    const text = await api.raw([...lines, 'Content-Length: 2', '', '{}'].join('\r\n'));
    expect(text).toMatch(/^HTTP\/1\.1 415 /);
    expect(text).toMatch(/^Accept: application\/merge-patch\+json, application\/json\r$/im);
    expect(text).toMatch(/^Connection: close\r$/im);
  });

  it.each([
    ['closes the connection', /^HTTP\/1\.1 413 [\s\S]*^Connection: close\r$/im, 64 * 1_024 + 1, []],
    ['is the largest', /^HTTP\/1\.1 400 /, 64 * 1_024, ['Connection: close']],
  ])('a body that %s', async (_what, expected, bytes, more) => {
    const { developer } = await setup.account();
    const member = `X-Member: ${JSON.stringify(developer)}`;
    const lines = ['POST /api/keys HTTP/1.1', 'Host: a', member, 'Content-Type: application/json', ...more];
    const body = '{"name":""}'.padEnd(bytes, ' ');
    expect(await api.raw([...lines, `Content-Length: ${bytes}`, '', body].join('\r\n'))).toMatch(expected);
  });

  it('a slow body closes the connection', async () => {
    const { developer } = await setup.account();
    const start = globalThis.setTimeout;
    const now = (callback: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) =>
      start(callback, delay === 10_000 ? 0 : delay, ...args);
    jest.spyOn(globalThis, 'setTimeout').mockImplementation(now as typeof setTimeout);
    const member = `X-Member: ${JSON.stringify(developer)}`;
    const lines = ['POST /api/keys HTTP/1.1', 'Host: a', member, 'Content-Type: application/json'];
    const text = await api.raw([...lines, 'Content-Length: 2', '', '{'].join('\r\n'));
    jest.restoreAllMocks();
    expect(text).toMatch(/^HTTP\/1\.1 408 [\s\S]*^Connection: close\r$/im);
    expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toEqual({
      ...{ type: 'about:blank', title: 'Request Timeout', status: 408, code: 'slow_body' },
      detail: 'the body took too long to arrive',
    });
  });

  it('a body that breaks off is answered as invalid, for the access log of the app', async () => {
    const { developer } = await setup.account();
    const [started, answered] = [deferred<void>(), deferred<string>()];
    const memberOf = () => {
      started.resolve();
      return developer;
    };
    const app = express().use((_req, res, next) => {
      res.end = ((text: string) => answered.resolve(text)) as never;
      next();
    });
    const { port, close } = await serve(app.use(createManagementApi({ management: setup.management, memberOf })));
    const socket = connect(port, '127.0.0.1');
    const lines = ['POST /keys HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Content-Length: 2'];
    socket.write([...lines, '', '{'].join('\r\n'));
    await started.promise;
    socket.destroy();
    expect(JSON.parse(await answered.promise)).toEqual({
      ...{ type: 'about:blank', title: 'Bad Request', status: 400, code: 'invalid' },
      detail: 'the connection was closed before the whole body arrived',
    });
    await close();
  });

  const read = (text: string) => async (req: express.Request, _res: unknown, next: () => void) => {
    for await (const _chunk of req);
    if (text !== '') req.body = JSON.parse(text);
    next();
  };

  it.each([
    ['a Buffer', express.raw({ type: '*/*' }), '{"kind":"secret","apis":["payments"]}', 201],
    ['a string', express.text({ type: '*/*' }), '{"kind":"secret","apis":["payments"]}', 201],
    ['an object', express.json(), '{"kind":"secret","apis":["payments"]}', 201],
    ['an invalid Buffer', express.raw({ type: '*/*' }), '{', 400],
    ['an invalid string', express.text({ type: '*/*' }), '{', 400],
    ['a list', express.json(), '[{}]', 400],
    ['a number', read('5'), '5', 400],
    ['null', read('null'), 'null', 400],
  ])('a body that the host app has read as %s', async (_what, parser, body, expected) => {
    const { developer } = await setup.account();
    const api = createManagementApi({ management: setup.management, memberOf: () => developer });
    const { port, close } = await serve(express().use(parser, api));
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}/keys`, { method: 'POST', headers, body });
    const answer = (await response.json()) as { detail?: string };
    await close();
    expect([response.status, answer.detail]).toEqual([
      expected,
      expected === 201 ? undefined : 'expected one JSON object, at most 32 levels deep, without duplicate members',
    ]);
  });

  it('a body that the host app has read and not kept is an error of the app', async () => {
    const { developer } = await setup.account();
    const api = createManagementApi({ management: setup.management, memberOf: () => developer });
    const app = express().use(read(''), api);
    app.use((error: Error, _req: unknown, res: express.Response, _next: unknown) => {
      res.status(500).end(error.message);
    });
    const { port, close } = await serve(app);
    const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    const response = await fetch(`http://127.0.0.1:${port}/keys`, options);
    const text = await response.text();
    await close();
    expect([response.status, text]).toEqual([
      500,
      'keyward: another middleware read the request body but did not set req.body; mount the createManagementApi() router before that middleware',
    ]);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain', ''])(
    'an empty body of the type "%s" is refused',
    async (type) => {
      const { owner, key: create } = await setup.account();
      const { key } = await create();
      for (const operation of ['rotate', 'end-grace-period']) {
        const { status, body } = await api.send(owner, 'POST', `/keys/${key.id}/${operation}`, {
          headers: { 'content-type': type },
        });
        expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
      }
      expect(await setup.management.keys.view(owner, key.id)).toMatchObject({ version: key.version });
      const headers = { 'content-type': 'application/json' };
      expect((await api.send(owner, 'POST', `/keys/${key.id}/rotate`, { headers })).status).toBe(200);
    },
  );

  it.each(['cross-site', 'same-site', 'same-origin, none', ''])('no change by a request from "%s"', async (site) => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const path = `/keys/${key.id}`;
    const change = async (method: string, to: string, body?: object) => {
      const headers = { 'sec-fetch-site': site, 'if-match': '*' };
      const { status, body: answer } = await api.send(owner, method, to, { headers, body });
      return [status, answer.code];
    };
    const refused = [403, 'cross_site'];
    expect(await change('POST', `${path}/rotate`)).toEqual(refused);
    expect(await change('POST', '/keys', { kind: 'secret', apis: ['payments'] })).toEqual(refused);
    expect(await change('PATCH', path, { name: 'Till' })).toEqual(refused);
    expect(await change('DELETE', path)).toEqual(refused);
    const { items } = await setup.management.keys.list(owner);
    expect(items).toMatchObject([{ id: key.id, version: key.version, state: 'active' }]);
    expect((await api.send(owner, 'GET', path, { headers: { 'sec-fetch-site': site } })).status).toBe(200);
  });

  it.each(['POST', 'PATCH', 'DELETE'])(
    'a %s from another site is refused before memberOf is called',
    async (method) => {
      const asked: unknown[] = [];
      const memberOf = ({ url }: IncomingMessage) => void asked.push(url);
      const { port, close } = await serve(
        express().use(createManagementApi({ management: setup.management, memberOf })),
      );
      const headers = { 'sec-fetch-site': 'cross-site' };
      const path = method === 'POST' ? '/keys' : '/keys/key_x';
      const { status } = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers });
      await close();
      expect([status, asked]).toEqual([403, []]);
    },
  );

  it('changes by a page of another origin with a Bearer or DPoP credential, which CORS must have allowed', async () => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const change = async (authorization: string) => {
      const headers = { 'sec-fetch-site': 'cross-site', authorization };
      return (await api.send(owner, 'POST', `/keys/${key.id}/rotate`, { headers })).status;
    };
    expect(await change('Bearer abc')).toBe(200);
    expect(await change('dpop abc')).toBe(200);
    // A browser adds stored Basic credentials by itself.
    expect(await change('Basic YTpi')).toBe(403);
    expect(await change('Bearer')).toBe(403);
    expect(await change('Digest username="bearer x"')).toBe(403);
  });

  it.each(['same-origin', 'none'])('changes by a request from "%s"', async (site) => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const headers = { 'sec-fetch-site': site };
    expect((await api.send(owner, 'POST', `/keys/${key.id}/rotate`, { headers })).status).toBe(200);
    expect((await api.send(owner, 'DELETE', `/keys/${key.id}`, { headers })).status).toBe(204);
  });

  it('the media type of a body may be in capitals', async () => {
    const { developer } = await setup.account();
    const options = { body: { kind: 'secret', apis: ['payments'] }, headers: { 'content-type': 'APPLICATION/JSON' } };
    expect((await api.send(developer, 'POST', '/keys', options)).status).toBe(201);
  });

  it.each(['application/json;', 'application/json;charset=utf-8;', 'application/json\t;\tcharset="UTF-8" ; ;'])(
    'the media type of a body may have empty parameters and tabs: %j',
    async (type) => {
      const { developer } = await setup.account();
      const options = { body: { kind: 'secret', apis: ['payments'] }, headers: { 'content-type': type } };
      expect((await api.send(developer, 'POST', '/keys', options)).status).toBe(201);
    },
  );

  it.each(['identity', 'Identity'])('a body of the encoding %s is read', async (encoding) => {
    const { developer } = await setup.account();
    const options = { body: { kind: 'secret', apis: ['payments'] }, headers: { 'content-encoding': encoding } };
    expect((await api.send(developer, 'POST', '/keys', options)).status).toBe(201);
  });

  it('a compressed body is refused', async () => {
    const { developer } = await setup.account();
    const options = { body: { kind: 'secret', apis: ['payments'] }, headers: { 'content-encoding': 'GZIP' } };
    const { status, body } = await api.send(developer, 'POST', '/keys', options);
    expect([status, body.code]).toEqual([415, 'unsupported_media_type']);
  });

  it('has ten seconds to send its body', async () => {
    const { developer } = await setup.account();
    const timers = jest.spyOn(globalThis, 'setTimeout');
    await api.send(developer, 'POST', '/keys', { body: { kind: 'secret', apis: ['payments'] } });
    const limits = timers.mock.calls.map(([, milliseconds]) => milliseconds);
    jest.restoreAllMocks();
    expect(limits).toContain(10_000);
    expect(limits.filter((limit) => Number(limit) > 10_000)).toEqual([]);
  });

  it('names the query parameter that is wrong as the request has it', async () => {
    const { developer } = await setup.account();
    const wrong = async (query: string) => (await api.send(developer, 'GET', `/keys?${query}`)).body.errors;
    expect(await wrong('q=')).toMatchObject([{ parameter: 'q' }]);
    expect(await wrong('limit=0')).toMatchObject([{ parameter: 'limit' }]);
    expect(await wrong('sort=name&sort=used')).toEqual([
      { parameter: 'sort', detail: 'sort: the query parameter must occur only once' },
    ]);
  });

  it('names the member of the body that is wrong by a JSON pointer (RFC 6901)', async () => {
    const { developer } = await setup.account();
    const body = { kind: 'secret', apis: ['payments'], 'a~/b': 1 };
    const { body: problem } = await api.send(developer, 'POST', '/keys', { body });
    expect(problem.errors).toMatchObject([{ pointer: '#/a~0~1b' }]);
  });

  it.each([
    '2030-01-31T24:00:00Z',
    '2030-02-30T00:00:00Z',
    '2030-01-31',
    '2030-01-31T12:00:00',
    '2030-01-31 12:00:00Z',
    '2030-13-01T00:00:00Z',
    '2030-01-31T12:60:00Z',
    '2030-01-31T12:00:00.1234567890Z',
    '2030-01-31T12:00:00+99:00',
    '+012030-01-31T12:00:00Z',
    ['2030-01-31T12:00:00Z'],
    1_900_000_000_000,
  ])('refuses the time %j', async (expiresAt) => {
    const { developer } = await setup.account();
    const options = { body: { kind: 'secret', apis: ['payments'], expiresAt } };
    const { status, body } = await api.send(developer, 'POST', '/keys', options);
    const detail = 'expiresAt: expected an RFC 3339 date and time, such as 2030-01-31T12:00:00Z';
    expect([status, body.errors]).toEqual([400, [{ pointer: '#/expiresAt', detail }]]);
  });

  it.each([
    ['2030-01-31T12:00:00Z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31t12:00:00z', '2030-01-31T12:00:00.000Z'],
    ['2030-01-31T12:00:00.5Z', '2030-01-31T12:00:00.500Z'],
    ['2030-01-31T12:00:00.123456789Z', '2030-01-31T12:00:00.123Z'],
    ['2030-01-31T12:00:00+02:30', '2030-01-31T09:30:00.000Z'],
    ['2030-01-31T23:00:00-02:30', '2030-02-01T01:30:00.000Z'],
    [null, null],
  ])('the time %s is %s', async (expiresAt, expected) => {
    const { developer } = await setup.account();
    const options = { body: { kind: 'secret', apis: ['payments'], expiresAt } };
    const { status, body } = await api.send(developer, 'POST', '/keys', options);
    expect([status, body.key?.expiresAt]).toEqual([201, expected]);
  });

  it.each(['2026-02-30', '2026-13-01', '2026-1-30', '+012026-01-30', '2026-01-30T00:00:00Z', ''])(
    'refuses the day "%s"',
    async (day) => {
      const { owner, key: create } = await setup.account();
      const { key } = await create();
      for (const name of ['from', 'to']) {
        const path = `/keys/${key.id}/usage?${name}=${encodeURIComponent(day)}`;
        const { status, body } = await api.send(owner, 'GET', path);
        const detail = `${name}: expected a date, such as 2030-01-31`;
        expect([status, body.errors]).toEqual([400, [{ parameter: name, detail }]]);
      }
    },
  );

  it.each(['0', '050', '5e1', '201', '1000', '1.5', ''])('refuses the limit "%s"', async (limit) => {
    const { developer } = await setup.account();
    for (const path of ['/keys', '/audit']) {
      const { status, body } = await api.send(developer, 'GET', `${path}?limit=${limit}`);
      const detail = 'limit: expected a whole number from 1 to 200';
      expect([path, status, body.errors]).toEqual([path, 400, [{ parameter: 'limit', detail }]]);
    }
  });

  it('a grace period has 0 seconds to 30 days', async () => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const rotate = async (gracePeriod: number) =>
      (await api.send(owner, 'POST', `/keys/${key.id}/rotate`, { body: { gracePeriod } })).status;
    const statuses = [await rotate(-1), await rotate(0), await rotate(2_592_000), await rotate(2_592_001)];
    expect(statuses).toEqual([400, 200, 200, 400]);
  });

  it('an answer with characters of any script has its length in bytes', async () => {
    const { developer } = await setup.account();
    const name = '支払い';
    const options = { body: { kind: 'secret', apis: ['payments'], name } };
    const { body, text, headers } = await api.send(developer, 'POST', '/keys', options);
    expect(body.key.name).toBe(name);
    expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text));
  });

  it('gets no second answer if the host app has answered already', async () => {
    const { developer } = await setup.account();
    const errors: unknown[] = [];
    const app = express();
    const handled = deferred<void>();
    const memberOf = async () => {
      setImmediate(() => setImmediate(handled.resolve));
      return developer;
    };
    const management = { ...setup.management, audit: async () => ({ items: [], next: null }) };
    const answering = createManagementApi({ management, memberOf });
    app.use((req, res, next) => {
      res.writeHead(504).end('too slow');
      answering(req, res, (error: unknown) => {
        errors.push(error);
        next();
      });
    });
    const { port, close } = await serve(app);
    const response = await fetch(`http://127.0.0.1:${port}/audit`);
    expect([response.status, await response.text()]).toEqual([504, 'too slow']);
    await handled.promise;
    await close();
    expect(errors).toEqual([]);
  });

  it.each([
    ['POST', '/keys'],
    ['POST', '/keys/:id/rotate'],
    ['POST', '/keys/:id/end-grace-period'],
    ['PATCH', '/keys/:id'],
    ['POST', '/access-keys/:id/secrets'],
    ['POST', '/access-keys/:id/public-keys'],
  ])('a member whose name is half of a character: %s %s', async (method, path) => {
    const { owner, key, accessKey } = await setup.account();
    const { id } = (await (path.startsWith('/keys') ? key() : accessKey())).key;
    const options = { body: '{"\\ud800/~":1}', headers: { 'if-match': '*' } };
    const { status, body } = await api.send(owner, method, path.replace(':id', id), options);
    expect([status, body.code, body.errors[0].pointer]).toEqual([400, 'invalid', '#/%EF%BF%BD~1~0']);
  });

  it.each([
    new URIError('URI malformed'),
    new Error('no session'),
    Object.assign(new Error('no session'), { status: 400 }),
    Object.assign(new URIError('URI malformed'), { status: 500 }),
    undefined,
  ])('an error of memberOf is passed on: %p', async (thrown) => {
    const app = express();
    const memberOf = () => Promise.reject(thrown);
    app.use('/api', createManagementApi({ management: setup.management, memberOf }));
    const passed: unknown[] = [];
    app.use((error: unknown, _req: unknown, res: express.Response, _next: unknown) => {
      passed.push(error);
      res.sendStatus(500);
    });
    const { port, close } = await serve(app);
    for (const headers of [{}, { 'if-match': '*' }]) {
      const { status } = await fetch(`http://127.0.0.1:${port}/api/keys`, { headers });
      expect(status).toBe(500);
    }
    await close();
    const error = thrown ?? new Error('keyward: a callback threw a value of type undefined; throw an Error instead');
    expect(passed).toEqual([error, error]);
  });

  it('an error of writeHead, which the host app may wrap, is passed on', async () => {
    const error = new Error('no header');
    const app = express().use((_req, res, next) => {
      const { writeHead } = res;
      res.writeHead = () => {
        res.writeHead = writeHead;
        throw error;
      };
      next();
    });
    const passed: unknown[] = [];
    app.use(createManagementApi({ management: setup.management, memberOf: () => undefined }));
    app.use((error: unknown, _req: unknown, res: express.Response, _next: unknown) => {
      passed.push(error);
      res.sendStatus(500);
    });
    const { port, close } = await serve(app);
    const { status } = await fetch(`http://127.0.0.1:${port}/keys`);
    await close();
    expect([status, passed]).toEqual([500, [error]]);
  });

  it('a member with several permissions has the strongest of them', async () => {
    const { id, owner, key: create } = await setup.account();
    const { key } = await create();
    const member: Member = { id: 'ada', account: id, permissions: ['reader', 'owner'] };
    const options = { body: { name: 'Till' }, headers: { 'if-match': '*' } };
    const { status, body } = await api.send(member, 'PATCH', `/keys/${key.id}`, options);
    expect([status, body.name]).toEqual([200, 'Till']);
    expect(await setup.management.keys.view(owner, key.id)).toMatchObject({ name: 'Till' });
  });

  it('an answer without a body has no headers of one', async () => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const { status, headers, text } = await api.send(owner, 'DELETE', `/keys/${key.id}`);
    const of = ['content-type', 'content-length', 'cache-control'].map((name) => headers.get(name));
    expect([status, text, of]).toEqual([204, '', [null, null, 'no-store']]);
  });

  it.each([
    ['POST', '/keys?dry=1', 'dry'],
    ['POST', '/keys/key_a/rotate?a=1&a=2', 'a'],
    ['PATCH', '/keys/key_a?name=x', 'name'],
    ['PATCH', '/keys/key%00a', 'id'],
    ['POST', '/keys/key%00a/rotate', 'id'],
    ['DELETE', '/keys/key%00a', 'id'],
    ['DELETE', '/access-keys/ack_a/secrets/a%00b', 'secretId'],
    ['DELETE', '/access-keys/ack_a/public-keys/a%00b', 'kid'],
  ])('names a wrong parameter of the path or the query: %s %s', async (method, path, parameter) => {
    const { owner } = await setup.account();
    const options = method === 'DELETE' ? {} : { body: {}, headers: { 'if-match': '*' } };
    const { status, body } = await api.send(owner, method, path, options);
    expect([status, body.code, body.errors]).toEqual([400, 'invalid', [{ parameter, detail: body.detail }]]);
  });

  it('names the parameter of the last secret, which cannot be deleted', async () => {
    const { owner, accessKey } = await setup.account();
    const { key } = await accessKey();
    const { status, body } = await api.send(owner, 'DELETE', `/access-keys/${key.id}/secrets/${key.secrets[0]?.id}`);
    expect([status, body.errors[0].parameter]).toEqual([400, 'secretId']);
  });

  it.each([
    ['GET', { 'if-match': '"99"' }, 412],
    ['GET', { 'if-match': 'W/"1"' }, 412],
    ['GET', { 'if-match': '"1"x' }, 412],
    ['GET', { 'if-match': '"99", "1"' }, 200],
    ['GET', { 'if-match': '*' }, 200],
    ['GET', { 'if-match': '"99"', 'if-none-match': '"1"' }, 412],
    ['GET', { 'if-match': '"1"', 'if-none-match': '"1"' }, 304],
    ['HEAD', { 'if-match': '"99"' }, 412],
    ['PATCH', { 'if-match': '"1"', 'if-none-match': '"1"' }, 412],
    ['PATCH', { 'if-match': '*', 'if-none-match': '"7", W/"1"' }, 412],
    ['PATCH', { 'if-match': '*', 'if-none-match': '*' }, 412],
    ['PATCH', { 'if-match': '"1"', 'if-none-match': '"2"' }, 200],
    ['PATCH', { 'if-none-match': '"2"' }, 428],
    ['DELETE', { 'if-none-match': '*' }, 412],
    ['DELETE', { 'if-none-match': '"1"' }, 412],
    ['DELETE', { 'if-none-match': '"2"' }, 204],
    ['ROTATE', { 'if-none-match': '"1"' }, 412],
    ['ROTATE', { 'if-none-match': '"2"' }, 200],
  ])('%s of a key of version 1 with %j: %d', async (method, headers, expected) => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const [verb, path] = method === 'ROTATE' ? ['POST', `/keys/${key.id}/rotate`] : [method, `/keys/${key.id}`];
    const options = { ...(verb === 'PATCH' && { body: { name: 'Till' } }), headers: headers as Record<string, string> };
    const { status, body } = await api.send(owner, verb, path, options);
    expect(status).toBe(expected);
    if (status === 412 && method !== 'HEAD') expect(body.code).toBe('version_conflict');
    const isChanged = !['GET', 'HEAD'].includes(verb) && status < 300;
    expect((await setup.management.keys.view(owner, key.id)).version).toBe(isChanged ? 2 : 1);
  });

  it('If-None-Match does not refuse a request that was carried out under its idempotency key', async () => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const headers = { 'if-none-match': '"2"', 'idempotency-key': 'once' };
    const rotate = async () => (await api.send(owner, 'POST', `/keys/${key.id}/rotate`, { headers })).status;
    expect([await rotate(), await rotate()]).toEqual([200, 200]);
  });

  it('memberByScopes writes the address of the client to the audit log, behind a trusted proxy too', async () => {
    const { owner } = await setup.account(MANAGING);
    const settings = { kind: 'secret', apis: ['keys'], scopes: ['keys:manage'] } as const;
    const { secret: text, key: managing } = await setup.management.keys.create(owner, settings);
    const accept = [apiKeys({ resolver: setup.store, kinds: ['secret'], environment: 'live', clock: setup.clock })];
    const app = express().set('trust proxy', 'loopback');
    const members = createManagementApi({ management: setup.management, memberOf: memberByScopes() });
    app.use('/api', requireBearer({ accept }), members);
    const { port, close } = await serve(app);
    const headers = { authorization: `Bearer ${text}`, 'x-forwarded-for': '203.0.113.9' };
    const response = await fetch(`http://127.0.0.1:${port}/api/keys/${managing.id}`, { method: 'DELETE', headers });
    expect(response.status).toBe(204);
    const { items } = await setup.management.audit(owner, { limit: 1 });
    expect(items).toMatchObject([{ action: 'key.revoke', actor: managing.id, origin: '203.0.113.9' }]);
    await close();
  });
});
