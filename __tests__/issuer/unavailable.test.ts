import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { systemClock } from '../../lib/contracts/clock.js';
import { BruteForceLimiter } from '../../lib/issuer/brute-force-limiter.js';
import { clientEndpoint } from '../../lib/issuer/client-endpoint.js';
import { authenticateRequests } from '../../lib/issuer/clients/authenticate-request.js';
import { CLIENT_AUTHENTICATION } from '../../lib/issuer/clients/presented-client.js';
import { type IssuerOptions, memorySigningKeys, type SigningKeyStore } from '../../lib/issuer/index.js';
import { senderConstraints } from '../../lib/issuer/sender-constraint.js';
import { makeSigningKey } from '../../lib/issuer/signing-keys/signing-key.js';
import { tokenEndpoint } from '../../lib/issuer/token-endpoint.js';
import { deferred } from '../support/deferred.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';
import { serve } from '../support/raw-http.js';
import { basic, GRANT, ID, record, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const UNAVAILABLE = {
  status: 503,
  retryAfter: '1',
  cacheControl: 'no-store',
  body: {
    error: 'temporarily_unavailable',
    error_description:
      'The request cannot be processed at the moment; retry after the number of seconds in the Retry-After header',
  },
};

let events: Eavesdropper;
let served: { close(): Promise<void> };
beforeEach(() => {
  events = eavesdrop();
});
afterEach(() => {
  events.stop();
  return served.close();
});

async function start(options: Partial<IssuerOptions>): Promise<TokenService> {
  const service = await tokenService(options);
  served = service;
  return service;
}

const obtainToken = (service: TokenService) => service.post(GRANT, basic(ID, SECRET));
const fetchKeys = (service: TokenService) => fetch(`${service.url}/.well-known/jwks.json`);

async function answerOf(asked: Promise<Response>) {
  const response = await asked;
  const [retryAfter, cacheControl] = ['retry-after', 'cache-control'].map((name) => response.headers.get(name));
  return { status: response.status, retryAfter, cacheControl, body: await response.json() };
}

describe('the signing keys', () => {
  async function corrupt(): Promise<SigningKeyStore> {
    const record = await makeSigningKey('ES256', 0);
    const { d: _gone, ...jwk } = record.jwk;
    return { ...memorySigningKeys(), listSigningKeys: () => [{ ...record, jwk }] };
  }

  it('T40 absent at start: one is created, published, and signs', async () => {
    const service = await start({ signingKeys: memorySigningKeys() });
    const { status } = await obtainToken(service);
    const { keys } = (await (await fetchKeys(service)).json()) as { keys: unknown[] };
    expect([status, keys.length]).toEqual([200, 1]);
    expect(events.heard('keyward:issuer')).toEqual([]);
  });

  it('T40 corrupt at start: 503 for tokens and the key set, with an event', async () => {
    const service = await start({ signingKeys: await corrupt() });
    expect(await answerOf(obtainToken(service))).toEqual(UNAVAILABLE);
    expect(await answerOf(fetchKeys(service))).toEqual(UNAVAILABLE);
    const [warning] = events.heard('keyward:issuer');
    expect(warning).toEqual({
      warning: 'signing_keys_away',
      detail: expect.stringMatching(/^signing key "[\w-]+": its jwk must be a private key$/),
    });
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'unavailable', reason: 'no_signing_key' }]);
  });

  it('T40 their store down: 503 temporarily_unavailable, never invalid_client', async () => {
    const listSigningKeys = () => Promise.reject(Object.assign(new Error('10.0.0.1'), { code: 'ECONNREFUSED' }));
    const service = await start({ signingKeys: { ...memorySigningKeys(), listSigningKeys } });
    expect(await answerOf(obtainToken(service))).toEqual(UNAVAILABLE);
    expect(await answerOf(fetchKeys(service))).toEqual(UNAVAILABLE);
    const warning = { warning: 'signing_keys_away', detail: 'listSigningKeys: Error ECONNREFUSED' };
    expect(events.heard('keyward:issuer')).toEqual([warning, warning]);
  });
});

describe('a bug', () => {
  it.each(['token', 'key set'])(
    'goes to the error handler of the app, and is not treated as an outage: %s',
    async (what) => {
      const clock = {
        now: () => {
          throw new Error('a mistake');
        },
        monotonic: () => 0,
      };
      const service = await start({ clock });
      const response = await (what === 'token' ? obtainToken(service) : fetchKeys(service));
      expect([response.status, await response.text()]).toEqual([500, 'a mistake']);
      expect(events.heard('keyward:token')).toEqual([]);
    },
  );
});

describe('a host app that has answered already', () => {
  it.each([
    ['a token', basic(ID, SECRET), GRANT],
    ['a refusal', basic(ID, SECRET), 'grant_type=password'],
    ['a challenge', basic(ID, 'wrong'), GRANT],
  ])('gets no second response with %s', async (_what, client, body) => {
    const nothingThrown = jest.fn();
    const authenticate = authenticateRequests({
      clientAuthentication: CLIENT_AUTHENTICATION,
      audiences: [],
      accessKeys: { resolveAccessKey: () => record() },
      replay: { firstUse: () => true },
      limits: new BruteForceLimiter({}),
      clock: systemClock,
    });
    const issueToken = async () => ({ access_token: 't', token_type: 'Bearer', expires_in: 3_600, scope: '' }) as const;
    const constrainSender = senderConstraints({ path: '/', proofs: undefined, mtls: undefined });
    const handle = clientEndpoint(
      { realm: 'test', authenticate, timeoutMs: 1_000 },
      tokenEndpoint({ issueToken, constrainSender }),
    );
    const decided = deferred<unknown>();
    subscribe('keyward:token', decided.resolve);
    const { port, close } = await serve((req, res) => {
      res.writeHead(504).end('too slow');
      handle(req, res, nothingThrown);
    });
    served = { close };
    const headers = { ...client, 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
    expect([response.status, await response.text()]).toEqual([504, 'too slow']);
    await decided.promise;
    await new Promise(setImmediate);
    unsubscribe('keyward:token', decided.resolve);
    expect(nothingThrown).not.toHaveBeenCalled();
  });
});
