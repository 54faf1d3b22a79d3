import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import {
  accessTokens,
  apiKeys,
  assertGuarded,
  type CredentialVerifier,
  requireApi,
  requireBearer,
  requireKeyKind,
} from 'keyward';
import { keywardFormat, mintKey } from '../../lib/credentials/keyward-format.js';
import { answerOf, S3, T1 } from '../support/answers.js';
import { createKeyTable, type KeyTable, type KeyTraits } from '../support/key-table.js';
import { createManualClock, type ManualClock, START } from '../support/manual-clock.js';
import { getRaw } from '../support/raw-http.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, ISSUER, jwksOf } from '../support/token-forge.js';

const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(createKey('ES256')) });

let table: KeyTable;
let clock: ManualClock;
let api: ServedApp;

/** A platform of live keys: payments for who reaches it, /cards for both kinds, /refunds for secret keys alone. */
beforeEach(async () => {
  table = createKeyTable();
  clock = createManualClock();
  const keys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'live', clock });
  const secretKeys = apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock });
  const sandboxKeys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'sandbox', clock });
  const gate = (...accept: readonly CredentialVerifier[]) => requireBearer({ accept });
  api = await serveApp((app, handler) => {
    app.all('/payments', gate(tokens, keys), requireApi('payments'), handler);
    app.all('/cards', gate(tokens, keys), handler);
    app.all('/refunds', gate(tokens, keys), requireKeyKind('secret', 'access'), handler);
    app.all('/reports', gate(tokens), handler);
    app.all('/secret', gate(secretKeys), handler);
    app.all('/sandbox', gate(sandboxKeys), handler);
  });
});

afterEach(() => api.close());

const ask = async (path: string, key: string) => answerOf(await api.ask(path, key));

/** The whole answer as it stands on the wire, but for its date. */
async function bytesOf(key: string): Promise<string> {
  const { text } = await getRaw(api.port, [`Authorization: Bearer ${key}`], '/payments');
  return text.replace(/^Date: .*$/m, 'Date:');
}

/** The same key but for one character, with the check character that fits. */
function neighbourOf(key: string): string {
  const [at, body] = [key.length - 2, 'abcdefghijklmnopqrstuvwxyz234567'];
  const other = key.charAt(at) === 'a' ? 'b' : 'a';
  const candidates = [...body].map((check) => `${key.slice(0, at)}${other}${check}`);
  return candidates.find((candidate) => typeof keywardFormat.read(candidate) === 'object') ?? '';
}

describe('a valid key', () => {
  it('P01 a secret key on an API in its list', async () => {
    const traits: KeyTraits = { id: 'key_9', account: 'acc_9', apis: ['payments', 'disputes'], channels: ['c1'] };
    const reply = await api.ask('/payments', table.add(traits));
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toEqual({
      kind: 'secret',
      keyId: 'key_9',
      account: 'acc_9',
      environment: 'live',
      apis: ['payments', 'disputes'],
      scopes: 'all',
      channels: ['c1'],
    });
  });

  it('P02 a public key on a route that is open to public keys', async () => {
    const reply = await api.ask('/cards', table.add({ kind: 'public', apis: ['cards'] }));
    expect([reply.status, JSON.parse(reply.body).kind]).toEqual([200, 'public']);
  });

  it('P03 a public key on a route for secret keys only', async () => {
    expect(await ask('/refunds', table.add({ kind: 'public', apis: ['refunds'] }))).toEqual(S3);
    expect(api.handled()).toBe(0);
  });
});

describe('a key that is not accepted here', () => {
  it('P04 at a gate without apiKeys()', async () => {
    expect(await ask('/reports', table.add())).toEqual(T1);
    expect(table.lookups()).toBe(0);
  });

  it('P04 of a kind that the gate does not accept', async () => {
    expect(await ask('/secret', table.add({ kind: 'public' }))).toEqual(T1);
    expect(table.lookups()).toBe(0);
  });

  it('P04 a route that accepts keys, without a gate or guard that names kinds', () => {
    const foreign: CredentialVerifier = { verify: () => ({ outcome: 'declined' }) };
    const app = express();
    app.get('/payments', requireBearer({ accept: [foreign] }), requireApi('payments'), () => {});
    expect(() => assertGuarded(app)).toThrow('GET /payments may accept keys, but no guard restricts the kinds');
  });

  it.each([
    ['a live key at the sandbox', 'live', '/sandbox'],
    ['a sandbox key at the live API', 'sandbox', '/payments'],
  ] as const)('P07 %s', async (_what, environment, path) => {
    expect(await ask(path, table.add({ environment }))).toEqual(T1);
    expect(table.lookups()).toBe(0);
  });
});

describe('a key that is not valid', () => {
  it('P05 well formed and unknown: one lookup, and no further one for a second', async () => {
    const key = mintKey('secret', 'live');
    expect(await ask('/payments', key)).toEqual(T1);
    clock.advance(999);
    expect(await ask('/payments', key)).toEqual(T1);
    expect(table.lookups()).toBe(1);
    clock.advance(1);
    expect(await ask('/payments', key)).toEqual(T1);
    expect([table.lookups(), api.handled()]).toEqual([2, 0]);
  });

  it.each([
    ['revoked', (key: string) => table.edit(key, { revokedAt: new Date(START - 1) })],
    ['expired', (key: string) => table.edit(key, { expiresAt: new Date(START - 1) })],
    ['deleted', (key: string) => table.remove(key)],
    ['rotated out', (key: string) => table.edit(key, { revokedAt: new Date(START), name: 'old key of a rotate' })],
    ['disabled', (key: string) => table.edit(key, { disabled: true })],
    ['of an account that is disabled', (key: string) => table.edit(key, { account: 'acc_off', disabled: true })],
  ])('P06 %s: the same bytes as for an unknown key', async (_what, end) => {
    const unknown = await bytesOf(mintKey('secret', 'live'));
    const key = table.add();
    end(key);
    expect(await bytesOf(key)).toBe(unknown);
    expect(unknown).toContain('invalid_token');
    expect(api.handled()).toBe(0);
  });

  it('P12 unknown, wrong and revoked: the same work and the same bytes', async () => {
    const revoked = table.add({ revokedAt: new Date(START) });
    const candidates = [mintKey('secret', 'live'), neighbourOf(table.add()), revoked];
    const work: { readonly bytes: string; readonly lookups: number }[] = [];
    for (const key of candidates) {
      const before = table.lookups();
      work.push({ bytes: await bytesOf(key), lookups: table.lookups() - before });
    }
    expect(work[0]?.lookups).toBe(1);
    expect(work).toEqual(Array(3).fill(work[0]));
  });

  it.each([
    ['revoked', (key: string) => table.edit(key, { revokedAt: new Date(START - 1) })],
    ['expired', (key: string) => table.edit(key, { expiresAt: new Date(START - 1) })],
    ['disabled', (key: string) => table.edit(key, { disabled: true })],
    ['deleted', (key: string) => table.remove(key)],
    ['revoked and then deleted', revokeAndDelete],
    ['expired while it was cached', (key: string) => letExpire(key)],
    ['disabled before its end', (key: string) => endEarly(key, () => table.edit(key, { disabled: true }))],
    ['revoked before its end', (key: string) => endEarly(key, () => table.edit(key, { revokedAt: new Date(START) }))],
    ['deleted before its end', (key: string) => endEarly(key, () => table.remove(key))],
  ])('N08 %s: looked up as often as an unknown key', async (_what, end) => {
    const key = table.add();
    await end(key);
    expect(await workOf(key)).toEqual(await workOf(mintKey('secret', 'live')));
  });

  /** The lookups of each of seven tries, before and after `negativeTtl`, and beside a store that fails. */
  async function workOf(key: string) {
    const lookups: number[] = [];
    for (const wait of [0, 1, 998, 1, 1_000, 60_000, 86_400_000]) {
      clock.advance(wait);
      const before = table.lookups();
      expect(await ask('/payments', key)).toEqual(T1);
      lookups.push(table.lookups() - before);
    }
    expect(lookups).toEqual([1, 0, 0, 1, 1, 1, 1]);
    return lookups;
  }

  async function letExpire(key: string) {
    table.edit(key, { expiresAt: new Date(clock.now() + 1) });
    expect((await api.ask('/payments', key)).status).toBe(200);
    clock.advance(1);
  }

  /** The key would have been valid for another year, and an entry of it is cached. */
  async function endEarly(key: string, end: () => void) {
    table.edit(key, { expiresAt: new Date(START + 365 * 86_400_000) });
    expect((await api.ask('/payments', key)).status).toBe(200);
    end();
    clock.advance(10_000);
  }

  async function revokeAndDelete(key: string) {
    table.edit(key, { revokedAt: new Date(START - 1) });
    expect(await ask('/payments', key)).toEqual(T1);
    table.remove(key);
    clock.advance(1_000);
  }

  it('P23 expiresAt passes between two requests of a cached key', async () => {
    const key = table.add({ expiresAt: new Date(START + 1_000) });
    clock.advance(999);
    expect((await api.ask('/payments', key)).status).toBe(200);
    clock.advance(1);
    expect(await ask('/payments', key)).toEqual(T1);
    expect(await ask('/payments', key)).toEqual(T1);
    expect(table.lookups()).toBe(2);
  });
});

describe('a text that is not a key', () => {
  const key = mintKey('secret', 'live');

  it('P08 the check character is wrong', async () => {
    expect(await ask('/payments', key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'))).toEqual(T1);
    expect(table.lookups()).toBe(0);
  });

  it.each([
    ['one character too long', `${key}a`],
    ['one character too short', key.slice(0, -1)],
    ['its prefix alone', 'sk_sbox'],
    ['a prefix with an empty body', 'sk_'],
    ['its prefix in capitals', key.replace('sk_', 'SK_')],
    ["another brand's prefix", key.replace('sk_', 'rk_live_')],
  ])('P09 %s', async (_what, text) => {
    expect(await ask('/payments', text)).toEqual(T1);
    expect(table.lookups()).toBe(0);
  });

  it('P10 one character and the check character changed: one lookup', async () => {
    const known = table.add();
    expect(await ask('/payments', neighbourOf(known))).toEqual(T1);
    expect(table.lookups()).toBe(1);
    expect((await api.ask('/payments', known)).status).toBe(200);
  });

  it.each([
    ['its prefix and last four characters', (known: string) => `sk_${known.slice(-4)}`],
    ['the id of its record', (known: string) => table.recordOf(known).id],
  ])('P11 only the part of a key that the Dashboard shows: %s', async (_what, shown) => {
    expect(await ask('/payments', shown(table.add()))).toEqual(T1);
    expect(table.lookups()).toBe(0);
  });
});
