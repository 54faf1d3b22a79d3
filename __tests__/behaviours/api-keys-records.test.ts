import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apiKeys, type KeyRecord, requireApi, requireBearer, requireScopes } from 'keyward';
import { A5, answerOf, lacking, S3, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { type ServedApp, serveApp } from '../support/served-app.js';

let table: KeyTable;
let keys: ReturnType<typeof apiKeys>;
let api: ServedApp;
let ear: Eavesdropper;

beforeEach(async () => {
  table = createKeyTable();
  keys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'live' });
  api = await serveApp((app, handler) => {
    const gate = requireBearer({ accept: [keys] });
    app.get('/open', gate, handler);
    app.get('/api/:name', gate, (req, res, next) => requireApi(String(req.params.name))(req, res, next), handler);
    app.get('/scope', gate, requireScopes('payments:refund'), handler);
  });
  ear = eavesdrop();
});

afterEach(() => {
  ear.stop();
  return api.close();
});

const ask = async (path: string, key: string) => answerOf(await api.ask(path, key));
const statusOf = async (path: string, key: string) => (await api.ask(path, key)).status;

const INHERITED = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf'];

describe('names that objects inherit', () => {
  it.each(INHERITED)('P15 "%s" is an ordinary key id', async (id) => {
    const [key, other] = [table.add({ id }), table.add()];
    expect(await ask('/open', id)).toEqual(T1);
    expect([await statusOf('/open', key), await statusOf('/open', other)]).toEqual([200, 200]);
    for (const revoked of [key, other]) table.edit(revoked, { revokedAt: new Date(0) });
    keys.invalidate({ key: id });
    expect([await statusOf('/open', key), await statusOf('/open', other)]).toEqual([401, 200]);
  });

  it.each(INHERITED)('P15 "%s" is an ordinary account id', async (account) => {
    const [key, other] = [table.add({ account }), table.add()];
    expect([await statusOf('/open', key), await statusOf('/open', other)]).toEqual([200, 200]);
    for (const revoked of [key, other]) table.edit(revoked, { revokedAt: new Date(0) });
    keys.invalidate({ account });
    expect([await statusOf('/open', key), await statusOf('/open', other)]).toEqual([401, 200]);
  });

  it.each(INHERITED)('P15 "%s" is an ordinary API name', async (name) => {
    const [key, other] = [table.add({ apis: [name] }), table.add({ apis: ['payments'] })];
    expect([await statusOf(`/api/${name}`, key), await statusOf('/api/payments', key)]).toEqual([200, 403]);
    expect(await ask(`/api/${name}`, other)).toEqual(S3);
    expect(await statusOf('/api/payments', other)).toBe(200);
  });
});

describe('a record that breaks a rule is refused', () => {
  it.each([
    ['apis null', { apis: null }],
    ['apis "payments"', { apis: 'payments' }],
    ['apis an object', { apis: { payments: true } }],
    ['apis a list of numbers', { apis: [1] }],
    ['revokedAt "false"', { revokedAt: 'false' }],
    ['revokedAt 0', { revokedAt: 0 }],
    ['revokedAt true', { revokedAt: true }],
    ['expiresAt "soon"', { expiresAt: 'soon' }],
    ['kind "admin"', { kind: 'admin' }],
    ["a kind that is not that of the key's prefix", { kind: 'public', apis: ['payments'] }],
    ["an environment that is not that of the key's prefix", { environment: 'sandbox' }],
  ])('P16 %s', async (_what, fault) => {
    const key = table.add();
    table.edit(key, fault as unknown as Partial<KeyRecord>);
    expect(await ask('/open', key)).toEqual(A5);
    expect(api.handled()).toBe(0);
    const detail = expect.stringMatching(/^(apis|revokedAt|expiresAt|kind|environment): /);
    expect(ear.heard('keyward:lookup-failure')).toMatchObject([{ of: 'apiKeys', reason: 'record_invalid', detail }]);
  });

  it('P17 a public key with all APIs', async () => {
    const key = table.add({ kind: 'public', apis: 'all' });
    expect(await ask('/open', key)).toEqual(A5);
    expect(ear.heard('keyward:lookup-failure')).toMatchObject([{ reason: 'record_invalid' }]);
  });
});

describe('an API list is compared exactly', () => {
  it('P17 a key without an API: refused where an API or a scope is required', async () => {
    const key = table.add({ apis: [] });
    expect(await statusOf('/open', key)).toBe(200);
    expect(await ask('/api/payments', key)).toEqual(S3);
    expect(await ask('/scope', key)).toEqual(lacking('payments:refund'));
  });

  it('P17 "*" is not a wildcard', async () => {
    const key = table.add({ apis: ['*'] });
    expect(await ask('/api/payments', key)).toEqual(S3);
    expect(await ask('/scope', key)).toEqual(lacking('payments:refund'));
    expect(await statusOf('/api/*', key)).toBe(200);
  });
});
