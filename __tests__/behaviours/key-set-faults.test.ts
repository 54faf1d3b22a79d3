/** K01 to K04 and K23: the keys of the issuer do not come. */
import dns from 'node:dns';
import type { RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens, type KeySetFetch } from 'keyward';
import { selfSigned } from '../../lib/testing/self-signed.js';
import { A5, answerOf } from '../support/answers.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import {
  body,
  drip,
  endless,
  gzipBomb,
  hang,
  type IssuerServer,
  json,
  large,
  serveIssuer,
  stall,
  status,
} from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf } from '../support/token-forge.js';

const key = createKey('ES256');
const KEYS_UNAVAILABLE = refusal(A5, 'keys_unavailable');
const TEN_MINUTES = 600_000;

let issuer: IssuerServer;
let clock: ManualClock;
let events: Eavesdropper;
const apis: TokenApi[] = [];

beforeEach(async () => {
  issuer = await serveIssuer(jwkOf(key));
  clock = createManualClock();
  events = eavesdrop();
});
afterEach(async () => {
  events.stop();
  await Promise.all([issuer.close(), ...apis.splice(0).map((api) => api.close())]);
});

async function serveWith(jwks: string): Promise<TokenApi> {
  const api = await serveTokenApi([accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks, clock })]);
  apis.push(api);
  return api;
}

const lastReason = () => events.heard<KeySetFetch>('keyward:key-set').at(-1)?.reason;

/** Without keys no token can be verified; keys that were fetched before are still used. */
async function expectFault(listener: RequestListener, reason: string) {
  issuer.answer(listener);
  const cold = await serveWith(issuer.jwksUri);
  expect(await cold.judge(forge(key))).toEqual(KEYS_UNAVAILABLE);
  expect([issuer.asked.length, lastReason()]).toEqual([1, reason]);

  issuer.publish(jwkOf(key));
  const warm = await serveWith(issuer.jwksUri);
  expect(await warm.judge(forge(key))).toEqual(ACCEPTED);
  issuer.answer(listener);
  clock.advance(TEN_MINUTES);
  expect(await warm.judge(forge(key))).toEqual(ACCEPTED);
  expect([issuer.asked.length, lastReason()]).toEqual([3, reason]);
}

describe('time limits', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Five wait for one fetch; when the issuer has been asked, their two seconds are over. */
  async function expectTimeout(jwks: string, fetches: () => number) {
    const time = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks, clock });
    const verify = jest.fn(tokens.verify);
    const api = await serveTokenApi([{ ...tokens, verify }]);
    apis.push(api);
    const replies = ['1', '2', '3', '4', '5'].map((jti) => api.present(forge(key, { jti })));
    while (verify.mock.calls.length < 5 || fetches() === 0) await new Promise((resolve) => setImmediate(resolve));
    time.abort(new DOMException('the time is over', 'TimeoutError'));
    expect((await Promise.all(replies)).map(answerOf)).toEqual(Array(5).fill(A5));
    expect([fetches(), lastReason(), timeout.mock.calls]).toEqual([1, 'the request timed out', [[2_000]]]);
  }

  it('K01 a hanging connection: no answer to the TLS handshake', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => sockets.push(socket));
    const port = await listen(mute);
    await expectTimeout(`https://127.0.0.1:${port}/jwks`, () => sockets.length);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => mute.close(resolve));
  });

  it.each<[string, RequestListener]>([
    ['header hang', hang],
    ['body at a byte at a time', drip],
    ['stall in the middle of the body', stall],
  ])('K01 %s: one fetch for all waiting requests', async (_name, listener) => {
    issuer.answer(listener);
    await expectTimeout(issuer.jwksUri, () => issuer.asked.length);
  });
});

describe('responses that are not a key set', () => {
  const { keys } = { keys: [jwkOf(key)] };

  it.each<[string, RequestListener, string]>([
    ['500', status(500), 'the response has status 500'],
    ['404', status(404), 'the response has status 404'],
    ['204', status(204), 'the response has status 204'],
    ['304', status(304), 'the response has status 304'],
    ['200 with HTML', body('<html><body>Welcome</body></html>', 'text/html'), 'the response is not JSON'],
    ['truncated JSON', body(JSON.stringify({ keys }).slice(0, -2), 'application/json'), 'the response is not JSON'],
    ['null', json(null), 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['{}', json({}), 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['keys null', json({ keys: null }), 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['keys {}', json({ keys: {} }), 'the key set is not a JWK Set; expected an object whose "keys" is an array'],
    ['keys [null]', json({ keys: [null] }), 'the key set has no key that can verify signatures'],
  ])('K02 %s', async (_name, listener, reason) => {
    await expectFault(listener, reason);
  });

  it.each([301, 302, 307, 308])('K03 %d is not followed, although it leads to valid keys', async (code) => {
    const elsewhere = await serveIssuer(jwkOf(key));
    await expectFault(status(code, { Location: elsewhere.jwksUri }), `the response has status ${code}`);
    expect(elsewhere.asked).toEqual([]);
    await elsewhere.close();
  });

  it.each<[string, RequestListener]>([
    ['a body of 200 MB', large(200 * 1_024 * 1_024)],
    ['an endless stream', endless],
    ['a gzip bomb', gzipBomb(16 * 1_024 * 1_024)],
  ])('K04 %s is cut off', async (_name, listener) => {
    await expectFault(listener, 'the response is longer than 262144 bytes');
    expect(issuer.bytesSent()).toBeLessThan(16 * 1_024 * 1_024);
  });
});

describe('unreachable endpoints', () => {
  it('K23 ENOTFOUND', async () => {
    const api = await serveWith('https://issuer.invalid/jwks?token=secret');
    const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const nameless = (_host: string, _options: object, done: (error: Error) => void) => done(notFound);
    const lookup = jest.spyOn(dns, 'lookup').mockImplementation(nameless as typeof dns.lookup);
    const response = await api.present(forge(key));
    lookup.mockRestore();
    expect(response.status).toBe(503);
    expect(lastReason()).toBe('ENOTFOUND');
    expect(JSON.stringify([response, events.heard()])).not.toContain('secret');
  });

  it('K23 ECONNREFUSED', async () => {
    // A port that systems give to nobody; fetch refuses some others by itself.
    const api = await serveWith('http://127.0.0.1:2/jwks?token=secret');
    const response = await api.present(forge(key));
    expect(response.status).toBe(503);
    expect(lastReason()).toBe('ECONNREFUSED');
    expect(JSON.stringify([response, events.heard()])).not.toContain('secret');
  });

  it('K23 an untrusted TLS certificate', async () => {
    const server = createTlsServer(selfSigned('127.0.0.1'), json({ keys: [jwkOf(key)] }));
    const port = await listen(server);
    const api = await serveWith(`https://127.0.0.1:${port}/jwks?token=secret`);
    const response = await api.present(forge(key));
    await new Promise((resolve) => server.close(resolve));
    expect(response.status).toBe(503);
    expect(lastReason()).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(JSON.stringify([response, events.heard()])).not.toContain('secret');
  });
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
