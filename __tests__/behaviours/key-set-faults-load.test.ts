/** K20 to K22: many at once, and lookups that do not end well. */
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type AccessKeyRecord, accessTokens, apiKeys, type CredentialVerifier, type KeyRecord } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { A5, answerOf } from '../support/answers.js';
import { deferred } from '../support/deferred.js';
import { type IssuerServer, json, serveIssuer } from '../support/issuer-server.js';
import { createManualClock } from '../support/manual-clock.js';
import { ACCEPTED, refusal, serveTokenApi, type TokenApi } from '../support/token-api.js';
import { AUDIENCE, createKey, forge, ISSUER, jwkOf, jwksOf } from '../support/token-forge.js';

const key = createKey('ES256', 'ours');
const common = { issuer: ISSUER, audience: AUDIENCE, clock: createManualClock() };

describe('a resolver', () => {
  const accessKey: AccessKeyRecord = {
    ...{ id: 'ack_forged', account: 'acc_1', environment: 'live', secrets: [] },
    ...{ scopes: ['payments'], defaultScopes: [] },
  };
  const keyRecord: KeyRecord = { id: 'key_1', kind: 'secret', account: 'acc_1', environment: 'live', apis: 'all' };

  const resolvers: [string, string, object, (resolve: () => never) => CredentialVerifier][] = [
    [
      'resolveAccessKey',
      forge(key),
      accessKey,
      (resolve) => accessTokens({ ...common, jwks: jwksOf(key), accessKeys: { resolveAccessKey: resolve } }),
    ],
    [
      'resolveKey',
      mintKey('secret', 'live'),
      keyRecord,
      (resolve) => apiKeys({ resolver: resolve, kinds: ['secret'], environment: 'live', clock: common.clock }),
    ],
  ];

  let api: TokenApi;
  afterEach(async () => {
    jest.useRealTimers();
    await api.close();
  });

  describe.each(resolvers)('%s', (name, credential, record, verifierOf) => {
    it.each<[string, () => unknown]>([
      [
        'throws at once',
        () => {
          throw new Error('no connection');
        },
      ],
      ['rejects', () => Promise.reject(new Error('no connection'))],
      [
        'throws undefined',
        () => {
          throw undefined;
        },
      ],
    ])(`K20 ${name} %s`, async (_how, resolve) => {
      api = await serveTokenApi([verifierOf(resolve as () => never)]);
      expect(await api.judge(credential)).toEqual(refusal(A5, 'lookup_threw'));
    });

    const until = async (resolve: () => unknown) => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
      const asked = deferred<void>();
      const listening = () => {
        asked.resolve();
        return resolve();
      };
      api = await serveTokenApi([verifierOf(listening as () => never)]);
      const judgement = api.judge(credential);
      await asked.promise;
      await jest.advanceTimersByTimeAsync(999);
      const early = await Promise.race([judgement, Promise.resolve('waiting')]);
      await jest.advanceTimersByTimeAsync(1);
      return { early, judgement: await judgement };
    };

    it(`K20 ${name} hangs`, async () => {
      const { early, judgement } = await until(() => new Promise(() => {}));
      expect([early, judgement]).toEqual(['waiting', refusal(A5, 'lookup_timed_out')]);
    });

    it(`K20 ${name} returns late: later requests use its result`, async () => {
      const late = deferred<object>();
      const { judgement } = await until(() => late.promise);
      expect(judgement).toEqual(refusal(A5, 'lookup_timed_out'));
      late.resolve(record);
      await jest.advanceTimersByTimeAsync(0);
      expect(await api.judge(credential)).toEqual(ACCEPTED);
    });
  });
});

describe('concurrent requests while the keys are fetched', () => {
  let issuer: IssuerServer;
  let api: TokenApi;
  const keys: RequestListener = json({ keys: [jwkOf(key)] });

  /** The issuer answers when the test lets it. */
  function holdBack() {
    const asked = deferred<void>();
    const answer = deferred<void>();
    issuer.answer(async (req, res) => {
      asked.resolve();
      await answer.promise;
      keys(req, res);
    });
    return { asked: asked.promise, answer: () => answer.resolve() };
  }

  // The fetch lasts as long as the crowd needs.
  const { signal } = new AbortController();
  beforeEach(async () => {
    jest.spyOn(AbortSignal, 'timeout').mockReturnValue(signal);
    issuer = await serveIssuer();
    api = await serveTokenApi([accessTokens({ ...common, jwks: issuer.jwksUri })]);
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return Promise.all([issuer.close(), api.close()]);
  });

  it('K21 1,000 clients close their connections meanwhile: the keys are stored', async () => {
    const { asked, answer } = holdBack();
    const waiting = api.judge(forge(key));
    await asked;
    const other = forge(key, { jti: 'other' });
    const hundred = Array.from({ length: 100 }, () => other);
    for (let batch = 0; batch < 10; batch += 1) await Promise.all(hundred.map((token) => leave(api.port, token)));
    answer();
    expect(await waiting).toEqual(ACCEPTED);
    expect(await api.judge(forge(key, { jti: 'after' }))).toEqual(ACCEPTED);
    expect(issuer.asked.length).toBe(1);
  });

  it('K22 500 first requests: one fetch, and all get a response', async () => {
    const { asked, answer } = holdBack();
    const tokens = Array.from({ length: 5 }, (_, i) => forge(key, { jti: `token-${i}` }));
    const replies = Array.from({ length: 100 }, () => tokens.map((token) => api.present(token))).flat();
    await asked;
    answer();
    expect((await Promise.all(replies)).map(answerOf)).toEqual(Array(500).fill({ status: 200, challenge: undefined }));
    expect(issuer.asked.length).toBe(1);
  });
});

/** Sends a request and hangs up. */
function leave(port: number, credential: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      const request = `GET / HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${credential}\r\n\r\n`;
      socket.write(request, () => socket.destroy());
    });
    socket.on('close', () => resolve());
  });
}
