import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accessTokens, apiKeys, requireApi, requireBearer, requireScopes } from 'keyward';
import { answerOf, lacking, S3 } from '../support/answers.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { createManualClock } from '../support/manual-clock.js';
import { type ServedApp, serveApp, type Turn } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const signer = createKey('ES256');
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

let table: KeyTable;
let api: ServedApp;

/** Two APIs behind one gate. */
beforeEach(async () => {
  table = createKeyTable();
  const clock = createManualClock();
  const accept = [
    accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock }),
    apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock }),
  ];
  api = await serveApp((app, handler) => {
    app.use(requireBearer({ accept }));
    app.all('/payments', requireApi('payments'), handler);
    app.all('/disputes', requireApi('disputes'), handler);
    app.all('/scoped', requireScopes('payments'), handler);
  });
});

afterEach(() => api.close());

const ask = async (path: string, credential: string) => answerOf(await api.ask(path, credential));
const statusOf = async (path: string, credential: string) => (await api.ask(path, credential)).status;

describe('a key limited to one API has no access to the others', () => {
  it('S01 a key for disputes only, on payments, with every method', async () => {
    const key = table.add({ apis: ['disputes'] });
    for (const method of METHODS) expect(answerOf(await api.ask('/payments', key, { method }))).toEqual(S3);
    expect(api.handled()).toBe(0);
  });

  it('S02 also refused if it is cached from disputes', async () => {
    const key = table.add({ apis: ['disputes'] });
    expect(await statusOf('/disputes', key)).toBe(200);
    expect(await ask('/payments', key)).toEqual(S3);
    expect([table.lookups(), api.handled()]).toEqual([1, 1]);
  });

  it('S02 also refused in turns, a thousand times', async () => {
    const key = table.add({ apis: ['disputes'] });
    await api.ask('/disputes', key);
    const turns = Array.from({ length: 1_000 }, (_, at): Turn => [at % 2 === 0 ? '/disputes' : '/payments', key]);
    const statuses = (await api.askPipelined(turns)).map(({ status }) => status);
    expect(statuses).toEqual(turns.map(([path]) => (path === '/disputes' ? 200 : 403)));
    expect([table.lookups(), api.handled()]).toEqual([1, 501]);
  });

  it('S02 also refused concurrently, a hundred times', async () => {
    const key = table.add({ apis: ['disputes'] });
    const paths = Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? '/disputes' : '/payments'));
    const statuses = await Promise.all(paths.map((path) => statusOf(path, key)));
    expect(statuses).toEqual(paths.map((path) => (path === '/disputes' ? 200 : 403)));
    expect([table.lookups(), api.handled()]).toEqual([1, 50]);
  });

  it('S03 after a refusal on payments it is accepted on disputes', async () => {
    const key = table.add({ apis: ['disputes'] });
    expect(await ask('/payments', key)).toEqual(S3);
    expect(await statusOf('/disputes', key)).toBe(200);
  });

  it('S05 one key with both APIs', async () => {
    const key = table.add({ apis: ['payments', 'disputes'] });
    expect([await statusOf('/payments', key), await statusOf('/disputes', key)]).toEqual([200, 200]);
  });

  it('S05 two keys with one API each', async () => {
    const [payments, disputes] = [table.add({ apis: ['payments'] }), table.add({ apis: ['disputes'] })];
    const statuses: number[] = [];
    for (const key of [payments, disputes, payments]) {
      for (const path of ['/payments', '/disputes']) statuses.push(await statusOf(path, key));
    }
    expect(statuses).toEqual([200, 403, 403, 200, 200, 403]);
  });
});

describe('a token has access to the APIs of its scopes', () => {
  const token = forge(signer, { scope: 'disputes' });

  it('S06 only disputes, where an API is required: refused without a scope in the challenge', async () => {
    expect(await ask('/payments', token)).toEqual(S3);
  });

  it('S06 only disputes, where a scope is required: refused with the scope in the challenge', async () => {
    expect(await ask('/scoped', token)).toEqual(lacking('payments'));
  });
});
