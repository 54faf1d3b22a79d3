import nodeCrypto, { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { accessTokens, apiKeys, requireBearer } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { answerOf, T1 } from '../support/answers.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { law } from '../support/law.js';
import { createManualClock } from '../support/manual-clock.js';
import { type ServedApp, serveApp, type Turn } from '../support/served-app.js';
import {
  AUDIENCE,
  assemble,
  claimsOf,
  createKey,
  forge,
  headerOf,
  ISSUER,
  jwksOf,
  signedBy,
  unsigned,
} from '../support/token-forge.js';

const FLOOD = 300;
const AT_A_TIME = 50;
const signer = createKey('ES256');

let table: KeyTable;
let other: KeyTable;
let api: ServedApp;

beforeEach(async () => {
  [table, other] = [createKeyTable(), createKeyTable()];
  const clock = createManualClock();
  const cache = { max: 100, negativeMax: 50 };
  const options = { kinds: ['secret'], environment: 'live', clock, cache } as const;
  const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock, cache: { max: 5 } });
  api = await serveApp((app, handler) => {
    app.get('/', requireBearer({ accept: [tokens, apiKeys({ resolver: table, ...options })] }), handler);
    app.get('/other', requireBearer({ accept: [apiKeys({ resolver: other, ...options })] }), handler);
  });
});

afterEach(() => api.close());

const ask = async (credential: string, path = '/') => answerOf(await api.ask(path, credential));
const clientOf = async (token: string) => JSON.parse((await api.ask('/', token)).body).clientId;

/** Sends many, so many at a time, and counts the answers by status. */
async function tally(turns: readonly Turn[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (let at = 0; at < turns.length; at += AT_A_TIME) {
    for (const { status } of await api.askPipelined(turns.slice(at, at + AT_A_TIME))) {
      counts[status] = (counts[status] ?? 0) + 1;
    }
  }
  return counts;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.';
const change = fc.record({ place: fc.nat(), step: fc.integer({ min: 1, max: ALPHABET.length - 1 }) });
const changes = fc.array(change, { minLength: AT_A_TIME, maxLength: AT_A_TIME });

/** One character somewhere becomes another of the alphabet. */
function changed(text: string, { place, step }: { place: number; step: number }): string {
  const at = place % text.length;
  const other = ALPHABET.charAt((ALPHABET.indexOf(text.charAt(at)) + step) % ALPHABET.length);
  return text.slice(0, at) + other + text.slice(at + 1);
}

describe('an entry belongs to one complete credential', () => {
  const withClient = (client: string) => {
    const { sub: _sub, client_id: _client, ...rest } = claimsOf();
    return { ...rest, sub: client, client_id: client };
  };
  const sign = (client: string) => assemble(headerOf(signer), withClient(client), signedBy(signer));
  const forgeUnsigned = (client: string) => assemble(headerOf(signer), withClient(client), unsigned);

  it.each([20, 100])('X09 tokens that are equal in their first %d characters', async (length) => {
    const [first, second, forged] = [sign('ack_1'), sign('ack_2'), forgeUnsigned('ack_3')];
    for (const token of [second, forged]) expect(token.slice(0, length)).toBe(first.slice(0, length));
    expect([await clientOf(first), await clientOf(second), await clientOf(first)]).toEqual(['ack_1', 'ack_2', 'ack_1']);
    expect(await ask(forged)).toEqual(T1);
  });

  it('X09 tokens that are equal in their last 16 characters', async () => {
    const token = sign('ack_1');
    const [header, payload] = forgeUnsigned('ack_2').split('.');
    const forged = `${header}.${payload}.${'A'.repeat(70)}${token.slice(-16)}`;
    expect(await clientOf(token)).toBe('ack_1');
    expect(await ask(forged)).toEqual(T1);
  });

  it('X09 the same header and payload, without a signature', async () => {
    const token = sign('ack_1');
    expect(await clientOf(token)).toBe('ack_1');
    expect(await ask(forgeUnsigned('ack_1'))).toEqual(T1);
    expect(await ask(`${token.split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`)).toEqual(T1);
    expect(await clientOf(token)).toBe('ack_1');
  });

  for (const what of ['token', 'key']) {
    law(
      `X10 a cached ${what}, changed in one place`,
      () => {
        const credential = what === 'key' ? table.add() : forge(signer);
        return fc.asyncProperty(changes, async (list) => {
          expect(await tally([['/', credential]])).toEqual({ 200: 1 });
          expect(await tally(list.map((each) => ['/', changed(credential, each)]))).toEqual({ 401: AT_A_TIME });
        });
      },
      { triesPerRun: AT_A_TIME },
    );
  }

  it('X11 verifiers do not share cache entries; each looks up the plain SHA-256', async () => {
    const asked: string[] = [];
    const key = table.add();
    const record = table.recordOf(key);
    for (const keys of [table, other]) {
      keys.answer(({ digest }) => {
        asked.push(digest);
        return keys === table ? record : undefined;
      });
    }
    expect((await api.ask('/', key)).status).toBe(200);
    expect(await ask(key, '/other')).toEqual(T1);
    expect((await api.ask('/', key)).status).toBe(200);
    expect(asked).toEqual(Array(2).fill(createHash('sha256').update(key).digest('hex')));
  });
});

describe('floods of bad credentials', () => {
  it('X13 unknown keys evict no valid key', async () => {
    const good = Array.from({ length: 100 }, (): Turn => ['/', table.add()]);
    expect(await tally(good)).toEqual({ 200: 100 });
    const bad = Array.from({ length: FLOOD }, (): Turn => ['/', mintKey('secret', 'live')]);
    expect(await tally(bad)).toEqual({ 401: FLOOD });
    expect(table.lookups()).toBe(100 + FLOOD);
    expect(await tally(good)).toEqual({ 200: 100 });
    expect(table.lookups()).toBe(100 + FLOOD);
  });

  it('X14 unsigned tokens evict no valid token', async () => {
    const good = Array.from({ length: 5 }, (_, at): Turn => ['/', forge(signer, { jti: `good-${at}` })]);
    expect(await tally(good)).toEqual({ 200: 5 });
    const signatures = jest.spyOn(nodeCrypto, 'verify');
    const bad = Array.from({ length: 200 }, (_, at): Turn => {
      return ['/', assemble(headerOf(signer), { ...claimsOf(), jti: `bad-${at}` }, unsigned)];
    });
    expect(await tally(bad)).toEqual({ 401: 200 });
    expect(signatures).toHaveBeenCalledTimes(200);
    expect(await tally(good)).toEqual({ 200: 5 });
    expect(signatures).toHaveBeenCalledTimes(200);
    signatures.mockRestore();
  });
});
