import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { LookupFailure } from 'keyward';
import type { TokenDecision } from 'keyward/issuer';
import type { ClientRequest } from '../../lib/issuer/client-endpoint.js';
import type { ReadIssuedToken } from '../../lib/issuer/issued-tokens/read-issued-token.js';
import { type RevokingResolver, revocation } from '../../lib/issuer/issued-tokens/revocation.js';
import { deferred } from '../support/deferred.js';
import { type Eavesdropper, eavesdrop } from '../support/eavesdrop.js';

const TIMEOUT = 5_000;
const REFUSED = expect.objectContaining({
  ...{ code: 'temporarily_unavailable', reason: 'revocation_failed', status: 503 },
  headers: { 'Retry-After': '1' },
});
const failure = (reason: LookupFailure['reason'], detail?: string) =>
  expect.objectContaining({ of: 'revocation', reason, detail });

/** The times for which tokens were read. */
let readTimes: (readonly (number | undefined)[])[] = [];

/** Reads a token of the client `ack_shop`, which has its text as `jti`. */
const readToken: ReadIssuedToken = async (jti, ...times) => {
  readTimes.push(times);
  return {
    payload: {},
    claims: {
      ...{ clientId: 'ack_shop', tokenId: jti, scopes: [], expiresAt: 60, issuedAt: 0 },
      ...{ tokensNotBefore: undefined, boundKeys: undefined },
    },
  };
};

function endpointThat(revokeToken: RevokingResolver['revokeToken']) {
  const ask = endpointWith(readToken, revokeToken);
  return (token: string) => ask(new Map([['token', token]]));
}

/** An endpoint, and a request to it from the client `id`. */
function endpointWith(readToken: ReadIssuedToken, revokeToken: RevokingResolver['revokeToken'], id = 'ack_shop') {
  const { respond } = revocation({ readToken, accessKeys: { resolveAccessKey: () => null, revokeToken } });
  return (parameters: ReadonlyMap<string, string>) =>
    respond({
      parameters,
      accessKey: { id, account: 'acme' },
      authentication: 'basic',
    } as never as ClientRequest);
}

let events: Eavesdropper;
const failures = () => events.heard<LookupFailure>('keyward:lookup-failure');
const settle = () => new Promise(setImmediate);
async function pass(milliseconds: number) {
  await settle();
  jest.advanceTimersByTime(milliseconds);
  await settle();
  await settle();
}

beforeEach(() => {
  readTimes = [];
  events = eavesdrop();
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  events.stop();
  jest.useRealTimers();
});

describe('a revocation', () => {
  it('is stored with the client ID, the jti and the expiry, and leaves no timer', async () => {
    const stored: unknown[] = [];
    const revoke = endpointThat(async (...given) => void stored.push(given));
    expect(await revoke('one')).toEqual({ body: {} });
    expect(stored).toEqual([['ack_shop', 'one', new Date(60_000)]]);
    expect([jest.getTimerCount(), failures()]).toEqual([0, []]);
  });

  it('is stored whatever the clock of this instance says, because it may be ahead or behind', async () => {
    await endpointThat(async () => {})('one');
    expect(readTimes).toEqual([[]]);
  });

  it.each<[string, () => Promise<void>]>([
    ['rejects', () => Promise.reject(Object.assign(new Error('at 10.0.0.1'), { code: 'ECONNREFUSED' }))],
    [
      'throws',
      () => {
        throw Object.assign(new Error('at 10.0.0.1'), { code: 'ECONNREFUSED' });
      },
    ],
  ])('is 503 if revokeToken %s, with an event of its own', async (_how, revokeToken) => {
    await expect(endpointThat(revokeToken)('one')).rejects.toEqual(REFUSED);
    expect(failures()).toEqual([failure('threw', 'Error ECONNREFUSED')]);
    expect(failures()[0]?.where).not.toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is 503 after 5 seconds, and an error after that is an event too', async () => {
    const write = deferred<void>();
    const answer = endpointThat(() => write.promise)('one').catch((error: unknown) => error);
    await pass(TIMEOUT - 1);
    expect(failures()).toEqual([]);
    await pass(1);
    expect(await answer).toEqual(REFUSED);
    expect(failures()).toEqual([failure('timed_out')]);
    write.reject(new TypeError('late'));
    await settle();
    expect(failures()).toEqual([failure('timed_out'), failure('threw', 'TypeError')]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is stored in time if the write had ended while the event loop was blocked', async () => {
    const write = deferred<void>();
    const answer = endpointThat(() => write.promise)('one');
    await settle();
    jest.advanceTimersByTime(TIMEOUT);
    write.resolve();
    expect(await answer).toEqual({ body: {} });
    await settle();
    expect(failures()).toEqual([]);
  });
});

describe('without a write', () => {
  const notCalled = () => Promise.reject(new Error('revokeToken was called'));

  it('a request without a token is refused', async () => {
    const asked = endpointWith(readToken, notCalled)(new Map());
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request', reason: 'no_token' });
  });

  it('the token of another client is refused', async () => {
    const asked = endpointWith(readToken, notCalled, 'ack_thief')(new Map([['token', 'one']]));
    await expect(asked).rejects.toMatchObject({ code: 'unauthorized_client', reason: 'token_of_another_client' });
  });

  it('an invalid token is answered like one that was revoked, with the same event', async () => {
    const revoke = endpointWith(async () => undefined, notCalled);
    expect(await revoke(new Map([['token', 'garbage']]))).toEqual({ body: {} });
    await endpointThat(async () => {})('one');
    const event: TokenDecision = {
      ...{ endpoint: 'revocation', outcome: 'revoked', status: 200, clientId: 'ack_shop', authentication: 'basic' },
      ...{ reason: undefined, scopes: undefined },
    };
    expect(events.heard<TokenDecision>('keyward:token')).toStrictEqual([event, event]);
  });
});

it('requests for the same token share a write while it is pending', async () => {
  const write = deferred<void>();
  const asked: string[] = [];
  const revoke = endpointThat(async (_id, jti) => {
    asked.push(jti);
    await write.promise;
  });
  const answers = ['one', 'one', 'two', 'one'].map((jti) => revoke(jti));
  await settle();
  expect(asked).toEqual(['one', 'two']);
  write.resolve();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4].map(() => ({ body: {} })));
  await revoke('one');
  expect(asked).toEqual(['one', 'two', 'one']);
});

it('a write that settles after 50 seconds does not affect the next write of the same token', async () => {
  const [first, second] = [deferred<void>(), deferred<void>()];
  const writes = [first, second];
  let asked = 0;
  const revoke = endpointThat(() => {
    asked += 1;
    return writes[asked - 1]?.promise ?? Promise.resolve();
  });
  const refused = revoke('one').catch((error: unknown) => error);
  await pass(TIMEOUT);
  expect(await refused).toEqual(REFUSED);
  await pass(45_000);
  const answers = [revoke('one')];
  await settle();
  first.resolve();
  await settle();
  answers.push(revoke('one'));
  await settle();
  expect(asked).toBe(2);
  second.resolve();
  expect(await Promise.all(answers)).toEqual([{ body: {} }, { body: {} }]);
});

describe('at most 100 writes are pending', () => {
  /** Starts 100 writes that do not settle. */
  async function startMany() {
    const writes = Array.from({ length: 100 }, () => deferred<void>());
    let asked = 0;
    const revoke = endpointThat(async () => {
      const write = writes[asked];
      asked += 1;
      return write?.promise;
    });
    const answers = writes.map((_write, index) => revoke(`jti-${index}`).catch((error: unknown) => error));
    await settle();
    return { writes, revoke, answers, asked: () => asked };
  }

  it('another is 503 at once, until one of them settles', async () => {
    const { writes, revoke, answers, asked } = await startMany();
    await expect(revoke('more')).rejects.toEqual(REFUSED);
    expect([asked(), failures()]).toEqual([100, [failure('too_many')]]);
    writes[7]?.resolve();
    expect(await answers[7]).toEqual({ body: {} });
    expect(await revoke('more')).toEqual({ body: {} });
    for (const write of writes) write.resolve();
    await Promise.all(answers);
  });

  it('those that timed out count too, and are forgotten after 50 seconds', async () => {
    const { writes, revoke, answers } = await startMany();
    await pass(TIMEOUT);
    expect(await Promise.all(answers)).toEqual(writes.map(() => REFUSED));
    await expect(revoke('more')).rejects.toEqual(REFUSED);
    await pass(44_999);
    await expect(revoke('more')).rejects.toEqual(REFUSED);
    await pass(1);
    expect(await revoke('more')).toEqual({ body: {} });
  });
});
