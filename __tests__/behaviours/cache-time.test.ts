import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { accessTokens, apiKeys, requireBearer } from 'keyward';
import { A5, answerOf, T1 } from '../support/answers.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { createManualClock, type ManualClock, START } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf, NOW } from '../support/token-forge.js';

const signer = createKey('ES256');
const HOUR = 3_600_000;

let table: KeyTable;
let clock: ManualClock;
let api: ServedApp;

beforeEach(async () => {
  table = createKeyTable();
  clock = createManualClock();
  const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock });
  const keys = apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock });
  const longLived = apiKeys({ resolver: table.watched, kinds: ['secret'], environment: 'live', clock });
  api = await serveApp((app, handler) => {
    app.get('/', requireBearer({ accept: [tokens, keys] }), handler);
    app.get('/watched', requireBearer({ accept: [longLived] }), handler);
  });
});

afterEach(() => api.close());

const ask = async (credential: string) => answerOf(await api.ask('/', credential));
const statusOf = async (credential: string, path = '/') => (await api.ask(path, credential)).status;

describe('cached credentials end on time', () => {
  it('X06 a cached token reaches exp', async () => {
    const token = forge(signer, { exp: NOW + 8 });
    clock.advance(7_999);
    expect([await statusOf(token), await statusOf(token)]).toEqual([200, 200]);
    clock.advance(1);
    expect(await ask(token)).toEqual(T1);
  });

  it('X06 a cached key reaches expiresAt', async () => {
    const key = table.add({ expiresAt: new Date(START + 8_000) });
    clock.advance(7_999);
    expect([await statusOf(key), await statusOf(key)]).toEqual([200, 200]);
    clock.advance(1);
    expect(await ask(key)).toEqual(T1);
    // Looked up again, as an unknown key would be (N08).
    expect(table.lookups()).toBe(2);
  });

  it('X07 a token that is refused for nbf is accepted from that time on', async () => {
    const token = forge(signer, { nbf: NOW + 10 });
    expect(await ask(token)).toEqual(T1);
    clock.advance(10_000);
    expect(await statusOf(token)).toBe(200);
  });
});

describe('wrong clocks', () => {
  it('X08 the wall clock jumps two hours ahead', async () => {
    const [key, mortal] = [table.add(), table.add({ expiresAt: new Date(START + HOUR) })];
    const token = forge(signer, { exp: NOW + 3_600 });
    for (const credential of [key, mortal, token]) expect(await statusOf(credential)).toBe(200);
    clock.setWall(2 * HOUR);
    expect(await ask(token)).toEqual(T1);
    expect(await ask(mortal)).toEqual(T1);
    expect(await statusOf(key)).toBe(200);
    // The age is what the larger clock says: both keys were looked up again.
    expect(table.lookups()).toBe(4);
  });

  it('X08 the wall clock jumps two hours back', async () => {
    const key = table.add();
    const mortal = table.add({ expiresAt: new Date(START + 5_000) });
    expect([await statusOf(key), await statusOf(mortal)]).toEqual([200, 200]);
    clock.advance(9_999);
    expect(await ask(mortal)).toEqual(T1);
    clock.setWall(-2 * HOUR);
    clock.advance(1);
    table.edit(key, { disabled: true });
    table.remove(mortal);
    expect(await ask(key)).toEqual(T1);
    expect(await ask(mortal)).toEqual(T1);
  });

  it('X08 the wall clock jitters by five minutes', async () => {
    const [key, gone] = [table.add({ expiresAt: new Date(START + HOUR) }), table.add()];
    expect([await statusOf(key), await statusOf(gone)]).toEqual([200, 200]);
    table.edit(gone, { revokedAt: new Date(START) });
    clock.setWall(300_000);
    expect([await statusOf(key), await statusOf(gone)]).toEqual([200, 401]);
    for (const by of [-600_000, 600_000, -300_000]) {
      clock.setWall(by);
      expect([await statusOf(key), await statusOf(gone)]).toEqual([200, 401]);
    }
  });

  it('X08 the monotonic clock stands still while the machine sleeps', async () => {
    const key = table.add();
    expect([await statusOf(key), await statusOf(key, '/watched')]).toEqual([200, 200]);
    clock.suspend(10_000);
    table.edit(key, { disabled: true });
    expect([await statusOf(key), await statusOf(key, '/watched')]).toEqual([401, 401]);
  });
});

describe('the store cannot be reached', () => {
  const down = () => {
    throw new Error('connect ECONNREFUSED');
  };

  it('X19 an entry that was confirmed within staleIfError', async () => {
    const key = table.add();
    expect(await statusOf(key)).toBe(200);
    table.answer(down);
    clock.advance(30_000);
    expect(await statusOf(key)).toBe(200);
  });

  it('X19 an older one', async () => {
    const key = table.add();
    expect(await statusOf(key)).toBe(200);
    table.answer(down);
    clock.advance(30_001);
    expect(await ask(key)).toEqual(A5);
  });

  it('X19 a key that is known to be revoked: never accepted again', async () => {
    const key = table.add({ revokedAt: new Date(START) });
    expect(await ask(key)).toEqual(T1);
    table.answer(down);
    for (const by of [1_000, 30_001, 86_400_000]) {
      clock.advance(by);
      expect(await ask(key)).toEqual(T1);
    }
    expect(table.lookups()).toBe(4);
  });

  it('X20 a key that was never seen: A5, never 401, and no negative entry', async () => {
    const key = table.add();
    table.answer(down);
    expect(await ask(key)).toEqual(A5);
    expect(await ask(key)).toEqual(A5);
    table.answer(undefined);
    expect(await statusOf(key)).toBe(200);
    expect(table.lookups()).toBe(3);
  });
});
