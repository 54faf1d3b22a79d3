import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { validate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import express from 'express';
import { apiKeys } from 'keyward';
import { createManagementApi, type Member, memberByScopes } from 'keyward/management';
import { OpenAPIClientAxios } from 'openapi-client-axios';
import { openApiGate } from '../../../lib/openapi/gate/openapi-gate.js';
import { type ApiClient, type ApiReply, serveApi } from '../../support/api-client.js';
import { HAS, managed } from '../../support/managed.js';
import { serveManaged } from '../../support/managed-api.js';
import { serve } from '../../support/raw-http.js';
import { engines } from '../../support/test-stores.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
type Json = any;

// The validator of answers that express-openapi-validator brings along.
const load = createRequire(createRequire(import.meta.url).resolve('express-openapi-validator'));
const { Ajv2020 }: Json = load('ajv/dist/2020');
const addFormats: Json = load('ajv-formats');

const KEYED = { apis: [...HAS.apis, 'keys'], scopes: [...HAS.scopes, 'keys:read', 'keys:write', 'keys:manage'] };

describe.each(engines)('the OpenAPI document, in %s', (engine) => {
  const setup = managed(engine);
  let api: ApiClient;
  let document: Json;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
    document = (await api.send(undefined, 'GET', '/openapi.json')).body;
  });
  afterAll(() => api.close());

  it('G11 passes two validators, and states the mount path', async () => {
    expect(document.servers).toEqual([{ url: '/api' }]);
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
    expect(await validate(structuredClone(document))).toMatchObject({ valid: true });
  });

  it('G11 has exactly the routes of the API', async () => {
    const router = createManagementApi({ management: setup.management, memberOf: () => undefined });
    const layers = (router as unknown as { stack: readonly { route?: { path: string; methods: Json } }[] }).stack;
    const routed = layers.flatMap(({ route }) =>
      Object.keys(route?.methods ?? {})
        .filter((method) => method !== '_all')
        .map((method) => `${method} ${route?.path.replace(/:(\w+)/g, '{$1}')}`),
    );
    const documented = Object.entries<object>(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(documented.sort()).toEqual(routed.sort());
  });

  it('says which request headers an operation reads, and which of them it requires', () => {
    const headersOf = (path: string, method: string) =>
      document.paths[path][method].parameters
        .filter((parameter: Json) => parameter.in === 'header')
        .map(({ name, required }: Json) => [name, required]);
    for (const path of ['/keys', '/access-keys']) {
      const idempotencyKey = ['Idempotency-Key', false];
      expect(headersOf(path, 'get')).toEqual([]);
      expect(headersOf(path, 'post')).toEqual([idempotencyKey]);
      const ifNoneMatch = ['If-None-Match', false];
      expect(headersOf(`${path}/{id}`, 'get')).toEqual([['If-Match', false], ifNoneMatch]);
      expect(headersOf(`${path}/{id}`, 'patch')).toEqual([['If-Match', true], ifNoneMatch, idempotencyKey]);
      expect(headersOf(`${path}/{id}`, 'delete')).toEqual([['If-Match', false], ifNoneMatch, idempotencyKey]);
    }
  });

  it('has the 404 of an unknown account, and the 408 of a slow body', async () => {
    const member: Member = { id: 'ada', account: 'unknown', permissions: ['owner'] };
    for (const [path, body] of [
      ['/keys', { kind: 'secret', apis: ['payments'] }],
      ['/access-keys', { scopes: ['payments'] }],
    ] as const) {
      const reply = await api.send(member, 'POST', path, { body });
      expect([reply.status, reply.body.detail]).toEqual([404, 'the account was not found']);
      expect(document.paths[path].post.responses).toMatchObject({
        404: { $ref: '#/components/responses/Problem404' },
        408: { $ref: '#/components/responses/Problem408' },
      });
      expect(document.paths[path].get.responses).not.toHaveProperty('408');
    }
    expect(document.components.responses.Problem404.description).toContain('the account does not exist');
  });

  it.each([
    ['NewKey', '/keys', { kind: 'secret', apis: ['payments'] }],
    ['NewAccessKey', '/access-keys', { scopes: ['payments'] }],
  ])(
    'a client that sends the defaults of %s creates a key, also if it is limited to the sandbox',
    async (name, path, settings) => {
      const properties = Object.entries<Json>(document.components.schemas[name].properties);
      const defaults = Object.fromEntries(
        properties.flatMap(([property, schema]) => ('default' in schema ? [[property, schema.default]] : [])),
      );
      const { owner } = await setup.account();
      const created: unknown[] = [];
      for (const member of [owner, { ...owner, environment: 'sandbox' as const }]) {
        const { status, body } = await api.send(member, 'POST', path, { body: { ...settings, ...defaults } });
        created.push([status, body.key?.environment]);
      }
      expect(created).toEqual([
        [201, 'live'],
        [201, 'sandbox'],
      ]);
      const { description } = document.components.schemas[name].properties.environment;
      expect(description).toBe(
        'Default: the environment to which the caller is limited, such as sandbox for a sandbox credential; live if the caller is not limited.',
      );
    },
  );

  it('G11 every response matches it', async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema(document, 'api.json');
    const { owner, developer } = await setup.account();
    async function send(...[member, method, path, options]: Parameters<ApiClient['send']>): Promise<ApiReply> {
      const reply = await api.send(member, method, path, options);
      const template = path
        .replace(/\?.*/, '')
        .replace(/\/(?:key|ack)_[^/]+/, '/{id}')
        .replace(/\/secrets\/.+/, '/secrets/{secretId}');
      const operation = document.paths[template][method.toLowerCase()];
      const answer = operation.responses[reply.status];
      expect([method, path, reply.status, answer !== undefined]).toEqual([method, path, reply.status, true]);
      const resolved =
        answer.$ref === undefined ? answer : document.components.responses[answer.$ref.split('/').at(-1)];
      const [content] = Object.entries<Json>(resolved.content ?? {});
      if (content === undefined) {
        expect(reply.text).toBe('');
        return reply;
      }
      expect(reply.headers.get('content-type')).toBe(content[0]);
      const isValid = ajv.validate({ $ref: `api.json${content[1].schema.$ref}` }, reply.body);
      expect([method, path, isValid, ajv.errors]).toEqual([method, path, true, null]);
      return reply;
    }
    const data = {
      metadata: { a: 'b' },
      limits: [{ requests: 1, seconds: 1 }],
      allowedAddresses: ['10.0.0.0/8'],
      name: 'n',
    };
    const body = {
      kind: 'public',
      apis: ['payments'],
      scopes: ['payments'],
      expiresAt: '2099-01-01T00:00:00Z',
      ...data,
    };
    const key = (await send(developer, 'POST', '/keys', { body, headers: { 'idempotency-key': 'k' } })).body.key;
    await send(developer, 'POST', '/keys', { body, headers: { 'idempotency-key': 'k' } });
    await send(developer, 'POST', '/keys', { body: {}, headers: { 'idempotency-key': 'k' } });
    await send(developer, 'POST', '/keys', { body: {} });
    await send(undefined, 'POST', '/keys', { body });
    await send(developer, 'POST', '/keys', { body: 'x', headers: { 'content-type': 'text/plain' } });
    await send(owner, 'GET', `/keys/${key.id}`);
    await send(owner, 'GET', `/keys/${key.id}`, { headers: { 'if-none-match': '"1"' } });
    await send(owner, 'GET', '/keys/key_none');
    await send(owner, 'GET', '/keys?limit=1');
    await send(owner, 'PATCH', `/keys/${key.id}`, { body: {} });
    await send(owner, 'PATCH', `/keys/${key.id}`, { body: { name: 'x' }, headers: { 'if-match': '"9"' } });
    await send(owner, 'PATCH', `/keys/${key.id}`, { body: { name: 'x' }, headers: { 'if-match': '"1"' } });
    await send(developer, 'POST', `/keys/${key.id}/rotate`, { body: {} });
    await send(owner, 'POST', `/keys/${key.id}/rotate`, {
      body: { gracePeriod: 60 },
      headers: { 'idempotency-key': 'r' },
    });
    await send(owner, 'POST', `/keys/${key.id}/rotate`, {
      body: { gracePeriod: 60 },
      headers: { 'idempotency-key': 'r' },
    });
    await send(owner, 'POST', `/keys/${key.id}/end-grace-period`);
    await send(owner, 'GET', `/keys/${key.id}/usage?from=2026-01-01&to=2026-01-03`);
    await send(owner, 'DELETE', `/keys/${key.id}`);
    await send(owner, 'DELETE', `/keys/${key.id}`);
    const access = (await send(developer, 'POST', '/access-keys', { body: { scopes: ['payments'], ...data } })).body
      .key;
    await send(owner, 'POST', `/access-keys/${access.id}/secrets`);
    await send(owner, 'DELETE', `/access-keys/${access.id}/secrets/${access.secrets[0].id}`);
    await send(owner, 'GET', '/access-keys');
    await send(owner, 'GET', `/access-keys/${access.id}/usage`);
    await send(owner, 'DELETE', `/access-keys/${access.id}`);
    await send(owner, 'GET', '/audit?limit=200');
  });

  it('G11 a generated client manages a key, and openApiGate guards the API with the document', async () => {
    const holder = await setup.account(KEYED);
    const { management, store, clock } = setup;
    const app = express();
    const router = createManagementApi({ management, memberOf: memberByScopes() });
    const secretKey = apiKeys({ resolver: store, kinds: ['secret'], environment: 'live', clock });
    app.use(
      '/api',
      openApiGate(
        { ...router.openapi, servers: document.servers },
        { schemes: { bearer: secretKey }, basePath: '/api' },
      ),
      router,
    );
    app.use(((error, _req, res, _next) => {
      res.status(error.status ?? 500).json({ code: error.code });
    }) as express.ErrorRequestHandler);
    const { port, close } = await serve(app);
    const gate = await serveManaged(store, clock);
    try {
      const scopes = ['keys:manage'];
      const manager = await management.keys.create(holder.owner, { kind: 'secret', apis: 'all', scopes });
      const reader = await management.keys.create(holder.owner, { kind: 'secret', apis: 'all', scopes: ['keys:read'] });
      const clientOf = async (secret: string | undefined): Promise<Json> => {
        const definition = { ...structuredClone(document), servers: [{ url: `http://127.0.0.1:${port}/api` }] };
        const headers = { authorization: `Bearer ${secret}` };
        const axiosConfigDefaults = { headers, validateStatus: () => true };
        return await new OpenAPIClientAxios({ definition, axiosConfigDefaults }).init();
      };
      const client = await clientOf(manager.secret);
      const { data: made, status } = await client.createKey(null, { kind: 'secret', apis: ['payments'] });
      expect([status, made]).toMatchObject([201, { secret: expect.any(String) }]);
      expect(await gate.status('/payments', made.secret)).toBe(200);
      const { data: rotated } = await client.rotateKey(made.key.id, {});
      expect([await gate.status('/payments', made.secret), await gate.status('/payments', rotated.secret)]).toEqual([
        401, 200,
      ]);
      const reading = await clientOf(reader.secret);
      const forbidden = await reading.revokeKey(made.key.id);
      expect([forbidden.status, forbidden.headers['www-authenticate']]).toEqual([
        403,
        expect.stringContaining('keys:manage'),
      ]);
      expect((await reading.getKey(made.key.id)).status).toBe(200);
      expect((await (await clientOf('sk_none')).getKey(made.key.id)).status).toBe(401);
      expect((await client.revokeKey(made.key.id)).status).toBe(204);
      expect(await gate.status('/payments', rotated.secret)).toBe(401);
      expect((await fetch(`http://127.0.0.1:${port}/api/openapi.json`)).status).toBe(200);
    } finally {
      await Promise.all([close(), gate.close()]);
    }
  });

  // A body costs as much as ten tries of a law, and four times as much in a database: 200 and 50 bodies for each operation.
  // KEYWARD_SOAK_RUNS=40000 draws a thousand everywhere.
  const tries = Number(process.env.KEYWARD_SOAK_RUNS ?? 2_000);
  const bodies = Math.min(1_000, Math.ceil(tries / (engine === 'memory' ? 10 : 40)));
  const seed = ['memory', 'SQLite', 'PostgreSQL'].indexOf(engine) + 7;

  it('G12 random bodies per operation by the schema: no 5xx, and a 4xx is a problem and changes nothing', async () => {
    const holder = await setup.account(KEYED);
    const { key } = await holder.key();
    const { key: access } = await holder.accessKey();
    const draw = drawsOf(document, seed);
    const operations = [
      ['post', '/keys', '/keys'],
      ['patch', '/keys/{id}', `/keys/${key.id}`],
      ['post', '/keys/{id}/rotate', `/keys/${key.id}/rotate`],
      ['post', '/keys/{id}/end-grace-period', `/keys/${key.id}/end-grace-period`],
      ['post', '/access-keys', '/access-keys'],
      ['post', '/access-keys/{id}/public-keys', `/access-keys/${access.id}/public-keys`],
      ['patch', '/access-keys/{id}', `/access-keys/${access.id}`],
      ['post', '/access-keys/{id}/rotate', `/access-keys/${access.id}/rotate`],
      ['post', '/access-keys/{id}/end-grace-period', `/access-keys/${access.id}/end-grace-period`],
      ['post', '/access-keys/{id}/secrets', `/access-keys/${access.id}/secrets`],
    ] as const;
    const described = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).flatMap(([method, { requestBody }]) => (requestBody ? [`${method} ${path}`] : [])),
    );
    expect(operations.map(([method, template]) => `${method} ${template}`).sort()).toEqual(described.sort());
    const statuses = new Set<number>();
    /** The two keys, and the newest of the account. */
    const viewed = async () => [
      await setup.management.keys.view(holder.owner, key.id),
      await setup.management.accessKeys.view(holder.owner, access.id),
      (await setup.management.keys.list(holder.owner, { limit: 1 })).items,
      (await setup.management.accessKeys.list(holder.owner, { limit: 1 })).items,
    ];
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    const isProblem = ajv.addSchema(document, 'api.json').compile({ $ref: 'api.json#/components/schemas/Problem' });
    let current = await viewed();
    for (const [method, template, path] of operations) {
      const { schema } = document.paths[template][method].requestBody.content['application/json'];
      for (let turn = 0; turn < bodies; turn += 1) {
        setup.clock.advance(1);
        const body = draw(schema);
        const reply = await api.send(holder.owner, method.toUpperCase(), path, { body, headers: { 'if-match': '*' } });
        statuses.add(reply.status);
        if (reply.status >= 500) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${reply.text}`);
        if (reply.status < 400) {
          current = await viewed();
          continue;
        }
        expect([reply.headers.get('content-type'), isProblem(reply.body)]).toEqual(['application/problem+json', true]);
        expect(await viewed()).toEqual(current);
      }
    }
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 201, 400]));
  }, 900_000);
});

/** Draws values by a schema; now and then of another type, or with another member. */
function drawsOf(document: Json, seed: number): (schema: Json) => unknown {
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const pick = <T>(values: readonly T[]): T => values[next(values.length)] as T;
  const STRANGE = [
    null,
    0,
    -1,
    1e21,
    true,
    '',
    'all',
    'payments',
    '\u0000',
    '\uD800',
    '🙂',
    [],
    [[]],
    {},
    { a: 1 },
    'x'.repeat(600),
  ];

  function draw(schema: Json): unknown {
    if (next(12) === 0) return pick(STRANGE);
    if (schema.$ref !== undefined) return draw(document.components.schemas[schema.$ref.split('/').at(-1)]);
    if (schema.oneOf !== undefined) return draw(pick(schema.oneOf));
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return pick(schema.enum);
    const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
    switch (type) {
      case 'null':
        return null;
      case 'boolean':
        return next(2) === 0;
      case 'integer':
      case 'number':
        return pick([schema.minimum ?? 0, schema.maximum ?? 9, 1, 60, 0.5]);
      case 'array':
        return Array.from({ length: next(3) }, () => draw(schema.items));
      case 'object':
        return drawObject(schema);
      default:
        return schema.format === 'date-time'
          ? pick(['2099-01-01T00:00:00Z', '1999-01-01T00:00:00Z', 'soon'])
          : pick(['payments', 'disputes', 'pc_1', 'keys:read', '10.0.0.0/8', 'A name', 'shop']);
    }
  }

  function drawObject({ properties = {}, required = [], additionalProperties }: Json): unknown {
    const names = Object.keys(properties).filter((name) => required.includes(name) || next(4) === 0);
    const entries = names.filter(() => next(20) !== 0).map((name) => [name, draw(properties[name])]);
    if (typeof additionalProperties === 'object' && next(2) === 0) entries.push(['plan', draw(additionalProperties)]);
    if (next(20) === 0) entries.push([pick(['color', 'version', 'id']), 1]);
    return Object.fromEntries(entries);
  }

  return (schema) => {
    const body = draw(schema);
    return typeof body === 'object' && body !== null ? body : {};
  };
}
