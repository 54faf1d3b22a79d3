import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FetchError } from '../../../lib/http/fetch-json.js';
import { introspectionEndpoint } from '../../../lib/tokens/introspection/introspection-endpoint.js';
import { createManualClock, type ManualClock } from '../../support/manual-clock.js';
import { type ScriptedAnswer, type ScriptedServer, scriptedServer } from '../../support/scripted-server.js';

const SECOND = 1_000;
const FAILING: ScriptedAnswer = { status: 500 };

let answer: ScriptedAnswer | Promise<never>;
let server: ScriptedServer;
let clock: ManualClock;
beforeEach(async () => {
  answer = { body: { active: true } };
  clock = createManualClock();
  server = await scriptedServer(() => answer);
});
afterEach(() => server.close());

function endpoint(timeout = 60_000) {
  const locate = jest.fn(async (_signal: AbortSignal) => new URL(`${server.origin}/introspect`));
  const client = { clientId: 'api', authentication: { secret: 'secret' } };
  return { locate, introspect: introspectionEndpoint({ locate, client, timeout, clock }) };
}

describe('a call', () => {
  it('sends the token as an access token, with the credentials of the client', async () => {
    expect(await endpoint().introspect('a b')).toEqual({ active: true });
    expect(server.seen).toMatchObject([
      {
        ...{ method: 'POST', path: '/introspect', body: 'token=a+b&token_type_hint=access_token' },
        headers: { authorization: `Basic ${Buffer.from('api:secret').toString('base64')}` },
      },
    ]);
  });

  it('fails after its time', async () => {
    answer = new Promise<never>(() => {});
    await expect(endpoint(20).introspect('x')).rejects.toEqual(new FetchError('the request timed out'));
  });
});

describe('the URL of the endpoint', () => {
  it('is located when it is first needed, once for all calls', async () => {
    const { locate, introspect } = endpoint();
    expect(locate).not.toHaveBeenCalled();
    await Promise.all([introspect('x'), introspect('y')]);
    await introspect('z');
    expect([locate.mock.calls.length, server.seen.length]).toEqual([1, 3]);
  });

  it('is located within five seconds', async () => {
    const timeout = jest.spyOn(AbortSignal, 'timeout');
    const { locate, introspect } = endpoint();
    await introspect('x');
    expect(timeout.mock.calls).toEqual([[5_000], [60_000]]);
    jest.restoreAllMocks();
    expect(locate.mock.calls).toEqual([[expect.any(AbortSignal)]]);
  });

  it('is located again for the next call if that failed', async () => {
    const { locate, introspect } = endpoint();
    locate.mockRejectedValueOnce(new FetchError('no metadata'));
    await expect(introspect('x')).rejects.toEqual(new FetchError('no metadata'));
    expect(await introspect('x')).toEqual({ active: true });
    expect(locate).toHaveBeenCalledTimes(2);
  });

  it('is located again after a call that failed, a minute after it was located', async () => {
    const { locate, introspect } = endpoint();
    answer = FAILING;
    for (const [wait, calls] of [
      [0, 1],
      [60 * SECOND - 1, 1],
      [1, 1],
      [0, 2],
      [60 * SECOND - 1, 2],
    ] as const) {
      clock.advance(wait);
      await expect(introspect('x')).rejects.toEqual(new FetchError('the response has status 500'));
      expect(locate).toHaveBeenCalledTimes(calls);
    }
  });

  it('is used for ever while calls succeed', async () => {
    const { locate, introspect } = endpoint();
    for (let call = 0; call < 3; call += 1) {
      await introspect('x');
      clock.advance(3_600 * SECOND);
    }
    expect(locate).toHaveBeenCalledTimes(1);
  });

  it('is located anew once if several calls fail at the same time', async () => {
    const { locate, introspect } = endpoint();
    await introspect('x');
    clock.advance(60 * SECOND);
    answer = FAILING;
    const reason = new FetchError('the response has status 500');
    expect(await Promise.allSettled([introspect('x'), introspect('y')])).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    answer = { body: { active: true } };
    await introspect('x');
    expect(locate).toHaveBeenCalledTimes(2);
  });
});
