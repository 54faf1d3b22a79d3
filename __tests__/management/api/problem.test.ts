import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { createManagementApi, ManagementError } from 'keyward/management';
import { type ApiClient, type SendOptions, serveApi } from '../../support/api-client.js';
import { managed } from '../../support/managed.js';
import { serve } from '../../support/raw-http.js';

const ID = `key_${'a'.repeat(26)}`;
const NEW = { kind: 'secret', apis: ['payments'] };
const NO_PATH = 'the management API has no operation at this path';
const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  428: 'Precondition Required',
  503: 'Service Unavailable',
};

type Row = readonly [
  ...request: [method: string, path: string, options: SendOptions],
  ...answer: [status: number, code: string, detail: string, headers?: object, place?: object],
];

const ROWS: readonly Row[] = [
  [
    ...(['PUT', '/openapi.json', {}, 405, 'method_not_allowed'] as const),
    'the method is not allowed for this path; use one of GET, HEAD, OPTIONS',
    { allow: 'GET, HEAD, OPTIONS' },
  ],
  [
    ...(['GET', `/keys/${ID}/rotate`, {}, 405, 'method_not_allowed'] as const),
    'the method is not allowed for this path; use one of POST, OPTIONS',
    { allow: 'POST, OPTIONS' },
  ],
  ['GET', '/nothing', {}, 404, 'not_found', NO_PATH],
  ['GET', '/keys/%zz', {}, 404, 'not_found', NO_PATH],
  ['GET', '/Keys', {}, 404, 'not_found', NO_PATH],
  [
    ...(['POST', '/keys', { body: NEW, headers: { 'sec-fetch-site': 'cross-site' } }, 403, 'cross_site'] as const),
    'the request comes from a page on another origin; send a Bearer credential in the Authorization header',
  ],
  [
    ...(['GET', '/keys/key%00a', {}, 400, 'invalid'] as const),
    'id: expected a string without NUL characters',
    {},
    { parameter: 'id' },
  ],
  [
    ...(['GET', `/keys/${ID}/usage?day=1`, {}, 400, 'invalid'] as const),
    'day: unknown query parameter; expected one of from, to',
    {},
    { parameter: 'day' },
  ],
  [
    ...(['GET', `/keys/${ID}?day=1`, {}, 400, 'invalid'] as const),
    'day: unknown query parameter; this operation accepts none',
    {},
    { parameter: 'day' },
  ],
  [
    ...(['PATCH', `/keys/${ID}`, { body: '{}', headers: { 'content-type': 'text/plain' } }] as const),
    ...([415, 'unsupported_media_type'] as const),
    'expected an uncompressed UTF-8 body with the media type application/merge-patch+json or application/json',
    { accept: 'application/merge-patch+json, application/json', connection: 'close' },
  ],
  [
    ...(['POST', '/keys', { body: '{"name":"a","name":"b"}' }, 400, 'invalid'] as const),
    'expected one JSON object, at most 32 levels deep, without duplicate members',
  ],
  [
    ...(['POST', '/keys', { body: `{}${' '.repeat(64 * 1_024)}` }, 413, 'too_large'] as const),
    'the body is larger than 65536 bytes',
    { connection: 'close' },
  ],
  [
    ...(['POST', `/keys/${ID}/rotate`, { body: { request: 1 } }, 400, 'invalid'] as const),
    'request: unknown field; expected only gracePeriod',
    {},
    { pointer: '#/request' },
  ],
  [
    ...(['POST', '/keys', { body: NEW, headers: { 'idempotency-key': 'two words' } }, 400, 'invalid'] as const),
    'idempotencyKey: expected 1 to 256 printable ASCII characters without spaces',
    {},
    { header: 'Idempotency-Key' },
  ],
  [
    ...(['PATCH', `/keys/${ID}`, { body: {} }, 428, 'precondition_required'] as const),
    'the If-Match header is missing; set it to the ETag of the key',
  ],
];

describe('an error of the management API is a problem document', () => {
  const setup = managed('memory');
  let api: ApiClient;

  beforeAll(async () => {
    api = await serveApi(setup.management, setup.store, setup.clock);
  });
  afterAll(() => api.close());

  const documentOf = (status: number, code: string, detail: string, place?: object) => ({
    ...{ type: 'about:blank', title: TITLES[status], status, detail, code },
    ...(place && { errors: [{ ...place, detail }] }),
  });

  it.each(ROWS.map((row) => [`${row[0]} ${row[1]}: ${row[3]}, ${row[5]}`, row] as const))('%s', async (_title, row) => {
    const [method, path, options, status, code, detail, headers = {}, place = undefined] = row;
    const { owner } = await setup.account();
    const reply = await api.send(owner, method, path, options);
    expect([reply.status, reply.body]).toEqual([status, documentOf(status, code, detail, place)]);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      ...{ 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
    });
  });

  it('for a request by nobody, with a challenge', async () => {
    const { status, headers, body } = await api.send(undefined, 'GET', '/keys');
    expect([status, body]).toEqual([401, documentOf(401, 'no_member', 'the caller is not a member of an account')]);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="api"');
  });

  it('a condition that the operation does not have is ignored', async () => {
    const { owner } = await setup.account();
    const { status } = await api.send(owner, 'POST', '/keys', { body: NEW, headers: { 'if-match': 'no tag' } });
    expect(status).toBe(201);
  });

  it('for a precondition that failed', async () => {
    const { owner, key: create } = await setup.account();
    const { key } = await create();
    const { status, body } = await api.send(owner, 'DELETE', `/keys/${key.id}`, { headers: { 'if-match': '"9"' } });
    const detail = 'the key does not have the version that If-Match or If-None-Match requires; read it again and retry';
    expect([status, body]).toEqual([412, documentOf(412, 'version_conflict', detail)]);
  });

  it.each([
    ['unavailable', 503, '1'],
    ['version_conflict', 409, null],
  ] as const)('for a ManagementError %s of memberOf', async (code, status, retryAfter) => {
    const memberOf = () => Promise.reject(new ManagementError(code, 'the account cannot be read'));
    const { port, close } = await serve(express().use(createManagementApi({ management: setup.management, memberOf })));
    const response = await fetch(`http://127.0.0.1:${port}/keys`);
    const body = await response.json();
    await close();
    expect([response.status, body]).toEqual([status, documentOf(status, code, 'the account cannot be read')]);
    expect(response.headers.get('retry-after')).toBe(retryAfter);
  });
});
