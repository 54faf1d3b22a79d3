import { beforeAll, describe, expect, it } from '@jest/globals';
import { createManagementApi } from 'keyward/management';
import { managed } from '../../support/managed.js';

// biome-ignore lint/suspicious/noExplicitAny: the document is JSON.
type Json = any;

const setup = managed('memory');
let document: Json;

beforeAll(() => {
  document = createManagementApi({ management: setup.management, memberOf: () => undefined }).openapi;
});

/**
 * Writes a schema in short: its type, then its other keywords. The name of a property that is not required ends in `?`.
 * An object that may have other properties has the entry `...`.
 */
function shortOf(schema: Json): Json {
  if (schema === undefined || schema === true) return 'any';
  const { $ref, type, format, enum: values, oneOf, items, properties, required, ...rest } = schema;
  const others = Object.entries(required?.length === 0 ? { ...rest, required } : rest);
  const words = [type, format, values?.map(String), nameOf($ref)].filter((word) => word !== undefined);
  const text = [
    ...words.map((word) => [word].flat().join('|')),
    ...others.map(([name, value]) => `${name}=${JSON.stringify(value)}`),
  ].join(' ');
  if (oneOf !== undefined) return text === '' ? oneOf.map(shortOf) : text;
  if (items !== undefined) {
    const item = shortOf(items);
    return typeof item === 'string' ? `${text} of ${item}` : { [text]: item };
  }
  if (properties === undefined) return text;
  const names = new Set<string>([...Object.keys(properties), ...(required ?? [])]);
  const fields = [...names].map((name) => [required?.includes(name) ? name : `${name}?`, shortOf(properties[name])]);
  return { ...Object.fromEntries(fields), ...(text === 'object additionalProperties=false' ? {} : { '...': text }) };
}

const nameOf = (reference: string | undefined) => reference?.replace(/^#\/components\/(?=schemas\/)/, '');
const problemRef = (status: string) => `#/components/responses/Problem${status}`;

function contentOf(content: Json = {}): readonly string[] {
  return Object.entries<Json>(content).map(([type, { schema }]) => `${type}: ${shortOf(schema)}`);
}

/** The names of the headers of a response, which has no empty list of headers. */
function headerNames(headers: Json): readonly string[] {
  if (headers === undefined) return [];
  const names = Object.keys(headers);
  return names.length === 0 ? ['no headers'] : names;
}

/** Writes an operation in short. A parameter or body that is not required ends in `?`. */
function summaryOf({ operationId, summary, security, parameters = [], requestBody, responses, ...rest }: Json): Json {
  const all = Object.entries<Json>(responses);
  const mark = (required: boolean) => (required ? '' : '?');
  return {
    ...{ ...rest, operationId, summary },
    scopes: security.flatMap((one: Json) => Object.entries<Json>(one).map(([name, scopes]) => `${name} ${scopes}`)),
    parameters: parameters.map(({ name, in: place, required }: Json) => `${place} ${name}${mark(required)}`),
    ...(requestBody && {
      body: contentOf(requestBody.content).map((content) => content + mark(requestBody.required)),
    }),
    answers: Object.fromEntries(
      all.flatMap(([status, { $ref, description, headers, content }]) =>
        $ref === undefined ? [[status, [description, ...headerNames(headers), ...contentOf(content)]]] : [],
      ),
    ),
    problems: all
      .flatMap(([status, { $ref }]) => ($ref === undefined ? [] : [$ref === problemRef(status) ? status : $ref]))
      .join(' '),
  };
}

const READ = ['bearer keys:read', 'bearer keys:write', 'bearer keys:manage'];
const WRITE = ['bearer keys:write', 'bearer keys:manage'];
const MANAGE = ['bearer keys:manage'];
const MATCH = ['header If-Match?', 'header If-None-Match?'];
const REPEATABLE = 'header Idempotency-Key?';
const CHANGE = { scopes: MANAGE, parameters: ['path id', ...MATCH, REPEATABLE] };
const WITH_BODY = '400 401 403 404 408 409 412 413 415 503';
const WITHOUT_BODY = '400 401 403 404 409 412 503';

/** The operations on API keys or access keys. */
function operationsOn(path: string, noun: string, title: string, a: string, filters: readonly string[]): Json {
  const key = [`The ${title}.`, 'ETag', 'application/json: schemas/Key'];
  const patch = noun === 'Key' ? 'schemas/KeyPatch' : 'schemas/AccessKeyPatch';
  return {
    [`get ${path}`]: {
      ...{ operationId: `list${noun}s`, summary: `List ${title}s`, scopes: READ },
      parameters: filters.map((name) => `query ${name}?`),
      answers: { 200: [`One page of ${title}s.`, 'Link', 'application/json: schemas/KeyPage'] },
      problems: '400 401 403 503',
    },
    [`post ${path}`]: {
      ...{ operationId: `create${noun}`, summary: `Create ${a} ${title}`, scopes: WRITE, parameters: [REPEATABLE] },
      body: [`application/json: schemas/New${noun}`],
      answers: {
        200: [
          'An earlier request with the same idempotency key created the key. The secret is not returned again.',
          ...['Location', 'ETag', 'application/json: schemas/RepeatedKey'],
        ],
        201: ['The key, with its secret.', 'Location', 'ETag', 'application/json: schemas/CreatedKey'],
      },
      problems: '400 401 403 404 408 409 413 415 503',
    },
    [`get ${path}/{id}`]: {
      ...{ operationId: `get${noun}`, summary: `View the ${title}`, scopes: READ, parameters: ['path id', ...MATCH] },
      answers: { 200: key, 304: ['Not modified.', 'ETag'] },
      problems: '400 401 403 404 412 503',
    },
    [`patch ${path}/{id}`]: {
      ...{ operationId: `edit${noun}`, summary: `Edit the ${title} with a JSON Merge Patch (RFC 7396)` },
      scopes: MANAGE,
      parameters: ['path id', 'header If-Match', 'header If-None-Match?', REPEATABLE],
      body: [`application/merge-patch+json: ${patch}`, `application/json: ${patch}`],
      answers: { 200: key },
      problems: '400 401 403 404 408 409 412 413 415 428 503',
    },
    [`delete ${path}/{id}`]: {
      ...{ operationId: `revoke${noun}`, summary: `Revoke the ${title}; this cannot be undone`, ...CHANGE },
      answers: { 204: ['The key was revoked.'] },
      problems: WITHOUT_BODY,
    },
    [`post ${path}/{id}/rotate`]: {
      ...{ operationId: `rotate${noun}`, summary: `Rotate the ${title}`, ...CHANGE },
      body: ['application/json: schemas/Rotation?'],
      answers: { 200: ['The key, with its new secret.', 'ETag', 'application/json: schemas/CreatedOrRepeatedKey'] },
      problems: WITH_BODY,
    },
    [`post ${path}/{id}/end-grace-period`]: {
      ...{ operationId: `end${noun}GracePeriod`, summary: 'End the grace period of the old secret now', ...CHANGE },
      body: ['application/json: schemas/Nothing?'],
      answers: { 200: key },
      problems: WITH_BODY,
    },
    [`get ${path}/{id}/usage`]: {
      ...{ operationId: `get${noun}Usage`, summary: 'View the number of requests per day', scopes: READ },
      parameters: ['path id', 'query from?', 'query to?'],
      answers: {
        200: [
          'The numbers of accepted and refused requests on each UTC day from `from` to `to`, inclusive.',
          'application/json: schemas/KeyUsage',
        ],
      },
      problems: '400 401 403 404 503',
    },
  };
}

const CREDENTIALS = {
  'post /access-keys/{id}/secrets': {
    ...{ operationId: 'addAccessKeySecret', summary: 'Add a client secret', ...CHANGE },
    body: ['application/json: schemas/Nothing?'],
    answers: {
      200: [
        'An earlier request with the same idempotency key added the secret. The secret is not returned again.',
        ...['ETag', 'application/json: schemas/RepeatedKey'],
      ],
      201: ['The access key, with its new client secret.', 'ETag', 'application/json: schemas/CreatedKey'],
    },
    problems: WITH_BODY,
  },
  'delete /access-keys/{id}/secrets/{secretId}': {
    ...{ operationId: 'endAccessKeySecret', summary: 'Delete the client secret', scopes: MANAGE },
    parameters: ['path id', 'path secretId', ...MATCH, REPEATABLE],
    answers: { 204: ['The client secret was deleted.'] },
    problems: WITHOUT_BODY,
  },
  'post /access-keys/{id}/public-keys': {
    ...{ operationId: 'addAccessKeyPublicKey', summary: 'Add a public key', ...CHANGE },
    body: ['application/json: schemas/NewPublicKey'],
    answers: { 201: ['The access key, with its public keys.', 'ETag', 'application/json: schemas/Key'] },
    problems: WITH_BODY,
  },
  'delete /access-keys/{id}/public-keys/{kid}': {
    ...{ operationId: 'removeAccessKeyPublicKey', summary: 'Remove the public key', scopes: MANAGE },
    parameters: ['path id', 'path kid', ...MATCH, REPEATABLE],
    answers: { 204: ['The public key was removed.'] },
    problems: WITHOUT_BODY,
  },
};

const OTHERS = {
  'get /audit': {
    ...{ operationId: 'listAudit', summary: 'List audit log entries, newest first', scopes: READ },
    parameters: ['query subject?', 'query actor?', 'query action?', 'query after?', 'query limit?'],
    answers: { 200: ['One page of audit log entries.', 'Link', 'application/json: schemas/AuditPage'] },
    problems: '400 401 403 503',
  },
  'get /openapi.json': {
    ...{ operationId: 'getOpenApi', summary: 'View this OpenAPI document', scopes: [], parameters: [] },
    answers: { 200: ['The OpenAPI 3.1 document.', 'application/json: schemas/Document'] },
    problems: '',
  },
};

describe('the operations of the document', () => {
  const described = (): Record<string, Json> =>
    Object.fromEntries(
      Object.entries<Json>(document.paths).flatMap(([path, item]) =>
        Object.entries<Json>(item).map(([method, operation]) => [`${method} ${path}`, summaryOf(operation)]),
      ),
    );
  const on = (path: string) =>
    Object.fromEntries(Object.entries(described()).filter(([name]) => name.split(/[ {]/)[1]?.startsWith(path)));

  it('on API keys', () => {
    const filters = ['kind', 'api', 'state', 'q', 'sort', 'limit', 'after'];
    expect(on('/keys')).toEqual(operationsOn('/keys', 'Key', 'key', 'a', filters));
  });

  it('on access keys, their secrets and their public keys', () => {
    const filters = ['state', 'q', 'sort', 'limit', 'after'];
    expect(on('/access-keys')).toEqual({
      ...operationsOn('/access-keys', 'AccessKey', 'access key', 'an', filters),
      ...CREDENTIALS,
    });
  });

  it('on the audit log and the document', () => {
    expect({ ...on('/audit'), ...on('/openapi.json') }).toEqual(OTHERS);
  });

  it('have the same parameters and headers of the same name', () => {
    const operations = Object.values<Json>(document.paths).flatMap((item) => Object.values<Json>(item));
    const parameters = operations.flatMap(({ parameters = [] }) => parameters);
    expect(Object.fromEntries(parameters.map((one) => [`${one.in} ${one.name}`, shortOf(one.schema)]))).toEqual({
      ...{ 'path id': 'string', 'path secretId': 'string', 'path kid': 'string' },
      ...{ 'header If-Match': 'string', 'header If-None-Match': 'string', 'header Idempotency-Key': 'string' },
      'query kind': 'string secret|public',
      'query api': 'string description="Lists only keys that may use this API."',
      'query state': 'string active|disabled|expired|revoked',
      'query q':
        'string description="Lists only keys with this text in their name, ID or hint (the visible characters of the secret)."',
      'query sort': expect.stringMatching(
        /^string \S+ default="\S+" description="A leading minus sorts in descending order. Send the same value for every page of a list."$/,
      ),
      'query limit': 'integer minimum=1 maximum=200 default=50',
      'query after': 'string description="The value of `next` from the previous page."',
      ...{ 'query subject': 'string', 'query actor': 'string', 'query action': 'string' },
      ...{ 'query from': 'string date', 'query to': 'string date' },
    });
    const headers = operations.flatMap(({ responses }) =>
      Object.values<Json>(responses).flatMap((response) => Object.entries<Json>(response.headers ?? {})),
    );
    expect(Object.fromEntries(headers)).toEqual({
      ETag: { description: 'The version of the key.', schema: { type: 'string' } },
      Location: { description: 'The path of the key.', schema: { type: 'string' } },
      Link: { description: 'A link to the next page (RFC 8288), if there is one.', schema: { type: 'string' } },
    });
  });
});

const DESCRIBED = {
  400: 'The request is invalid.',
  401: 'The credential is missing or invalid.',
  403: 'The caller does not have permission for this operation, environment or scope; the account is disabled; or the request comes from a page on another origin.',
  404: 'This account does not have this key, the key does not have this secret or public key, or the account does not exist.',
  408: 'The body took too long to arrive.',
  409: 'The key is revoked, or the idempotency key was already used for a different request.',
  412: 'The key does not have the version that If-Match or If-None-Match requires; read it again and retry.',
  413: 'The body is too large.',
  415: 'The media type of the body is not supported.',
  428: 'The If-Match header is missing.',
  503: 'The service is temporarily unavailable; retry after the number of seconds in the Retry-After header.',
};

it('the document describes the API, its credential and its errors', () => {
  const { paths, components, ...rest } = document;
  expect(rest).toEqual({
    openapi: '3.1.0',
    info: {
      ...{ title: 'Key management', version: '1.0.0' },
      description: 'Create, rotate and revoke API keys and access keys.',
    },
    servers: [{ url: '/' }],
  });
  const { schemas, responses, ...more } = components;
  expect(more).toEqual({ securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } });
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
  expect(responses).toEqual(
    Object.fromEntries(
      Object.entries(DESCRIBED).map(([status, description]) => [`Problem${status}`, { description, content }]),
    ),
  );
});

describe('the schemas of the document', () => {
  const time = 'string date-time';
  const timeOrNull = 'string|null date-time';
  const names = 'array maxItems=100 uniqueItems=true of string';
  const allOrNames = ['string const="all"', names];
  const entries = 'propertyNames={"minLength":1,"maxLength":40}';
  const metadata = `object|null maxProperties=64 ${entries} additionalProperties={"type":"string","maxLength":500}`;
  const limit = {
    requests: 'integer minimum=1 maximum=1000000000',
    seconds: 'integer minimum=1 maximum=604800',
  };
  const confirmation = 'dpop|mtls|true|null';
  const settings = {
    ...{ 'name?': 'string|null maxLength=100', 'channels?': allOrNames, 'platform?': 'string|null' },
    'expiresAt?': timeOrNull,
    'allowedAddresses?': 'array|null minItems=1 maxItems=256 of string',
    'limits?': { 'array|null minItems=1 maxItems=8': limit },
  };
  const newSettings = {
    ...{ ...settings, 'metadata?': metadata },
    'environment?':
      'string live|sandbox description="Default: the environment to which the caller is limited, such as sandbox for a sandbox credential; live if the caller is not limited."',
  };
  const edit = {
    ...{ ...settings, 'disabled?': 'boolean' },
    'metadata?': `object|null ${entries} additionalProperties={"type":["string","null"],"maxLength":500}`,
  };
  const assigned = { 'defaultScopes?': names, 'requireConfirmation?': confirmation };
  const keyScopes = { 'scopes?': 'array|null maxItems=100 uniqueItems=true of string' };
  const more = { '...': 'object' };
  const key = 'schemas/Key';
  const secret = 'string description="Returned only once; a repeated request does not return it again."';
  const count = 'integer minimum=0';
  const counts = { accepted: count, refused: count };
  const lastUse = { lastUsedAt: timeOrNull, lastUsedFrom: 'string|null' };

  it.each<[string, Json]>([
    ['NewKey', { kind: 'string secret|public', apis: allOrNames, ...keyScopes, ...newSettings }],
    ['KeyPatch', { 'apis?': allOrNames, ...keyScopes, ...edit }],
    ['NewAccessKey', { scopes: names, ...assigned, ...newSettings }],
    ['AccessKeyPatch', { 'scopes?': names, ...assigned, ...edit, 'revokeTokens?': 'boolean' }],
    [
      'Rotation',
      {
        'gracePeriod?':
          'number minimum=0 maximum=2592000 description="How long the old secret continues to be accepted after the rotation, in seconds."',
      },
    ],
    ['Nothing', {}],
    ['NewPublicKey', [{ jwk: 'object' }, { pem: 'string' }]],
    [
      'Key',
      {
        ...{ ...more, id: 'string', kind: 'string secret|public|access', account: 'string' },
        ...{ environment: 'string live|sandbox', name: 'string|null' },
        apis: ['string const="all"', 'array of string', 'null'],
        ...{ scopes: 'array|null of string', defaultScopes: 'array|null of string', channels: allOrNames },
        ...{ platform: 'string|null', metadata, allowedAddresses: 'array|null of string' },
        limits: { 'array|null': limit },
        state: 'string active|disabled|expired|revoked',
        ...{ createdAt: time, createdBy: 'string' },
        ...{ expiresAt: timeOrNull, revokedAt: timeOrNull, disabledAt: timeOrNull, lastUsedAt: timeOrNull },
        ...{ version: 'integer', hint: 'string', publicKey: 'string|null', requireConfirmation: confirmation },
        secrets: {
          array: {
            ...{ id: 'string', hint: 'string', createdAt: time, state: 'string current|grace_period|ended' },
            ...{ acceptedUntil: timeOrNull, ...lastUse },
          },
        },
        publicKeys: {
          array: { ...more, kid: 'string', type: 'string', jwk: 'object', createdAt: time, ...lastUse },
        },
      },
    ],
    ['CreatedKey', { ...more, key, secret }],
    ['RepeatedKey', { key }],
    ['CreatedOrRepeatedKey', { ...more, key, 'secret?': secret }],
    ['KeyPage', { ...more, data: `array of ${key}`, next: 'string|null' }],
    [
      'AuditPage',
      {
        ...{ ...more, next: 'string|null' },
        data: {
          array: {
            ...{ ...more, id: 'string', at: time, account: 'string', actor: 'string', role: 'string|null' },
            ...{ action: 'string', outcome: 'string done|refused', subject: 'string|null' },
            ...{ before: 'any', after: 'any', origin: 'string|null' },
          },
        },
      },
    ],
    [
      'KeyUsage',
      {
        ...{ ...more, id: 'string', from: 'string date', to: 'string date', ...counts },
        days: { array: { ...more, day: 'string date', ...counts } },
      },
    ],
    ['Document', 'object'],
    [
      'Problem',
      {
        ...{ ...more, type: 'string', title: 'string', status: 'integer', detail: 'string' },
        code: 'string description="A machine-readable error code."',
        'errors?': {
          array: { ...more, detail: 'string', 'pointer?': 'string', 'parameter?': 'string', 'header?': 'string' },
        },
      },
    ],
  ])('%s', (name, expected) => {
    expect(shortOf(document.components.schemas[name])).toEqual(expected);
  });
});
