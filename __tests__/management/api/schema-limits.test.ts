import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createManagementApi } from 'keyward/management';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { type Holder, managed } from '../../support/managed.js';

const setup = managed('memory');
let api: ApiClient;
let holder: Holder;

beforeAll(async () => {
  api = await serveApi(setup.management, setup.store, setup.clock);
  holder = await setup.account({ channels: 'all', platforms: [] });
});
afterAll(() => api.close());

// biome-ignore lint/suspicious/noExplicitAny: the tests read any member of a schema.
type Json = any;

/** A schema of the document, by its name. */
function schemaOf(name: string): Json {
  const { openapi } = createManagementApi({ management: setup.management, memberOf: () => undefined });
  return (openapi as Json).components.schemas[name];
}

const NEW = { kind: 'secret', apis: ['payments'] };
const post = async (path: string, body: object) => (await api.send(holder.owner, 'POST', path, { body })).status;
/** Whether a key can be created with a setting. */
const accepts = async (name: string, value: unknown) => (await post('/keys', { ...NEW, [name]: value })) === 201;

const text = (length: number) => 'x'.repeat(length);
const list = (length: number, at: (index: number) => unknown) => Array.from({ length }, (_, index) => at(index));
const metadata = (count: number) => Object.fromEntries(list(count, (at) => [`m${at}`, 'x']) as [string, string][]);
const limit = { requests: 1, seconds: 1 };

describe('a setting has the limits of its schema:', () => {
  it.each<[string, (setting: Json) => number, (count: number) => readonly [name: string, value: unknown]]>([
    ['the name', ({ name }) => name.maxLength, (length) => ['name', text(length)]],
    ['entries of metadata', (at) => at.metadata.maxProperties, (count) => ['metadata', metadata(count)]],
    [
      'names in metadata',
      (at) => at.metadata.propertyNames.maxLength,
      (length) => ['metadata', { [text(length)]: 'x' }],
    ],
    [
      'values in metadata',
      (at) => at.metadata.additionalProperties.maxLength,
      (length) => ['metadata', { name: text(length) }],
    ],
    [
      'addresses',
      (at) => at.allowedAddresses.maxItems,
      (count) => ['allowedAddresses', list(count, (at) => `2001:db8::${at.toString(16)}`)],
    ],
    [
      'rate limits',
      (at) => at.limits.maxItems,
      (count) => ['limits', list(count, (at) => ({ ...limit, seconds: at + 1 }))],
    ],
    [
      'requests of a rate limit',
      (at) => at.limits.items.properties.requests.maximum,
      (requests) => ['limits', [{ ...limit, requests }]],
    ],
    [
      'seconds of a rate limit',
      (at) => at.limits.items.properties.seconds.maximum,
      (seconds) => ['limits', [{ ...limit, seconds }]],
    ],
    ['channels', (at) => at.channels.oneOf[1].maxItems, (count) => ['channels', list(count, (at) => `pc_${at}`)]],
  ])('at most, %s', async (_what, maximumIn, settingOf) => {
    const maximum = maximumIn(schemaOf('NewKey').properties);
    expect(maximum).toBeGreaterThan(0);
    expect([await accepts(...settingOf(maximum)), await accepts(...settingOf(maximum + 1))]).toEqual([true, false]);
  });

  it.each<[string, (setting: Json) => number, (count: number) => readonly [name: string, value: unknown]]>([
    [
      'names in metadata',
      (at) => at.metadata.propertyNames.minLength,
      (length) => ['metadata', { [text(length)]: 'x' }],
    ],
    ['addresses', (at) => at.allowedAddresses.minItems, (count) => ['allowedAddresses', list(count, () => '::1')]],
    ['rate limits', (at) => at.limits.minItems, (count) => ['limits', list(count, () => limit)]],
    [
      'requests of a rate limit',
      (at) => at.limits.items.properties.requests.minimum,
      (requests) => ['limits', [{ ...limit, requests }]],
    ],
    [
      'seconds of a rate limit',
      (at) => at.limits.items.properties.seconds.minimum,
      (seconds) => ['limits', [{ ...limit, seconds }]],
    ],
  ])('at least, %s', async (_what, minimumIn, settingOf) => {
    const minimum = minimumIn(schemaOf('NewKey').properties);
    expect([await accepts(...settingOf(minimum)), await accepts(...settingOf(minimum - 1))]).toEqual([true, false]);
  });

  it('null, if the schema has it', async () => {
    const { properties } = schemaOf('NewKey');
    const given = Object.entries<Json>(properties).filter(([name]) => !['kind', 'apis'].includes(name));
    expect(given.length).toBeGreaterThan(5);
    for (const [name, schema] of given) {
      const isNullable = [schema.type].flat().includes('null');
      expect([name, await accepts(name, null)]).toEqual([name, isNullable]);
    }
  });
});

describe('a request has the fields of its schema:', () => {
  const COMPLETE: Readonly<Record<string, readonly [path: string, body: Readonly<Record<string, unknown>>]>> = {
    NewKey: ['/keys', { ...NEW, scopes: null, name: 'x', channels: 'all', platform: null, expiresAt: null }],
    NewAccessKey: ['/access-keys', { scopes: ['payments'], defaultScopes: ['payments'], requireConfirmation: null }],
  };

  it.each(Object.keys(COMPLETE))('%s', async (name) => {
    const { required, properties } = schemaOf(name);
    const [path, body] = COMPLETE[name] ?? ['', {}];
    expect(await post(path, body)).toBe(201);
    for (const field of Object.keys(body)) {
      const { [field]: _, ...rest } = body;
      expect([field, await post(path, rest)]).toEqual([field, required.includes(field) ? 400 : 201]);
      expect(Object.keys(properties)).toContain(field);
    }
    expect(await post(path, { ...body, other: 1 })).toBe(400);
  });

  it.each([
    ['KeyPatch', '/keys', NEW],
    ['AccessKeyPatch', '/access-keys', { scopes: ['payments'] }],
  ])('%s', async (name, path, body) => {
    const { key } = (await api.send(holder.owner, 'POST', path, { body })).body;
    const values: Readonly<Record<string, unknown>> = { ...key, disabled: false, revokeTokens: true };
    const known = Object.keys(schemaOf(name).properties);
    const patch = async (field: string) => {
      const headers = { 'if-match': '*' };
      const { status } = await api.send(holder.owner, 'PATCH', `${path}/${key.id}`, {
        ...{ body: { [field]: values[field] ?? null }, headers },
      });
      return status;
    };
    for (const field of ['kind', 'environment', 'id', 'createdAt']) expect(await patch(field)).toBe(400);
    for (const field of known) expect([field, await patch(field)]).toEqual([field, 200]);
    const editable = ['name', 'scopes', 'channels', 'platform', 'expiresAt', 'metadata', 'allowedAddresses', 'limits'];
    const own = path === '/keys' ? ['apis'] : ['defaultScopes', 'requireConfirmation', 'revokeTokens'];
    expect(known.toSorted()).toEqual([...editable, 'disabled', ...own].toSorted());
  });

  it('the maximum of a grace period', async () => {
    const { maximum } = schemaOf('Rotation').properties.gracePeriod;
    const { key } = await holder.key();
    const rotate = (gracePeriod: number) => post(`/keys/${key.id}/rotate`, { gracePeriod });
    expect([await rotate(maximum), await rotate(maximum + 1)]).toEqual([200, 400]);
  });
});

describe('a query parameter has the values of its schema:', () => {
  const parameterOf = (path: string, name: string): Json => {
    const { openapi } = createManagementApi({ management: setup.management, memberOf: () => undefined });
    return (openapi as Json).paths[path].get.parameters.find((parameter: Json) => parameter.name === name)?.schema;
  };
  const list = async (path: string, query: string) => await api.send(holder.owner, 'GET', `${path}?${query}`);

  it('the limit', async () => {
    for (const path of ['/keys', '/access-keys', '/audit']) {
      const { minimum, maximum } = parameterOf(path, 'limit');
      const statuses = [minimum - 1, minimum, maximum, maximum + 1].map(
        async (limit) => (await list(path, `limit=${limit}`)).status,
      );
      expect(await Promise.all(statuses)).toEqual([400, 200, 200, 400]);
    }
    for (let at = 0; at < 60; at += 1) await holder.key();
    expect((await list('/keys', 'state=active')).body.data).toHaveLength(parameterOf('/keys', 'limit').default);
  });

  it.each(['kind', 'state', 'sort'])('%s', async (name) => {
    const { enum: values } = parameterOf('/keys', name);
    expect(values.length).toBeGreaterThan(1);
    for (const value of values) expect((await list('/keys', `${name}=${value}`)).status).toBe(200);
  });

  it('none but those of its path', async () => {
    expect(parameterOf('/access-keys', 'kind')).toBeUndefined();
    for (const name of ['kind=secret', 'api=payments']) {
      expect((await list('/access-keys', name)).status).toBe(400);
    }
  });
});
