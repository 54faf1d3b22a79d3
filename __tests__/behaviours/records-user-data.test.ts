import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { RequestHandler } from 'express';
import { type AccessKeyRecord, accessTokens, apiKeys, authOf, type KeyRecord, requireBearer } from 'keyward';
import { A5, answerOf, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { createManualClock, type ManualClock, START } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const signer = createKey('ES256');
const token = forge(signer, { scope: 'payments', exp: START / 1_000 + 1_000_000 });
const NO_SECRETS = [{ digest: '0'.repeat(64) }];

let table: KeyTable;
let clock: ManualClock;
let accessKey: Partial<AccessKeyRecord>;
let behindProxy: ServedApp;
let direct: ServedApp;
let ear: Eavesdropper;

beforeAll(async () => {
  clock = createManualClock();
  table = createKeyTable();
  const keys = apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock });
  const accessKeys = {
    resolveAccessKey: (id: string): AccessKeyRecord => ({
      ...{ id, account: 'acc_1', environment: 'live', secrets: NO_SECRETS, scopes: ['payments'], defaultScopes: [] },
      ...accessKey,
    }),
  };
  const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), accessKeys, clock });
  const gate = requireBearer({ accept: [keys, tokens] });
  const spoil: RequestHandler = (req, _res, next) => {
    const { metadata, allowedAddresses } = authOf(req) ?? {};
    Reflect.set(metadata ?? {}, 'plan', 'free');
    Reflect.set(allowedAddresses ?? [], 0, '0.0.0.0/0');
    next();
  };
  direct = await serveApp((app, handler) => void app.get('/', gate, spoil, handler));
  behindProxy = await serveApp((app, handler) => void app.set('trust proxy', 1).get('/', gate, spoil, handler));
});
afterAll(() => Promise.all([direct.close(), behindProxy.close()]));

beforeEach(() => {
  ear = eavesdrop();
  accessKey = {};
  // Beyond the time that anything is cached.
  clock.advance(11_000);
});
afterEach(() => ear.stop());

const from = (address: string) => ({ headers: { 'X-Forwarded-For': address } });
/** Asks with a key or token from an address, as a trusted proxy reports it. */
const askFrom = async (address: string, credential: string) =>
  answerOf(await behindProxy.ask('/', credential, from(address)));
const statusFrom = async (address: string, credential: string) => (await askFrom(address, credential)).status;

const entries = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 'x']));

describe('metadata', () => {
  it.each<[string, Record<string, string>]>([
    ['two entries', { plan: 'gold', region: 'eu' }],
    ['64 entries of the longest', { ...entries(63), ['n'.repeat(40)]: 'v'.repeat(500) }],
    ['none', {}],
  ])('R18 %s: on the principal, frozen', async (_what, metadata) => {
    const key = table.add({ metadata });
    accessKey = { metadata };
    for (const credential of [key, token]) {
      for (let again = 0; again < 2; again += 1) {
        const { status, body } = await direct.ask('/', credential);
        expect([status, JSON.parse(body).metadata]).toEqual([200, metadata]);
      }
    }
  });

  it.each<[string, unknown]>([
    ['65 entries', entries(65)],
    ['a name of 41 characters', { ['n'.repeat(41)]: 'x' }],
    ['a name of none', { '': 'x' }],
    ['a value of 501 characters', { plan: 'v'.repeat(501) }],
    ['a value that is a number', { seats: 5 }],
    ['a value that is null', { plan: null }],
    ['a value that is an object', { plan: { name: 'gold' } }],
    ['the name __proto__', JSON.parse('{"__proto__":"x"}')],
    ['the name constructor', { constructor: 'x' }],
    ['a list', ['gold']],
    ['a text', 'gold'],
  ])('R18 %s: A5', async (_what, metadata) => {
    const key = table.add({ metadata } as Partial<KeyRecord>);
    accessKey = { metadata: metadata as Record<string, string> };
    expect(answerOf(await direct.ask('/', key))).toEqual(A5);
    expect(answerOf(await direct.ask('/', token))).toEqual(A5);
    const [failure] = ear.heard('keyward:lookup-failure');
    expect(failure).toMatchObject({
      reason: 'record_invalid',
      detail: expect.stringMatching(/^metadata: expected at/),
    });
  });
});

describe('allowedAddresses', () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ['an address', '203.0.113.7', ['203.0.113.7', '::ffff:203.0.113.7', '::ffff:cb00:7107'], ['203.0.113.8', '::1']],
    ['a network', '10.1.0.0/16', ['10.1.0.0', '10.1.255.255'], ['10.0.255.255', '10.2.0.0']],
    ['the smallest network', '10.1.2.3/32', ['10.1.2.3'], ['10.1.2.2', '10.1.2.4']],
    ['all of IPv4', '0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['2001:db8::1']],
    ['an IPv6 address', '2001:db8::7', ['2001:db8::7', '2001:DB8:0:0:0:0:0:7'], ['2001:db8::8', '203.0.113.7']],
    ['an IPv6 network', '2001:db8::/32', ['2001:db8::', '2001:db8:ffff::1'], ['2001:db7:ffff::1', '2001:db9::']],
    ['an address behind a port', '192.0.2.1', ['192.0.2.1:55', '[::ffff:192.0.2.1]:1'], ['192.0.2.2:55']],
    ['an IPv6 network behind a port', '2001:db8::/64', ['[2001:db8::5]:1', '2001:db8::5%eth0'], ['[2001:db8:1::5]:1']],
    ['a network behind NAT64', '192.0.2.0/24', ['64:ff9b::c000:201'], ['64:ff9b::c000:301']],
    ['NAT64 itself', '64:ff9b::/96', ['64:ff9b::c000:201'], ['192.0.2.1']],
    ['a mapped network', '::ffff:192.0.2.0/120', ['192.0.2.0', '192.0.2.255'], ['192.0.3.0']],
  ])('R19 %s: 200 from inside, T1 from outside', async (_what, range, inside, outside) => {
    const key = table.add({ allowedAddresses: ['198.51.100.1', range] });
    accessKey = { allowedAddresses: [range] };
    for (const credential of [key, token]) {
      for (const address of inside) expect([address, await statusFrom(address, credential)]).toEqual([address, 200]);
      for (const address of outside) expect(await askFrom(address, credential)).toEqual(T1);
    }
  });

  it('R19 a cached key is checked on every request, and the event has the reason', async () => {
    const key = table.add({ allowedAddresses: ['203.0.113.7'] });
    const addresses = ['203.0.113.7', '203.0.113.8', '203.0.113.7', '203.0.113.8'];
    const statuses: number[] = [];
    for (const address of addresses) statuses.push(await statusFrom(address, key));
    expect(statuses).toEqual([200, 401, 200, 401]);
    const refused = {
      outcome: 'refused',
      reason: 'address_not_allowed',
      code: 'invalid_token',
      keyId: table.recordOf(key).id,
    };
    expect(ear.heard('keyward:decision')[1]).toMatchObject(refused);
  });

  it('R19 without `trust proxy` the address is that of the connection, not of a header', async () => {
    const [key, local] = [
      table.add({ allowedAddresses: ['203.0.113.7'] }),
      table.add({ allowedAddresses: ['127.0.0.1'] }),
    ];
    expect(answerOf(await direct.ask('/', key, from('203.0.113.7')))).toEqual(T1);
    expect((await direct.ask('/', local, from('203.0.113.7'))).status).toBe(200);
    expect(await askFrom('203.0.113.7', local)).toEqual(T1);
  });

  it.each(['unknown', '203.0.113.7.', '_hidden'])('R19 a proxy that sends %j: T1', async (address) => {
    expect(await askFrom(address, table.add({ allowedAddresses: ['0.0.0.0/0', '::/0'] }))).toEqual(T1);
  });

  it.each<[string, unknown]>([
    ['an empty list', []],
    ['a text', '203.0.113.7'],
    ['257 entries', Array(257).fill('203.0.113.7')],
    ['a name', ['localhost']],
    ['a port', ['203.0.113.7:443']],
    ['a number too large', ['203.0.113.256']],
    ['a leading zero', ['203.0.113.07']],
    ['a prefix too long', ['203.0.113.0/33']],
    ['an IPv6 prefix too long', ['2001:db8::/129']],
    ['a prefix that is no number', ['203.0.113.0/a']],
    ['a prefix with a leading zero', ['203.0.113.0/08']],
    ['no prefix', ['203.0.113.0/']],
    ['two prefixes', ['203.0.113.0/8/8']],
    ['a mask', ['203.0.113.0/255.255.255.0']],
    ['a scope id', ['fe80::1%eth0']],
    ['a number', [7]],
  ])('R19 %s: A5', async (_what, allowedAddresses) => {
    const key = table.add({ allowedAddresses } as Partial<KeyRecord>);
    accessKey = { allowedAddresses: allowedAddresses as string[] };
    expect(answerOf(await direct.ask('/', key))).toEqual(A5);
    expect(answerOf(await direct.ask('/', token))).toEqual(A5);
  });

  it('R19 the list on the principal is frozen', async () => {
    const key = table.add({ allowedAddresses: ['127.0.0.1'] });
    for (let again = 0; again < 2; again += 1) {
      expect(JSON.parse((await direct.ask('/', key)).body).allowedAddresses).toEqual(['127.0.0.1']);
    }
    expect(await askFrom('203.0.113.8', key)).toEqual(T1);
  });
});
