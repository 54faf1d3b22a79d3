import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiClient, serveApi } from '../../support/api-client.js';
import { type Holder, managed } from '../../support/managed.js';

const setup = managed('memory');
let api: ApiClient;
let holder: Holder;

beforeAll(async () => {
  api = await serveApi(setup.management, setup.store, setup.clock);
  holder = await setup.account();
});
afterAll(() => api.close());

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const JWK = publicKey.export({ format: 'jwk' });
const PEM = publicKey.export({ format: 'pem', type: 'spki' });

/** Sends a body to the path of a new API key or access key. */
async function send(method: string, path: string, body: object) {
  const { key } = await (path.startsWith('/keys') ? holder.key() : holder.accessKey());
  return await api.send(holder.owner, method, path.replace('{id}', key.id), { body, headers: { 'if-match': '*' } });
}

it.each([
  ['a JWK', { jwk: JWK }],
  ['a PEM text', { pem: PEM }],
])('adds a public key that is %s', async (_what, body) => {
  const { status, headers, body: key } = await send('POST', '/access-keys/{id}/public-keys', body);
  expect([status, headers.get('etag')]).toEqual([201, '"2"']);
  expect(key.publicKeys).toMatchObject([{ jwk: { kty: 'EC', x: JWK.x, y: JWK.y } }]);
});

const EXPECTED_JWK = 'expected a public key as a JWK';
const EXPECTED_PEM = 'expected a public key in PEM format';
const EXPECTED_SECONDS = 'expected a number of seconds from 0 to 2592000';
const UNKNOWN = 'unknown field; ';
const NO_FIELDS = `${UNKNOWN}this operation accepts no fields`;

describe('a body that is refused says what was expected:', () => {
  it.each<[what: string, path: string, body: object, field: string, expected: string]>([
    ['no public key', '/access-keys/{id}/public-keys', {}, 'jwk', EXPECTED_JWK],
    ['null as a JWK', '/access-keys/{id}/public-keys', { jwk: null }, 'jwk', EXPECTED_JWK],
    ['a PEM text as a JWK', '/access-keys/{id}/public-keys', { jwk: PEM }, 'jwk', EXPECTED_JWK],
    ['the JSON text of a JWK', '/access-keys/{id}/public-keys', { jwk: JSON.stringify(JWK) }, 'jwk', EXPECTED_JWK],
    ['null as a PEM text', '/access-keys/{id}/public-keys', { pem: null }, 'pem', EXPECTED_PEM],
    ['a JWK as a PEM text', '/access-keys/{id}/public-keys', { pem: JWK }, 'pem', EXPECTED_PEM],
    ['two public keys', '/access-keys/{id}/public-keys', { jwk: JWK, pem: PEM }, 'jwk', `${UNKNOWN}expected only pem`],
    ['another name', '/access-keys/{id}/public-keys', { key: JWK }, 'key', `${UNKNOWN}expected only jwk`],
    ['a field for a secret', '/access-keys/{id}/secrets', { a: 1 }, 'a', NO_FIELDS],
    ['a field for the end', '/keys/{id}/end-grace-period', { now: true }, 'now', NO_FIELDS],
    ['another name', '/keys/{id}/rotate', { grace: 1 }, 'grace', `${UNKNOWN}expected only gracePeriod`],
    ['a grace period as text', '/keys/{id}/rotate', { gracePeriod: '60' }, 'gracePeriod', EXPECTED_SECONDS],
    ['null as a grace period', '/keys/{id}/rotate', { gracePeriod: null }, 'gracePeriod', EXPECTED_SECONDS],
    ['a negative grace period', '/keys/{id}/rotate', { gracePeriod: -1 }, 'gracePeriod', EXPECTED_SECONDS],
    ['31 days', '/keys/{id}/rotate', { gracePeriod: 31 * 86_400 }, 'gracePeriod', EXPECTED_SECONDS],
    ['a version', '/keys/{id}', { version: 1 }, 'version', `${UNKNOWN}send the version in the If-Match header`],
  ])('%s, %s', async (_what, path, body, field, expected) => {
    const answer = await send(path.endsWith('}') ? 'PATCH' : 'POST', path, body);
    const detail = `${field}: ${expected}`;
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
    expect(answer.body).toEqual({
      ...{ type: 'about:blank', title: 'Bad Request', status: 400, code: 'invalid', detail },
      errors: [{ pointer: `#/${field}`, detail }],
    });
  });
});

it.each(['from', 'to'])('names the day that is wrong: %s', async (name) => {
  const { key } = await holder.key();
  const { status, body } = await api.send(holder.owner, 'GET', `/keys/${key.id}/usage?${name}=yesterday`);
  const detail = `${name}: expected a date, such as 2030-01-31`;
  expect([status, body.detail, body.errors]).toEqual([400, detail, [{ parameter: name, detail }]]);
});
