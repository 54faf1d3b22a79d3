import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { apiKeys, requireAny, requireApi, requireBearer, requireChannel, requireKeyKind, requireScopes } from 'keyward';
import { A5, answerOf, S3 } from '../support/answers.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createKeyTable, type KeyTable } from '../support/key-table.js';
import { type ServedApp, serveApp } from '../support/served-app.js';

type Factory = (...values: readonly unknown[]) => unknown;

describe('a guard without arguments throws at start', () => {
  const factories = { requireApi, requireScopes, requireKeyKind, requireAny } as unknown as Record<string, Factory>;

  it.each([
    ['an empty list', []],
    ['undefined', [undefined]],
    ['""', ['']],
    ['[""]', [['']]],
    ['an unknown kind', [{ kind: 'admin' }]],
  ])('S11 %s', (_what, values) => {
    for (const factory of Object.values(factories)) expect(() => factory(...values)).toThrow(TypeError);
    const kinds = values as readonly 'secret'[];
    expect(() => apiKeys({ resolver: () => null, kinds, environment: 'live' })).toThrow(TypeError);
    expect(() => factories.requireKeyKind?.('admin')).toThrow(TypeError);
  });
});

describe('requirements follow exact set logic', () => {
  const NAMES = ['payments', 'disputes', 'reports', 'payouts'];
  const subsets = Array.from({ length: 2 ** NAMES.length }, (_, bits) => NAMES.filter((_name, at) => bits & (1 << at)));
  const asked = subsets.filter((names) => names.length > 0);
  const table = createKeyTable();
  const keys = new Map(subsets.map((held) => [held.join(), table.add({ apis: held })]));
  let api: ServedApp;

  beforeAll(async () => {
    const gate = requireBearer({ accept: [apiKeys({ resolver: table, kinds: ['secret'], environment: 'live' })] });
    api = await serveApp((app, handler) => {
      for (const names of asked) {
        app.get(`/all/${names.join()}`, gate, requireApi(...names), handler);
        app.get(`/any/${names.join()}`, gate, requireAny(...names.map((name) => requireApi(name))), handler);
      }
    });
  });

  afterAll(() => api.close());

  it.each([
    [
      'all of',
      'all',
      (held: readonly string[], names: readonly string[]) => names.every((name) => held.includes(name)),
    ],
    ['any of', 'any', (held: readonly string[], names: readonly string[]) => names.some((name) => held.includes(name))],
  ])('S12 %s, every subset against every subset', async (_what, path, passes) => {
    const table = subsets.flatMap((held) =>
      asked.map((names) => ({ held, names, status: passes(held, names) ? 200 : 403 })),
    );
    const found = await Promise.all(
      table.map(async ({ held, names }) => {
        const { status } = await api.ask(`/${path}/${names.join()}`, keys.get(held.join()));
        return { held, names, status };
      }),
    );
    expect(found).toEqual(table);
  });
});

describe('channels', () => {
  let table: KeyTable;
  let api: ServedApp;

  beforeEach(async () => {
    table = createKeyTable();
    const gate = requireBearer({
      accept: [apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'live' })],
    });
    api = await serveApp((app, handler) => {
      app.get('/open', gate, handler);
      app.get(
        '/pay',
        gate,
        requireChannel((req) => req.query.channel),
        handler,
      );
    });
  });

  afterEach(() => api.close());

  it.each([
    ['secret', [] as string[]],
    ['public', ['c1', 'c2']],
    ['secret', 'all' as const],
  ] as const)('S15 a stored %s key on an e-commerce platform with the channels %j', async (kind, channels) => {
    const ear = eavesdrop();
    const key = table.add({ kind, apis: ['payments'], platform: 'shop', channels });
    expect(answerOf(await api.ask('/open', key))).toEqual(A5);
    expect(ear.heard('keyward:lookup-failure')).toEqual([
      expect.objectContaining({
        of: 'apiKeys',
        reason: 'record_invalid',
        detail: expect.stringContaining('exactly one'),
      }),
    ]);
    ear.stop();
  });

  it("S16 a request that names another channel than the key's", async () => {
    const key = table.add({ platform: 'shop', channels: ['c1'] });
    expect(answerOf(await api.ask('/pay?channel=c2', key))).toEqual(S3);
    expect(api.handled()).toBe(0);
    for (const path of ['/pay?channel=c1', '/pay', '/open?channel=c2']) {
      const { status, body } = await api.ask(path, key);
      expect([status, JSON.parse(body).channels]).toEqual([200, ['c1']]);
    }
  });

  it.each([
    ['all', 'all' as const, [200, 200]],
    ['none', [] as string[], [403, 403]],
    ['one', ['c1'], [200, 200]],
    ['five', ['c1', 'c2', 'c3', 'c4', 'c5'], [200, 403]],
  ])('S17 not on an e-commerce platform a key may have %s', async (_what, channels, [named, unnamed]) => {
    const key = table.add({ channels });
    const { status, body } = await api.ask('/open', key);
    expect([status, JSON.parse(body).channels]).toEqual([200, channels]);
    expect((await api.ask('/pay?channel=c1', key)).status).toBe(named);
    expect((await api.ask('/pay', key)).status).toBe(unnamed);
  });
});
