import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { apiKeys, requireBearer } from 'keyward';
import { keywardFormat, mintKey } from '../../lib/credentials/keyward-format.js';
import { answerOf, R4, S3, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { law } from '../support/law.js';
import { type ServedApp, serveApp, type Turn } from '../support/served-app.js';

const kinds = fc.constantFrom('secret' as const, 'public' as const);
const environments = fc.constantFrom('live' as const, 'sandbox' as const);

let table: KeyTable;
let api: ServedApp;
let ear: Eavesdropper;

beforeEach(async () => {
  table = createKeyTable();
  const keys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'any' });
  api = await serveApp((app, handler) => {
    app.get('/', requireBearer({ accept: [keys] }), handler);
    app.get('/strict', requireBearer({ accept: [keys], browserOrigin: 'refuse' }), handler);
  });
  ear = eavesdrop();
});

afterEach(() => {
  jest.restoreAllMocks();
  ear.stop();
  return api.close();
});

describe('texts with a meaning in other systems', () => {
  it.each([
    ['quotes', `sk_' or '1'='1`, R4],
    ['an operator', 'sk_[$ne]', R4],
    ['an escaped NUL', 'sk_%00', R4],
    ['a statement', 'sk_union/select+key/from/keys--', T1],
  ])('P14 %s', async (_what, text, answer) => {
    expect(answerOf(await api.ask('/', text))).toEqual(answer);
    expect([table.lookups(), api.handled()]).toEqual([0, 0]);
    expect(ear.heard('keyward:lookup-failure')).toEqual([]);
  });

  it.each([
    ['the client ID of an access key', `ack_${'abcdefghijklmnopqrstuvwxyz'}`],
    ['the client secret of an access key', randomBytes(64).toString('base64url')],
  ])('P26 %s', async (_what, text) => {
    expect(answerOf(await api.ask('/', text))).toEqual(T1);
    expect(table.lookups()).toBe(0);
  });
});

describe('created keys', () => {
  law('P19 no two alike, 130 random bits, an alphabet that form-encoding leaves alone, no Math.random', () => {
    const minted = new Set<string>();
    const unseen = Array.from({ length: 26 }, () => new Set('abcdefghijklmnopqrstuvwxyz234567'));
    const random = jest.spyOn(Math, 'random');
    return fc.property(kinds, environments, (kind, environment) => {
      random.mockClear();
      const key = mintKey(kind, environment);
      expect(random).not.toHaveBeenCalled();
      expect(minted.size).toBeLessThan(minted.add(key).size);
      expect(new URLSearchParams({ k: key }).toString()).toBe(`k=${key}`);
      // In each of 26 places of 32 characters every character has come up after some keys.
      for (const [place, characters] of unseen.entries()) characters.delete(key.charAt(key.length - 27 + place));
      if (minted.size === 2_000) expect(unseen.filter(({ size }) => size > 0)).toEqual([]);
    });
  });

  law(
    'P27 keys that nobody minted, with a right prefix and check character',
    () =>
      fc.asyncProperty(fc.array(fc.tuple(kinds, environments), { minLength: 100, maxLength: 100 }), async (draws) => {
        ear.clear();
        const before = table.lookups();
        const texts = draws.map(([kind, environment]) => mintKey(kind, environment));
        expect(new Set(texts.map((text) => typeof keywardFormat.read(text)))).toEqual(new Set(['object']));
        expect(await api.askPipelined(texts.map((text): Turn => ['/', text]))).toEqual(Array(100).fill(T1));
        expect(table.lookups() - before).toBe(100);
      }),
    { triesPerRun: 100 },
  );
});

describe("a secret key that comes with a browser's Origin", () => {
  const headers = { Origin: 'https://shop.example.com' };

  it('P24 is accepted, with a warning', async () => {
    const key = table.add();
    expect((await api.ask('/', key, { headers })).status).toBe(200);
    const warning = { outcome: 'warning', reason: 'secret_key_from_browser', keyId: 'key_1', kind: 'secret' };
    expect(ear.heard('keyward:decision')).toMatchObject([warning, { outcome: 'accepted' }]);
  });

  it("P24 is refused with browserOrigin: 'refuse', and public keys are not", async () => {
    const [key, publicKey] = [table.add(), table.add({ kind: 'public' })];
    expect(answerOf(await api.ask('/strict', key, { headers }))).toEqual(S3);
    expect(api.handled()).toBe(0);
    expect((await api.ask('/strict', publicKey, { headers })).status).toBe(200);
    expect((await api.ask('/strict', key)).status).toBe(200);
  });
});
