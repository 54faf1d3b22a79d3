import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  accessTokens,
  apiKeys,
  apiMap,
  bearerErrors,
  requireAny,
  requireApi,
  requireBearer,
  requireChannel,
  requireKeyKind,
  requireScopes,
} from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { A5, answerOf, R4, S3, T1, U0 } from '../support/answers.js';
import { settled } from '../support/cache-bench.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';

let table: KeyTable;
let clock: ManualClock;
let api: ServedApp;
let arrived: number;

beforeEach(async () => {
  arrived = 0;
  table = createKeyTable();
  clock = createManualClock();
  const keys = (timeout: number) =>
    apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock, timeout });
  api = await serveApp((app, handler) => {
    app.use((_req, _res, next) => {
      arrived += 1;
      next();
    });
    app.get('/', requireBearer({ accept: [keys(60_000)] }), requireApi('payments'), handler);
    app.get('/hasty', requireBearer({ accept: [keys(5)] }), handler);
    app.get(
      '/cached',
      (_req, res, next) => {
        res.setHeader('Vary', 'Accept-Encoding');
        next();
      },
      requireBearer({ accept: [keys(60_000)] }),
      (_req, res) => {
        res.set('Cache-Control', 'public, max-age=60').json({});
      },
    );
  });
});

afterEach(() => api.close());

const ask = async (path: string, key: string) => answerOf(await api.ask(path, key));

/** Five hundred requests for one key, whose one lookup ends when all have come. */
async function stampede(end: (lookup: Deferred<unknown>, key: string) => void) {
  const lookup = deferred<unknown>();
  const key = table.add();
  table.answer(() => lookup.promise);
  const answers = api.askPipelined(Array.from({ length: 500 }, () => ['/', key] as const));
  while (arrived < 500) await settled();
  end(lookup, key);
  return { key, answers: await answers };
}

describe('many requests, one lookup', () => {
  it('X15 500 concurrent requests with a key that is not cached', async () => {
    const { answers } = await stampede((lookup, key) => lookup.resolve(table.recordOf(key)));
    expect(answers).toEqual(Array(500).fill({ status: 200, challenge: undefined }));
    expect(table.lookups()).toBe(1);
  });

  it('X16 500 concurrent requests, and the lookup fails: the failure is not cached', async () => {
    const { key, answers } = await stampede((lookup) => lookup.reject(new Error('down')));
    expect(answers).toEqual(Array(500).fill({ status: 503, challenge: undefined }));
    expect([table.lookups(), api.handled()]).toEqual([1, 0]);
    expect(await ask('/', key)).toEqual(A5);
    table.answer(undefined);
    expect((await api.ask('/', key)).status).toBe(200);
    expect(table.lookups()).toBe(3);
  });

  it('X27 a cold start: at most maxLookups concurrent lookups, and no request is refused', async () => {
    const keys = Array.from({ length: Number(process.env.KEYWARD_SOAK_RUNS ?? 500) }, () => table.add());
    let [pending, most] = [0, 0];
    table.answer(async () => {
      pending += 1;
      most = Math.max(most, pending);
      await settled();
      pending -= 1;
      return table.recordOf(keys[0] ?? '');
    });
    for (let at = 0; at < keys.length; at += 100) {
      const answers = await api.askPipelined(keys.slice(at, at + 100).map((key) => ['/', key]));
      expect(answers).toEqual(Array(100).fill({ status: 200, challenge: undefined }));
    }
    expect(most).toBeLessThanOrEqual(100);
  });
});

describe('a faulty resolver never accepts a request or ends the process', () => {
  const everything: object = new Proxy(() => {}, {
    get: (_target, name) => (name === 'then' ? undefined : everything),
  });

  it.each([
    [
      'throws',
      A5,
      () => {
        throw new Error('down');
      },
    ],
    ['rejects', A5, () => Promise.reject(new Error('down'))],
    ['hangs', A5, () => new Promise(() => {})],
    ['returns undefined', T1, () => undefined],
    ['returns null', T1, () => null],
    ['returns true', A5, () => true],
    ['returns 1', A5, () => 1],
    ['returns "ok"', A5, () => 'ok'],
    ['returns []', A5, () => []],
    ['returns {}', A5, () => ({})],
    ['returns a Proxy that has everything', A5, () => everything],
    [
      'throws undefined',
      A5,
      () => {
        throw undefined;
      },
    ],
  ])('X17 it %s', async (_what, answer, resolve) => {
    table.answer(resolve);
    expect(await ask('/hasty', mintKey('secret', 'live'))).toEqual(answer);
    expect(api.handled()).toBe(0);
    table.answer(undefined);
    expect((await api.ask('/hasty', table.add())).status).toBe(200);
  });
});

describe('HTTP caches', () => {
  it('X29 refusals must not be stored, and each varies by Authorization', async () => {
    const key = table.add({ apis: ['disputes'] });
    const refusals: (readonly [object, string | undefined])[] = [
      [U0, undefined],
      [R4, 'a b'],
      [T1, 'sk_forged'],
      [S3, key],
    ];
    const headersOf = async (credential: string | undefined, answer: object) => {
      const reply = await api.ask('/', credential);
      expect(answerOf(reply)).toEqual(answer);
      return [reply.headers['cache-control'], reply.headers.vary];
    };
    for (const [answer, credential] of refusals) {
      expect(await headersOf(credential, answer)).toEqual(['no-store', 'Authorization']);
    }
    table.answer(() => ({}));
    expect(await headersOf(mintKey('secret', 'live'), A5)).toEqual(['no-store', 'Authorization']);
    expect((await api.ask('/cached')).headers).toMatchObject({ vary: 'Accept-Encoding, Authorization' });
  });

  it('X29 caching headers of a handler are not changed', async () => {
    const { status, headers } = await api.ask('/cached', table.add());
    expect([status, headers['cache-control'], headers.vary]).toEqual([200, 'public, max-age=60', 'Accept-Encoding']);
  });
});

describe('options refuse regular expressions', () => {
  it.each([
    ['that keeps its position', /^payments$/g],
    ['that takes for ever', /^(a+)+$/],
  ])('X31 one %s', (_what, pattern) => {
    const text = pattern as unknown as string;
    const list = [text] as unknown as readonly 'secret'[];
    const token = { issuer: 'https://issuer.test', audience: 'api' };
    const key = { resolver: () => null, kinds: ['secret'], environment: 'live' } as const;
    const accept = [accessTokens(token)];
    for (const mistake of [
      () => accessTokens({ ...token, issuer: text }),
      () => accessTokens({ ...token, audience: text }),
      () => accessTokens({ ...token, audience: list }),
      () => accessTokens({ ...token, algorithms: list }),
      () => accessTokens({ ...token, jwks: text }),
      () => apiKeys({ ...key, kinds: list }),
      () => apiKeys({ ...key, environment: text as 'live' }),
      () => apiKeys({ ...key, format: pattern as never }),
      () => apiMap({ payments: list }),
      () => requireBearer({ accept, realm: text }),
      () => requireBearer({ accept, resourceMetadata: text }),
      () => requireApi(text),
      () => requireScopes(text),
      () => requireKeyKind(text as 'secret'),
      () => requireAny(pattern as never),
      () => requireChannel(pattern as never),
      () => bearerErrors({ format: text as 'oauth' }),
    ]) {
      expect(mistake).toThrow(TypeError);
    }
  });
});
