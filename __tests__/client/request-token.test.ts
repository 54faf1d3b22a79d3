import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createManualClock, START } from '../support/manual-clock.js';

const wait = jest.fn(async (_milliseconds: number) => undefined);
jest.unstable_mockModule('node:timers/promises', () => ({ setTimeout: wait }));
const { tokenClient } = await import('../../lib/client/token-client.js');

beforeEach(() => void wait.mockClear());

/** Asks for a token where the server is overloaded at first; returns the statuses of its responses, and the waits. */
async function askWith(retryAfter: string) {
  const statuses: number[] = [];
  const client = tokenClient({
    ...{ tokenEndpoint: 'https://login.test/token', clientId: 'ack_1', clientSecret: 'secret' },
    clock: { now: () => START, monotonic: () => 0 },
    fetch: async () => {
      const isFirst = statuses.length === 0;
      statuses.push(isFirst ? 503 : 200);
      return isFirst
        ? new Response(null, { status: 503, headers: { 'retry-after': retryAfter } })
        : Response.json({ access_token: 'token', token_type: 'Bearer', expires_in: 60 });
    },
  });
  await client.accessToken().catch(() => undefined);
  return { statuses, waits: wait.mock.calls.map(([milliseconds]) => milliseconds) };
}

describe('a token request to a server that is overloaded', () => {
  it.each([
    ['0', 0],
    ['30', 30_000],
    [new Date(START + 30_000).toUTCString(), 30_000],
    [new Date(START - 60_000).toUTCString(), 0],
  ])('is repeated after Retry-After: %s', async (retryAfter, waited) => {
    expect(await askWith(retryAfter)).toEqual({ statuses: [503, 200], waits: [waited] });
  });

  it.each(['31', new Date(START + 31_000).toUTCString(), '1.5', '-1', 'soon'])(
    'is not repeated for Retry-After: %s',
    async (retryAfter) => {
      expect(await askWith(retryAfter)).toEqual({ statuses: [503], waits: [] });
    },
  );
});

/** A client whose token endpoint answers with each of `answers` in turn, and then with tokens. */
function refusedClient(...answers: readonly ResponseInit[]) {
  const clock = createManualClock();
  let requests = 0;
  const client = tokenClient({
    ...{ tokenEndpoint: 'https://login.test/token', clientId: 'ack_1', clientSecret: 'secret', clock },
    fetch: async () => {
      requests += 1;
      const init = answers[requests - 1];
      if (init !== undefined) return Response.json({ error: 'slow_down' }, init);
      return Response.json({ access_token: 'token', token_type: 'Bearer', expires_in: 3_600 });
    },
  });
  return { client, clock, requests: () => requests };
}

const answerOf = (status: number, retryAfter: string): ResponseInit => ({
  status,
  headers: { 'retry-after': retryAfter },
});

describe('a token endpoint that asks the client to wait', () => {
  const slowDown = (status: number) => ({
    ...{ code: 'token_request_refused', status },
    message: `the token endpoint returned status ${status} (slow_down)`,
  });

  it.each([
    ['31', 30_000],
    ['60', 30_000],
    ['2147483647', 30_000],
    ['9'.repeat(400), 30_000],
    [new Date(START + 60_000).toUTCString(), 30_000],
  ])('gets no further request for 30 s at most: Retry-After: %s', async (retryAfter, milliseconds) => {
    const { client, clock, requests } = refusedClient(answerOf(429, retryAfter));
    for (let call = 0; call < 5; call += 1) await expect(client.accessToken()).rejects.toMatchObject(slowDown(429));
    clock.advance(milliseconds - 1);
    await expect(client.fetch('https://api.test/')).rejects.toMatchObject(slowDown(429));
    expect(requests()).toBe(1);
    clock.advance(1);
    expect(await client.accessToken()).toBe('token');
    expect(requests()).toBe(2);
  });

  it('gets no request before the time that its last answer names', async () => {
    const { client, clock, requests } = refusedClient(answerOf(503, '1'), answerOf(429, '20'));
    for (let call = 0; call < 5; call += 1) await expect(client.accessToken()).rejects.toMatchObject(slowDown(429));
    clock.advance(19_999);
    await expect(client.accessToken()).rejects.toMatchObject(slowDown(429));
    expect(requests()).toBe(2);
    clock.advance(1);
    expect(await client.accessToken()).toBe('token');
  });

  it('gets a request at once if its last answer names no time', async () => {
    const { client, requests } = refusedClient(answerOf(503, '20'), { status: 503 });
    await expect(client.accessToken()).rejects.toMatchObject(slowDown(503));
    expect(await client.accessToken()).toBe('token');
    expect(requests()).toBe(3);
  });

  it('may ask again after the pause', async () => {
    const { client, clock, requests } = refusedClient(answerOf(503, '60'), answerOf(429, '60'));
    for (const [index, status] of [503, 429].entries()) {
      for (let call = 0; call < 3; call += 1)
        await expect(client.accessToken()).rejects.toMatchObject(slowDown(status));
      expect(requests()).toBe(index + 1);
      clock.advance(30_000);
    }
    expect(await client.accessToken()).toBe('token');
  });

  it.each([
    ['is set back: the pause ends by the monotonic clock', -3_600_000, 30_000],
    ['is set forward: the pause ends', 30_000, 0],
  ])('is asked again if the wall clock %s', async (_what, change, milliseconds) => {
    const { client, clock } = refusedClient(answerOf(503, '60'));
    await expect(client.accessToken()).rejects.toMatchObject(slowDown(503));
    clock.setWall(change);
    clock.advance(milliseconds);
    expect(await client.accessToken()).toBe('token');
  });
});
