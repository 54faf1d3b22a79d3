import crypto from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import express from 'express';
import { accessTokens, type DpopOptions, memoryReplayCache, type ReplayCache, requireBearer } from 'keyward';
import { A5 } from '../support/answers.js';
import { DN, DP, type DpopApi, type DpopApiSettings, serveDpopApi } from '../support/dpop-api.js';
import { ORIGIN } from '../support/dpop-client.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createManualClock } from '../support/manual-clock.js';
import { getRaw } from '../support/raw-http.js';
import { serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, ISSUER, jwksOf } from '../support/token-forge.js';

const open: DpopApi[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(open.splice(0).map((api) => api.close()));
});

async function served(dpop: Partial<DpopOptions> = {}, settings: DpopApiSettings = {}): Promise<DpopApi> {
  const api = await serveDpopApi({ dpop, ...settings });
  open.push(api);
  return api;
}

describe('the URL of a request', () => {
  it('D13 behind a mounted router', async () => {
    const api = await served({}, { mount: (gate, handler) => express.Router().use('/v1/payments', gate, handler) });
    const token = api.client.token();
    const inner = await api.present(token, api.client.proof(token, { htu: `${ORIGIN}/7` }), '/v1/payments/7');
    const whole = await api.present(
      token,
      api.client.proof(token, { htu: `${ORIGIN}/v1/payments/7` }),
      '/v1/payments/7',
    );
    expect([inner.reason, whole.reason]).toEqual(['dpop_htu', undefined]);
  });

  it('D13 after req.url was rewritten', async () => {
    const rewritten = (gate: express.RequestHandler) => {
      const handler: express.RequestHandler = (req, res, next) => {
        req.url = '/elsewhere';
        gate(req, res, next);
      };
      return handler;
    };
    const api = await served({}, { mount: rewritten });
    const token = api.client.token();
    const asked = await api.present(token, api.client.proof(token, { htu: `${ORIGIN}/asked` }), '/asked');
    const elsewhere = await api.present(token, api.client.proof(token, { htu: `${ORIGIN}/elsewhere` }), '/asked');
    expect([asked.reason, elsewhere.reason]).toEqual([undefined, 'dpop_htu']);
  });

  it('D13 forged Host and forwarded fields do not count', async () => {
    const api = await served();
    const token = api.client.token();
    const proof = api.client.proof(token, { htu: 'https://evil.test/' });
    const forged = ['X-Forwarded-Host: evil.test', 'X-Forwarded-Proto: https', 'Forwarded: host=evil.test;proto=https'];
    const { reason } = await api.judge([`Authorization: DPoP ${token}`, `DPoP: ${proof}`, ...forged]);
    expect(reason).toBe('dpop_htu');
  });

  it('D13 a request-target with a host: the host is ignored', async () => {
    const api = await served();
    const token = api.client.token();
    const good = await api.present(token, api.client.proof(token, { htu: `${ORIGIN}/a` }), 'http://evil.test/a');
    const bad = await api.present(token, api.client.proof(token, { htu: 'http://evil.test/a' }), 'http://evil.test/a');
    expect([good.reason, bad.reason]).toEqual([undefined, 'dpop_htu']);
  });

  it.each([
    ['https://api.test/'],
    ['https://api.test/v1'],
    ['https://api.test?x'],
    ['https://api.test#x'],
    ['https://me@api.test'],
    ['http://api.test'],
    ['api.test'],
    [''],
    [[]],
    [['https://api.test', 'ftp://api.test']],
    [undefined],
  ])('D14 the origin %j throws', (origin) => {
    const dpop = { origin } as DpopOptions;
    const made = () => accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(createKey('ES256')), dpop });
    expect(made).toThrow('accessTokens: option "dpop": option "origin" must be an origin such as https://api.example');
  });

  it('an algorithm that is named twice throws', () => {
    const dpop = { origin: ORIGIN, algorithms: ['ES256', 'ES256'] };
    const made = () => accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(createKey('ES256')), dpop });
    expect(made).toThrow(
      /^accessTokens: option "dpop": option "algorithms" must be a list of one or more of 'ES256', .* and 'RS256', without duplicates/,
    );
  });

  it('D14 http to this machine is accepted as an origin', () => {
    const dpop = { origin: ['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'] };
    const jwks = jwksOf(createKey('ES256'));
    expect(() => accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks, dpop })).not.toThrow();
  });
});

describe('a used proof', () => {
  it('D17 passes only the first time', async () => {
    const api = await served();
    const token = api.client.token();
    const proof = api.client.proof(token);
    expect((await api.present(token, proof)).answer).toEqual({ status: 200 });
    const { answer, reason } = await api.present(token, proof);
    expect({ answer, reason }).toEqual({ answer: DP, reason: 'dpop_replayed' });
  });

  it('D17 with another signature of the same claims', async () => {
    const api = await served();
    const token = api.client.token();
    const first = api.client.proof(token, { jti: 'same' });
    const second = api.client.proof(token, { jti: 'same' });
    expect(first).not.toBe(second);
    expect([(await api.present(token, first)).reason, (await api.present(token, second)).reason]).toEqual([
      undefined,
      'dpop_replayed',
    ]);
  });

  it('D17 with the jti of another client', async () => {
    const api = await served();
    const { createDpopClient } = await import('../support/dpop-client.js');
    const other = await createDpopClient(api.issuerKey);
    const [mine, theirs] = [api.client.token(), other.token()];
    await api.present(mine, api.client.proof(mine, { jti: 'same' }));
    expect((await api.present(theirs, other.proof(theirs, { jti: 'same' }))).answer).toEqual({ status: 200 });
  });

  it('D17 50 concurrent requests: one passes', async () => {
    const api = await served({ replay: later(memoryReplayCache()) });
    const token = api.client.token();
    const lines = [`Authorization: DPoP ${token}`, `DPoP: ${api.client.proof(token)}`];
    const answers = await Promise.all(Array.from({ length: 50 }, () => getRaw(api.port, lines)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  });

  it('D17 at two gates with the same cache', async () => {
    const api = await served();
    const clock = createManualClock();
    const replay = memoryReplayCache({ clock });
    const make = () =>
      requireBearer({
        accept: [
          accessTokens({
            ...{ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(api.issuerKey), clock },
            dpop: { origin: ORIGIN, replay },
          }),
        ],
      });
    const apps = await Promise.all([make(), make()].map((gate) => serveApp((app, handler) => app.use(gate, handler))));
    const token = api.client.token();
    const lines = [`Authorization: DPoP ${token}`, `DPoP: ${api.client.proof(token)}`];
    const answers = [];
    for (const { port } of apps) answers.push((await getRaw(port, lines)).status);
    await Promise.all(apps.map((app) => app.close()));
    expect(answers).toEqual([200, 401]);
  });

  it('one request that passes two gates uses its proof once', async () => {
    const api = await served({}, { mount: (gate) => express.Router().use(gate, gate) });
    const token = api.client.token();
    const proof = api.client.proof(token);
    expect((await api.present(token, proof)).answer).toEqual({ status: 200 });
    expect((await api.present(token, proof)).answer).toEqual(DP);
  });

  it('is not used up by a request that is refused for another reason', async () => {
    const api = await served();
    const token = api.client.token();
    const proof = api.client.proof(token);
    expect((await api.present(token, proof, '/elsewhere')).reason).toBe('dpop_htu');
    expect((await api.present(token, proof)).answer).toEqual({ status: 200 });
  });

  const never = new Promise<boolean>(() => {});
  it.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('down');
      },
      'threw',
    ],
    ['rejects', () => Promise.reject(new Error('down')), 'threw'],
    ['answers undefined', () => undefined, 'record_invalid'],
    ['answers 1', () => 1, 'record_invalid'],
    ['resolves to a text', () => Promise.resolve('OK'), 'record_invalid'],
    ['takes over 1 s', () => never, 'timed_out'],
  ])('D18 a replay cache that %s', async (_name, firstUse, expected) => {
    const api = await served({ replay: { firstUse: firstUse as ReplayCache['firstUse'] } });
    const events = eavesdrop();
    const token = api.client.token();
    const { response, reason } = await api.present(token, api.client.proof(token));
    const [failure] = events.heard<{ of: string; reason: string }>('keyward:lookup-failure');
    events.stop();
    expect({ status: response.status, retryAfter: response.headers['retry-after'] }).toEqual({
      status: A5.status,
      retryAfter: A5.retryAfter,
    });
    expect(response.headers).not.toHaveProperty('www-authenticate');
    expect(reason).toBe('replay_cache');
    expect(failure).toMatchObject({ of: 'replayCache', reason: expected });
  });

  it('D18 a replay cache that is full', async () => {
    const api = await served({ replay: memoryReplayCache({ max: 1 }) });
    const token = api.client.token();
    const statuses = [];
    for (let i = 0; i < 2; i += 1) statuses.push((await api.present(token, api.client.proof(token))).answer.status);
    expect(statuses).toEqual([200, 503]);
  });
});

describe('the nonce of a proof', () => {
  const OLD = 'an old secret, which is long enough for HMAC';
  const NEW = 'a new secret, which is long enough for HMAC';

  async function nonceOf(api: DpopApi): Promise<string> {
    const token = api.client.token();
    const { response } = await api.present(token, api.client.proof(token));
    return response.headers['dpop-nonce'] ?? '';
  }

  it('D21 absent: the response has one, which is accepted', async () => {
    const api = await served({ nonce: { secret: NEW } });
    const token = api.client.token();
    const { answer, reason, response } = await api.present(token, api.client.proof(token));
    expect({ answer, reason }).toEqual({ answer: DN, reason: 'dpop_nonce' });
    const nonce = response.headers['dpop-nonce'];
    expect(response.headers['cache-control']).toBe('no-store');
    const second = await api.present(token, api.client.proof(token, { nonce }));
    expect(second.answer).toEqual({ status: 200 });
    expect(second.response.headers).not.toHaveProperty('dpop-nonce');
  });

  it('D21 expired, and about to expire', async () => {
    const api = await served({ nonce: { secret: NEW, maxAge: 100 } });
    const nonce = await nonceOf(api);
    const token = api.client.token();
    const use = () => api.present(token, api.client.proof(token, { nonce, iat: api.clock.now() / 1_000 }));
    api.clock.advance(51_000);
    const near = await use();
    expect(near.answer).toEqual({ status: 200 });
    expect(near.response.headers['dpop-nonce']).toMatch(/^[\w-]{28}$/);
    api.clock.advance(49_000);
    expect((await use()).answer).toEqual({ status: 200 });
    api.clock.advance(1_000);
    expect((await use()).answer).toEqual(DN);
  });

  it('D21 of another secret', async () => {
    const [api, other] = await Promise.all([served({ nonce: { secret: NEW } }), served({ nonce: { secret: OLD } })]);
    const token = api.client.token();
    const { answer } = await api.present(token, api.client.proof(token, { nonce: await nonceOf(other) }));
    expect(answer).toEqual(DN);
  });

  it('D21 of a rotated secret that is still listed: accepted, with a new nonce in the response', async () => {
    const [before, after] = await Promise.all([
      served({ nonce: { secret: OLD } }),
      served({ nonce: { secret: [NEW, OLD] } }),
    ]);
    const token = after.client.token();
    const { answer, response } = await after.present(
      token,
      after.client.proof(token, { nonce: await nonceOf(before) }),
    );
    expect(answer).toEqual({ status: 200 });
    const fresh = response.headers['dpop-nonce'];
    const again = await after.present(token, after.client.proof(token, { nonce: fresh }));
    expect(again.answer).toEqual({ status: 200 });
    expect(again.response.headers).not.toHaveProperty('dpop-nonce');
  });

  it.each([[''], ['x'], [7], [['x']]])('D21 a nonce that is %j', async (nonce) => {
    const api = await served({ nonce: { secret: NEW } });
    const token = api.client.token();
    expect((await api.present(token, api.client.proof(token, { nonce }))).answer).toEqual(DN);
  });

  it('D21 a nonce from the future', async () => {
    const [api, ahead] = await Promise.all([served({ nonce: { secret: NEW } }), served({ nonce: { secret: NEW } })]);
    ahead.clock.advance(6_000);
    const token = api.client.token();
    expect((await api.present(token, api.client.proof(token, { nonce: await nonceOf(ahead) }))).answer).toEqual(DN);
  });

  it.each([['short'], [[]], [undefined], [7]])('a secret that is %j throws', async (secret) => {
    const nonce = { secret } as DpopOptions['nonce'];
    await expect(served({ nonce })).rejects.toThrow('option "secret" must be a string of at least 32 characters');
  });
});

describe('stored parts of a proof', () => {
  it.each([
    ['cached', true],
    ['not cached', false],
  ])('D22 a good token that is %s, with a bad proof', async (_name, isCached) => {
    const api = await served();
    const token = api.client.token();
    if (isCached) await api.present(token, api.client.proof(token));
    expect((await api.present(token, 'bad')).answer).toEqual(DP);
    const verify = jest.spyOn(crypto, 'verify');
    expect((await api.present(token, api.client.proof(token))).answer).toEqual({ status: 200 });
    // The signature of the proof alone: the token was a hit.
    expect(verify).toHaveBeenCalledTimes(1);
  });

  it('D29 200 requests with one token: each proof is verified, and the token once', async () => {
    const api = await served();
    const token = api.client.token();
    const verify = jest.spyOn(crypto, 'verify');
    for (let i = 0; i < 200; i += 1) {
      expect((await api.present(token, api.client.proof(token))).answer.status).toBe(200);
    }
    expect(verify).toHaveBeenCalledTimes(201);
  });

  it('D30 no proof, token, nonce or thumbprint is in an event', async () => {
    const secret = 'a secret, which is long enough for the HMAC';
    const api = await served({ nonce: { secret } });
    const events = eavesdrop();
    const token = api.client.token();
    const proof = api.client.proof(token);
    const { response } = await api.present(token, proof);
    const nonce = response.headers['dpop-nonce'] ?? 'none';
    const second = api.client.proof(token, { nonce });
    for (const one of [second, second, 'bad']) await api.present(token, one);
    const heard = JSON.stringify(events.heard());
    events.stop();
    for (const text of [token, proof, second, nonce, api.client.thumbprint.slice(0, 9), secret]) {
      expect(heard).not.toContain(text);
    }
  });
});

function later(cache: ReplayCache): ReplayCache {
  return {
    firstUse: async (id, seconds) => {
      await sleep(1);
      return cache.firstUse(id, seconds);
    },
  };
}
