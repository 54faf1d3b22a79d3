import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { apiKeys, requireBearer } from 'keyward';
import { keywardFormat, mintKey } from '../../lib/credentials/api-key.js';
import { answerOf, R4, S3, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { type ServedApp, serveApp, type Turn } from '../support/served-app.js';

jest.setTimeout(60_000);

const SOAK = process.env.KEYWARD_SOAK_RUNS;

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
  ear.stop();
  return api.close();
});

describe('texts that mean something to somebody else', () => {
  it.each([
    ['quotes', `sk_' or '1'='1`, R4],
    ['an operator', 'sk_[$ne]', R4],
    ['an escaped NUL', 'sk_%00', R4],
    ['a statement', 'sk_union/select+key/from/keys--', T1],
  ])('P14 %s', async (_what, text, answer) => {
    expect(answerOf(await api.ask('/', text))).toEqual(answer);
    expect([table.lookUps(), api.handled()]).toEqual([0, 0]);
    expect(ear.heard('keyward:look-up-failure')).toEqual([]);
  });

  it.each([
    ['the Identifier of an access key', `ack_${'abcdefghijklmnopqrstuvwxyz'}`],
    ['the Secret of an access key', randomBytes(64).toString('base64url')],
  ])('P26 %s', async (_what, text) => {
    expect(answerOf(await api.ask('/', text))).toEqual(T1);
    expect(table.lookUps()).toBe(0);
  });
});

describe('keys as they are minted', () => {
  it('P19 no two alike, 130 random bits, an alphabet that form-encoding leaves alone, no Math.random', () => {
    const random = jest.spyOn(Math, 'random');
    const keys = Array.from({ length: Number(SOAK ?? 10_000) }, () => mintKey('secret', 'live'));
    expect(random).not.toHaveBeenCalled();
    random.mockRestore();
    expect(new Set(keys).size).toBe(keys.length);
    const encoded = new URLSearchParams(keys.slice(0, 100).map((key): [string, string] => ['k', key])).toString();
    expect(encoded).toBe(
      keys
        .slice(0, 100)
        .map((key) => `k=${key}`)
        .join('&'),
    );
    // 26 places of 32 characters each: at every place every character comes up.
    const seen = Array.from({ length: 26 }, (_, place) => new Set(keys.map((key) => key.charAt(3 + place))).size);
    expect(seen).toEqual(Array(26).fill(32));
    expect(26 * Math.log2(32)).toBeGreaterThanOrEqual(128);
  });

  it('P27 keys that nobody minted, with a right prefix and check character', async () => {
    const runs = Number(SOAK ?? 500);
    for (let sent = 0; sent < runs; sent += 100) {
      const turns = Array.from({ length: 100 }, (_, at): Turn => {
        return ['/', mintKey(at % 2 === 0 ? 'secret' : 'public', at % 3 === 0 ? 'live' : 'sandbox')];
      });
      expect(new Set(turns.map(([, text]) => typeof keywardFormat.read(text)))).toEqual(new Set(['object']));
      expect(await api.askPipelined(turns)).toEqual(Array(100).fill(T1));
    }
    expect(table.lookUps()).toBe(runs);
  });
});

describe("a secret key that comes with a browser's Origin", () => {
  const headers = { Origin: 'https://shop.example.com' };

  it('P24 is let in, and noticed', async () => {
    const key = table.add();
    expect((await api.ask('/', key, { headers })).status).toBe(200);
    const notice = { outcome: 'noticed', reason: 'secret_key_from_browser', keyId: 'key_1', kind: 'secret' };
    expect(ear.heard('keyward:decision')).toMatchObject([notice, { outcome: 'accepted' }]);
  });

  it("P24 is refused with browserOrigin: 'refuse', and public keys are not", async () => {
    const [key, publicKey] = [table.add(), table.add({ kind: 'public' })];
    expect(answerOf(await api.ask('/strict', key, { headers }))).toEqual(S3);
    expect(api.handled()).toBe(0);
    expect((await api.ask('/strict', publicKey, { headers })).status).toBe(200);
    expect((await api.ask('/strict', key)).status).toBe(200);
  });
});
