import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccessKeyRecord,
  accessTokens,
  apiKeys,
  apiMap,
  requireAny,
  requireApi,
  requireBearer,
  requireScopes,
} from 'keyward';
import { answerOf, lacking, S3 } from '../support/answers.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { createManualClock } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const MAP = {
  files: ['files:read', 'files:write', 'files:own', 'files:admin', 'files:other'],
  billing: ['billing:read', 'billing:all'],
};
const IMPLIES = {
  'files:admin': ['files:own'],
  'files:own': ['files:write', 'billing:read'],
  'files:write': ['files:read'],
};
const apis = apiMap(MAP, { implies: IMPLIES });
const signer = createKey('ES256');

let table: KeyTable;
let assigned: readonly string[];
let api: ServedApp;

beforeAll(async () => {
  const clock = createManualClock();
  table = createKeyTable();
  const keys = apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', apis, clock });
  const issuers = { audience: AUDIENCE, jwks: jwksOf(signer), apis, clock } as const;
  const accessKeys = {
    resolveAccessKey: (id: string): AccessKeyRecord => ({
      ...{ id, account: 'acc_1', environment: 'live', secrets: [{ digest: '0'.repeat(64) }] },
      ...{ scopes: assigned, defaultScopes: [] },
    }),
  };
  const own = accessTokens({ ...issuers, issuer: ISSUER, accessKeys, cache: false });
  const foreign = accessTokens({ ...issuers, issuer: 'https://foreign.test', profile: 'jwt' });
  const gate = requireBearer({ accept: [keys, own, foreign] });
  api = await serveApp((app, handler) => {
    app.get('/read', gate, requireScopes('files:read'), handler);
    app.get('/any', gate, requireAny(requireScopes('files:other'), requireScopes('files:read')), handler);
    app.get('/billing', gate, requireApi('billing'), requireScopes('billing:read'), handler);
    app.get('/other', gate, requireScopes('files:other'), handler);
  });
});
afterAll(() => api.close());

const statusesOf = async (credential: string, ...paths: readonly string[]) => {
  const statuses: number[] = [];
  for (const path of paths) statuses.push((await api.ask(path, credential)).status);
  return statuses;
};
const scopesOf = async (credential: string) => JSON.parse((await api.ask('/read', credential)).body).scopes.sort();

describe('apiMap with implies', () => {
  it('R08 one step: implied', async () => {
    const key = table.add({ apis: ['files'], scopes: ['files:write'] });
    expect(await statusesOf(key, '/read', '/any', '/other')).toEqual([200, 200, 403]);
    expect(await scopesOf(key)).toEqual(['files:read', 'files:write']);
  });

  it('R08 three steps: implied', async () => {
    const key = table.add({ apis: 'all', scopes: ['files:admin'] });
    expect(await statusesOf(key, '/read', '/any', '/billing', '/other')).toEqual([200, 200, 200, 403]);
    expect(await scopesOf(key)).toEqual(['billing:read', 'files:admin', 'files:own', 'files:read', 'files:write']);
  });

  it.each<[string, Record<string, string[]>]>([
    ['itself', { 'files:write': ['files:write'] }],
    ['two', { 'files:write': ['files:read'], 'files:read': ['files:write'] }],
    ['three, reached from a fourth', { ...IMPLIES, 'files:read': ['files:own'] }],
  ])('R08 a cycle of %s: TypeError', (_what, implies) => {
    expect(() => apiMap(MAP, { implies })).toThrow(
      /^apiMap: option "implies" has a cycle: "files:\w+" implies itself$/,
    );
  });

  it.each<[string, unknown, string]>([
    ['a broad scope', { 'files:all': ['files:read'] }, 'names "files:all", which no API lists'],
    ['a narrow scope', { 'files:write': ['files:red'] }, 'names "files:red", which no API lists'],
    ['a name of Object.prototype', { constructor: ['files:read'] }, 'names "constructor", which no API lists'],
  ])('R08 an unlisted scope, %s: TypeError', (_what, implies, message) => {
    expect(() => apiMap(MAP, { implies } as never)).toThrow(new RegExp(`^apiMap: option "implies" ${message}; add it`));
  });

  it.each<[string, unknown, string]>([
    [
      'a list',
      { implies: [] },
      'apiMap: option "implies" must be an object that maps a scope to a list of the scopes that it implies, got an empty array',
    ],
    [
      'null',
      { implies: null },
      'apiMap: option "implies" must be an object that maps a scope to a list of the scopes that it implies, got null',
    ],
    [
      'a text',
      { implies: { 'files:write': 'files:read' } },
      'must map "files:write" to a list of one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
    ],
    [
      'no scope',
      { implies: { 'files:write': [] } },
      'must map "files:write" to a list of one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes',
    ],
    ['another option', { imply: {} }, 'apiMap: unknown option "imply"; the options are implies'],
  ])('refuses %s', (_what, options, message) => {
    expect(() => apiMap(MAP, options as never)).toThrow(TypeError);
    expect(() => apiMap(MAP, options as never)).toThrow(message);
  });

  it('is not affected by later changes of its arguments', () => {
    const implies = { 'files:write': ['files:read'] };
    const map = apiMap(MAP, { implies });
    implies['files:write'].push('billing:all');
    expect([map.implied?.('files:write'), map.implied?.('files:read')]).toEqual([['files:read'], []]);
  });
});

describe('a broader scope where a narrower one is required', () => {
  it('R09 a key: an implied scope adds no API that its record does not list', async () => {
    const key = table.add({ apis: ['files'], scopes: ['files:admin'] });
    expect(await statusesOf(key, '/read', '/any')).toEqual([200, 200]);
    expect(answerOf(await api.ask('/billing', key))).toEqual(S3);
    expect(await scopesOf(key)).toEqual(['files:admin', 'files:own', 'files:read', 'files:write']);
  });

  it('R09 a key: a scope of an API that is not listed implies nothing', async () => {
    const key = table.add({ apis: ['billing'], scopes: ['files:own'] });
    expect(await statusesOf(key, '/read', '/billing')).toEqual([403, 403]);
  });

  it('R09 a token, by the current scopes of its access key', async () => {
    const token = forge(signer, { scope: 'files:own' });
    assigned = ['files:own'];
    expect(await statusesOf(token, '/read', '/any', '/billing', '/other')).toEqual([200, 200, 200, 403]);
    assigned = ['files:write'];
    expect(await statusesOf(token, '/read', '/any')).toEqual([200, 200]);
    expect(answerOf(await api.ask('/billing', token))).toEqual(S3);
    assigned = ['files:other'];
    expect(answerOf(await api.ask('/read', token))).toEqual(lacking('files:read'));
  });

  it('R09 a narrow token of an access key that has only the broad scope', async () => {
    assigned = ['files:admin'];
    expect(await statusesOf(forge(signer, { scope: 'files:read' }), '/read', '/other')).toEqual([200, 403]);
  });

  it('R09 a foreign token', async () => {
    const token = forge(signer, { iss: 'https://foreign.test', scope: 'files:admin' });
    expect(await statusesOf(token, '/read', '/any', '/billing', '/other')).toEqual([200, 200, 200, 403]);
  });
});
