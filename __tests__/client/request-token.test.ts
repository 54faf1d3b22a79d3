import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { START } from '../support/manual-clock.js';

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
