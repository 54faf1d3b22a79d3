import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeys } from 'keyward';
import { answerOf, U0 } from '../support/answers.js';
import { createKeyTable } from '../support/key-table.js';
import { getRaw } from '../support/raw-http.js';
import { serveTokenApi, type TokenApi } from '../support/token-api.js';
import { basic, GRANT, ID, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const table = createKeyTable();
const key = table.add();
let service: TokenService;
let api: TokenApi;

beforeAll(async () => {
  service = await tokenService();
  api = await serveTokenApi([apiKeys({ resolver: table, kinds: ['secret'], environment: 'live' })]);
});
afterAll(() => Promise.all([service.close(), api.close()]));

describe('a valid credential in the wrong place', () => {
  it.each([
    ['alone, as curl -u sends it', `${key}:`],
    ['with any password', `${key}:x`],
  ])('P25 an API key as Basic user name at a gate, %s: no credential', async (_how, user) => {
    const authorization = `Authorization: Basic ${Buffer.from(user).toString('base64')}`;
    expect(answerOf(await getRaw(api.port, [authorization]))).toEqual(U0);
    expect(table.lookups()).toBe(0);
  });

  it.each([
    ['as Bearer', { authorization: `Bearer ${key}` }],
    ['bare', { authorization: key }],
    ['as Basic user name', basic(key, '')],
    ['as client_id and client_secret', basic(key, key)],
    ['as the secret of an access key', basic(ID, key)],
  ])('P25 an API key at the token endpoint, %s: invalid_client, with a challenge', async (_how, headers) => {
    const response = await service.post(GRANT, headers);
    expect([response.status, await response.text()]).toEqual([401, '{"error":"invalid_client"}']);
    expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/);
  });

  it('T28 an access token at the token endpoint obtains no other', async () => {
    const { access_token: token } = (await (await service.post(GRANT, basic(ID, SECRET))).json()) as {
      access_token: string;
    };
    const response = await service.post(GRANT, { authorization: `Bearer ${token}` });
    expect([response.status, await response.text()]).toEqual([401, '{"error":"invalid_client"}']);
  });
});
