import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { accessTokens, apiKeys, type Decision, requireBearer, requireScopes } from 'keyward';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { answerOf, T1 } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { law } from '../support/law.js';
import { createManualClock, START } from '../support/manual-clock.js';
import { getRaw } from '../support/raw-http.js';
import { type ServedApp, serveApp, type Turn } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const REFUSALS = 200;
const signer = createKey('ES256');

let table: KeyTable;
let api: ServedApp;
let ear: Eavesdropper;

beforeEach(async () => {
  table = createKeyTable();
  const clock = createManualClock();
  const accept = [
    accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock }),
    apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock }),
  ];
  api = await serveApp((app, handler) => {
    app.get('/payments', requireBearer({ accept }), handler);
    app.get('/refunds', requireBearer({ accept }), requireScopes('payments:refund'), handler);
  });
  ear = eavesdrop();
});

afterEach(() => {
  ear.stop();
  return api.close();
});

const decisions = () => ear.heard<Decision>('keyward:decision');

describe('one event is one line', () => {
  const MARKS = [
    ['CR', '\r'],
    ['LF', '\n'],
    ['ANSI', '\u001b[31m'],
    ['U+2028', '\u2028'],
  ] as const;
  const PLACES = ['kid', 'client_id', 'key name', 'User-Agent'] as const;
  const inputs = MARKS.flatMap(([name, mark]) => PLACES.map((place) => [name, place, mark] as const));

  /** Sends a request that carries a mark in a place of it. */
  async function send(place: (typeof PLACES)[number], mark: string): Promise<void> {
    const text = `a${mark}b`;
    switch (place) {
      case 'kid':
        await api.ask('/payments', forge(signer, {}, { kid: text }));
        return;
      case 'client_id':
        await api.ask('/payments', forge(signer, { client_id: text, sub: text }));
        return;
      case 'key name':
        await api.ask('/payments', table.add({ name: text, apis: [] }));
        return;
      default: {
        const latin1 = Buffer.from(text).toString('latin1');
        await getRaw(api.port, [`User-Agent: ${latin1}`, 'Authorization: Bearer sk_forged'], '/payments');
      }
    }
  }

  it.each(inputs)('L03 %s in a %s', async (_name, place, mark) => {
    await send(place, mark);
    // A logger writes an event as JSON. CR, LF and ESC in a header never come past Node's parser.
    const lines = ear.heard().map((event) => JSON.stringify(event));
    expect(lines.length).toBe(place === 'User-Agent' && mark !== '\u2028' ? 0 : 1);
    expect(MARKS.filter(([, raw]) => lines.join('').includes(raw))).toEqual([]);
  });
});

describe('the content of an event', () => {
  it('L04 for an unknown credential: eight digits of its digest', async () => {
    const key = mintKey('secret', 'live');
    expect(answerOf(await api.ask('/payments', key))).toEqual(T1);
    const [event] = decisions();
    expect(event).toMatchObject({ reason: 'unknown', fingerprint: digestOf(key).slice(0, 8), keyId: undefined });
    expect(JSON.stringify(event)).not.toContain(digestOf(key).slice(0, 9));
    expect(JSON.stringify(event)).not.toContain(key.slice(3, 15));
  });

  it('L04 for a known credential: its id, without a digest', async () => {
    await api.ask('/payments', table.add({ disabled: true }));
    expect(decisions()).toMatchObject([{ reason: 'disabled', keyId: 'key_1', fingerprint: undefined }]);
  });

  law(
    'L05 however many bad credentials there are, the series of a metric stay as they are',
    () => {
      const series = new Set<string>();
      const bad = fc.oneof(
        fc.constant('').map(() => mintKey('secret', 'live')),
        fc.nat().map((n) => `sk_${n}`),
        fc.base64String({ minLength: 4 }),
      );
      return fc.asyncProperty(fc.array(bad, { minLength: 50, maxLength: 50 }), async (credentials) => {
        ear.clear();
        await api.askPipelined(credentials.map((credential): Turn => ['/payments', credential]));
        expect(decisions()).toHaveLength(50);
        for (const { outcome, by, code, reason, kind, method, path } of decisions()) {
          series.add([outcome, by, code, reason, kind, method, path].join());
        }
        const refused = (why: string) => `refused,requireBearer,invalid_token,${why},,GET,/payments`;
        const known = ['key_malformed', 'unclaimed', 'unknown'].map(refused);
        expect([...series].filter((one) => !known.includes(one))).toEqual([]);
      });
    },
    { triesPerRun: 50 },
  );

  const past = new Date(START - 1);
  it.each([
    ['a key that is accepted', {}, 'accepted', undefined],
    ['a revoked key', { revokedAt: past }, 'refused', 'revoked'],
    ['an expired key', { expiresAt: past }, 'refused', 'expired'],
    ['a disabled key', { disabled: true }, 'refused', 'disabled'],
    ['a record that breaks a rule', { account: '' }, 'unavailable', 'lookup_record_invalid'],
  ])('L06 %s', async (_what, traits, outcome, reason) => {
    const { status } = await api.ask('/payments', table.add(traits));
    expect(status).toBe({ accepted: 200, refused: 401, unavailable: 503 }[outcome]);
    expect(decisions()).toMatchObject([{ outcome, reason, by: 'requireBearer', method: 'GET', path: '/payments' }]);
  });

  it.each([
    ['an unknown key', mintKey('secret', 'live'), 'unknown'],
    ['a mistyped key', 'sk_forged', 'key_malformed'],
    ['a key of another environment', mintKey('secret', 'sandbox'), 'other_environment'],
    ['a key of a kind that is not accepted', mintKey('public', 'live'), 'kind_not_accepted'],
    ['a credential that nobody claims', 'hello', 'unclaimed'],
    ['an expired token', forge(signer, { exp: 1 }), 'expired'],
    ['a token for somebody else', forge(signer, { aud: 'other' }), 'token_aud'],
    ['a token of another issuer', forge(signer, { iss: 'https://other.test' }), 'token_iss'],
  ])('L06 %s: the same response, and the reason only in the event', async (_what, credential, reason) => {
    expect(answerOf(await api.ask('/payments', credential))).toEqual(T1);
    expect(decisions()).toMatchObject([{ outcome: 'refused', code: 'invalid_token', reason }]);
  });

  it.each([
    ['nothing presented', undefined, 'credential_missing', 'nothing_presented'],
    ['a malformed credential', 'a b', 'invalid_request', 'malformed'],
  ])('L06 %s', async (_what, credential, code, reason) => {
    await api.ask('/payments', credential);
    expect(decisions()).toMatchObject([{ outcome: 'refused', code, reason, fingerprint: undefined }]);
  });

  it('L06 a guard that refuses', async () => {
    await api.ask('/refunds', table.add({ apis: ['disputes'] }));
    const refused = {
      outcome: 'refused',
      by: 'requireScopes(payments:refund)',
      code: 'insufficient_scope',
      reason: 'scope',
    };
    expect(decisions()).toMatchObject([{ outcome: 'accepted' }, { ...refused, keyId: 'key_1', account: 'acc_1' }]);
  });

  it('L08 a URL with a key: the path without its query', async () => {
    const key = table.add();
    await api.ask(`/payments?access_token=${key}&api_key=${key}`);
    await api.ask(`/payments?access_token=${key}`, key);
    expect(decisions().map(({ path }) => path)).toEqual(['/payments', '/payments']);
    expect(JSON.stringify(ear.heard())).not.toContain(key.slice(3, 15));
  });

  it('L09 these are available for the attributes of a span, and none is a header', async () => {
    await api.ask('/payments', table.add(), { headers: { 'User-Agent': 'agent', Cookie: 'a=b' } });
    const [event = {}] = decisions();
    const names = ['account', 'by', 'code', 'fingerprint', 'keyId', 'kind', 'method', 'outcome', 'path', 'reason'];
    expect(Reflect.ownKeys(event).sort()).toEqual(names);
    expect(Object.values(event).every((value) => value === undefined || typeof value === 'string')).toBe(true);
  });

  it('L12 many refusals: nothing is printed, and events do not grow', async () => {
    const written = (['log', 'info', 'warn', 'error'] as const).map((method) => jest.spyOn(console, method));
    for (let sent = 0; sent < REFUSALS; sent += 50) {
      await api.askPipelined(Array.from({ length: 50 }, (_, at) => ['/payments', `sk_${at}${'a'.repeat(10_000)}`]));
    }
    for (const spy of written) {
      expect(spy).not.toHaveBeenCalled();
      spy.mockRestore();
    }
    const sizes = new Set(decisions().map((event) => JSON.stringify(event).length));
    expect([decisions().length, sizes.size]).toEqual([REFUSALS, 1]);
    expect(Math.max(...sizes)).toBeLessThan(300);
  });
});

describe('faulty listeners', () => {
  it('L10 a listener that never ends changes no response', async () => {
    const key = table.add();
    const { subscribe, unsubscribe } = await import('node:diagnostics_channel');
    const hang = () => new Promise(() => {});
    subscribe('keyward:decision', hang);
    expect((await api.ask('/payments', key)).status).toBe(200);
    expect(answerOf(await api.ask('/payments', 'sk_forged'))).toEqual(T1);
    unsubscribe('keyward:decision', hang);
  });
});
