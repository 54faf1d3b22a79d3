/** N06 and N07: a kid that is not in the key set, while the endpoint fails and under forged tokens. */
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { accessTokens } from 'keyward';
import { A5, answerOf, T1 } from '../support/answers.js';
import { hang, type IssuerServer, json, serveIssuer, status } from '../support/issuer-server.js';
import { createManualClock, type ManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf } from '../support/token-forge.js';

const key = createKey('ES256', 'first');
const next = createKey('ES256', 'next');
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const BAD_KID = refusal(T1, 'token_kid');

let issuer: IssuerServer;
let api: TokenApi;
let clock: ManualClock;
let tokens = 0;
const others: TokenApi[] = [];

beforeEach(async () => {
  issuer = await serveIssuer(jwkOf(key));
  clock = createManualClock();
  api = await serveTokenApi([accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: issuer.jwksUri, clock })]);
  expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all([issuer, api, ...others.splice(0)].map((server) => server.close()));
});

/** A token that was not presented before. */
function tokenOf(signer: typeof key, header: { kid?: string } = {}): string {
  tokens += 1;
  return forge(signer, { jti: `token-${tokens}` }, header);
}

const forged = () => tokenOf(createKey('ES256'), { kid: `forged-${tokens}` });

/** The time that a fetch may take is over as soon as the endpoint was asked. */
function timeOut(): RequestListener {
  return (req, res) => {
    hang(req, res);
    expired.abort(new DOMException('the time is over', 'TimeoutError'));
  };
}
let expired = new AbortController();

describe('a new kid while the key set cannot be fetched', () => {
  const faults: [string, () => RequestListener][] = [
    ['answers 503', () => status(503)],
    ['times out', timeOut],
    ['publishes two keys with one kid', () => json({ keys: [jwkOf(key), jwkOf(key), jwkOf(next)] })],
  ];

  beforeEach(() => {
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      expired = new AbortController();
      return expired.signal;
    });
  });

  it.each(faults)('N06 an endpoint that %s: 503, and known keys still work', async (_name, fault) => {
    issuer.answer(fault());
    for (let second = 0; second < 30; second += 1) {
      const answer = await api.judge(tokenOf(next));
      expect(answer).toMatchObject({ status: 503, challenge: undefined, reason: 'keys_unavailable', handled: false });
      expect(Number(answer.retryAfter)).toBeLessThanOrEqual(10);
      expect(await api.judge(tokenOf(key))).toEqual(ACCEPTED);
      clock.advance(SECOND);
    }
    expect(issuer.asked.length).toBeLessThanOrEqual(8);
  });

  it.each(faults)(
    'N06 an endpoint that %s: ten seconds after it recovers the new key is used',
    async (_name, fault) => {
      issuer.answer(fault());
      for (let second = 0; second < 30; second += 1) {
        await api.judge(tokenOf(next));
        clock.advance(SECOND);
      }
      issuer.publish(jwkOf(key), jwkOf(next));
      clock.advance(10 * SECOND);
      expect(await api.judge(tokenOf(next))).toEqual(ACCEPTED);
    },
  );

  it.each(faults)('N06 an endpoint that %s once: the failed fetch starts no cooldown', async (_name, fault) => {
    issuer.answer(fault());
    expect(await api.judge(tokenOf(next))).toEqual(refusal(A5, 'keys_unavailable'));
    issuer.publish(jwkOf(key), jwkOf(next));
    clock.advance(SECOND);
    expect(await api.judge(tokenOf(next))).toEqual(ACCEPTED);
    expect(issuer.asked.length).toBe(3);
  });

  it('N06 an endpoint that moved: the metadata is read again after the first failure', async () => {
    const metadata = (path: string) => json({ issuer: issuer.origin, jwks_uri: `${issuer.origin}${path}` });
    const serveKeysAt = (path: string) =>
      issuer.answer((req, res) => {
        if (req.url?.startsWith('/.well-known/') === true) metadata(path)(req, res);
        else if (req.url === path) json({ keys: [jwkOf(key), jwkOf(next)] })(req, res);
        else status(404)(req, res);
      });
    serveKeysAt('/old');
    const moved = await serveTokenApi([accessTokens({ issuer: issuer.origin, audience: AUDIENCE, clock })]);
    others.push(moved);
    const present = (kid: string) => moved.judge(forge(next, { iss: issuer.origin, jti: kid }, { kid }));
    expect(await present('next')).toEqual(ACCEPTED);
    serveKeysAt('/new');
    expect(await present('later')).toEqual(refusal(A5, 'keys_unavailable'));
    clock.advance(SECOND);
    expect(await present('later still')).toEqual(BAD_KID);
    expect(issuer.asked.at(-1)).toBe('/new');
  });
});

describe('forged kids', () => {
  it('N07 one per second: at most 12 fetches per minute', async () => {
    for (let second = 0; second < 180; second += 1) {
      expect(await api.judge(forged())).toEqual(BAD_KID);
      clock.advance(SECOND);
      if (second % 60 === 59) expect(issuer.asked.length).toBeLessThanOrEqual(12 * ((second + 1) / 60));
    }
  });

  it.each([0, 1, 2, 3, 4, 5])(
    'N07 one per second: a key published after %i seconds is used within ten',
    async (published) => {
      const pass = async (seconds: number) => {
        for (let second = 0; second < seconds; second += 1) {
          expect(await api.judge(forged())).toEqual(BAD_KID);
          clock.advance(SECOND);
        }
      };
      await pass(60 + published);
      issuer.publish(jwkOf(key), jwkOf(next));
      await pass(10);
      expect(await api.judge(tokenOf(next))).toEqual(ACCEPTED);
    },
  );

  it('N07 60 concurrently: at most 5 fetches', async () => {
    const replies = await Promise.all(Array.from({ length: 60 }, () => api.present(forged())));
    expect(replies.map(answerOf)).toEqual(Array(60).fill(T1));
    expect(issuer.asked.length).toBeLessThanOrEqual(1 + 5);
  });

  it('N07 for an hour: key set and metadata are not fetched more often', async () => {
    for (let minute = 0; minute < 60; minute += 1) {
      const before = issuer.asked.length;
      for (let tick = 0; tick < 20; tick += 1) {
        expect(await api.judge(forged())).toEqual(BAD_KID);
        clock.advance(MINUTE / 20);
      }
      expect(issuer.asked.length - before).toBeLessThanOrEqual(12);
    }
  });
});
