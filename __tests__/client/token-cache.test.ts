import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { TokenClientError, type TokenClientOptions, tokenClient } from 'keyward/client';
import { type Deferred, deferred } from '../support/deferred.js';
import { createManualClock } from '../support/manual-clock.js';

const TOKEN_URL = 'https://access.example/token';
const API_URL = 'https://api.example/payments';
const refused = () => new Response('{}', { status: 500 });
const issued = (token: string, seconds = 3_600) =>
  Response.json({ access_token: token, token_type: 'Bearer', expires_in: seconds });

/** A client whose requests a test answers one by one: `answers[0]` is that of the first token request. */
function answeredClient(options: Partial<TokenClientOptions> = {}) {
  const clock = createManualClock();
  const answers: Deferred<Response>[] = [];
  const presented: (string | null)[] = [];
  const refusals: { readonly token: string; readonly answer: Deferred<Response> }[] = [];
  const send: typeof fetch = async (input, init) => {
    if ((input instanceof Request ? input.url : String(input)) === API_URL) {
      const authorization = new Headers(init?.headers).get('authorization');
      presented.push(authorization);
      return refusals.find(({ token }) => authorization === `Bearer ${token}`)?.answer.promise ?? new Response('{}');
    }
    const answer = deferred<Response>();
    answers.push(answer);
    return answer.promise;
  };
  const given = { tokenEndpoint: TOKEN_URL, clientId: 'ack_1', clientSecret: 'secret', clock, fetch: send };
  /** Answers the last token request, and waits until the client has read it. */
  async function answer(response: Response) {
    await turns();
    answers.at(-1)?.resolve(response);
    await turns();
  }
  return { client: tokenClient({ ...given, ...options }), clock, answers, presented, refusals, answer };
}

async function turns() {
  for (let turn = 0; turn < 5; turn += 1) await setImmediate();
}

async function clientWithToken() {
  const parts = answeredClient();
  const first = parts.client.accessToken();
  await parts.answer(issued('token-1'));
  expect(await first).toBe('token-1');
  return parts;
}

describe('a refresh', () => {
  it('goes on in the background: calls get the old token until it expires, at once', async () => {
    const { client, clock, answers, presented, answer } = await clientWithToken();
    clock.advance(3_540_000);
    const tokens = await Promise.all(Array.from({ length: 100 }, () => client.accessToken()));
    expect(new Set(tokens)).toEqual(new Set(['token-1']));
    clock.advance(59_999);
    await client.fetch(API_URL);
    expect(presented).toEqual(['Bearer token-1']);
    expect(answers).toHaveLength(2);
    await answer(issued('token-2'));
    expect(await client.accessToken()).toBe('token-2');
    expect(answers).toHaveLength(2);
  });

  it.each([
    [3_600, 3_540_000],
    [60, 54_000],
  ])('of a token of %d s starts after %d ms, and not before', async (seconds, after) => {
    const { client, clock, answers, answer } = answeredClient();
    const first = client.accessToken();
    await answer(issued('token-1', seconds));
    await first;
    clock.advance(after - 1);
    await client.accessToken();
    await turns();
    expect(answers).toHaveLength(1);
    clock.advance(1);
    await client.accessToken();
    await turns();
    expect(answers).toHaveLength(2);
  });

  it('is waited for as soon as the old token has expired', async () => {
    const { client, clock, answers, answer } = await clientWithToken();
    clock.advance(3_599_999);
    expect(await client.accessToken()).toBe('token-1');
    clock.advance(1);
    const next = client.accessToken();
    await answer(issued('token-2'));
    expect(await next).toBe('token-2');
    expect(answers).toHaveLength(2);
  });

  it('that fails is repeated after five seconds, and nobody has to handle its rejection', async () => {
    const { client, clock, answers, answer } = await clientWithToken();
    clock.advance(3_540_000);
    expect(await client.accessToken()).toBe('token-1');
    await answer(refused());
    clock.advance(4_999);
    for (let call = 0; call < 10; call += 1) expect(await client.accessToken()).toBe('token-1');
    expect(answers).toHaveLength(2);
    clock.advance(1);
    expect(await client.accessToken()).toBe('token-1');
    await answer(issued('token-2'));
    expect(await client.accessToken()).toBe('token-2');
  });

  it('is not repeated before the time that Retry-After names, but after 30 seconds at most', async () => {
    const { client, clock, answers, answer } = await clientWithToken();
    clock.advance(3_540_000);
    expect(await client.accessToken()).toBe('token-1');
    await answer(new Response('{}', { status: 503, headers: { 'retry-after': '3600' } }));
    for (let second = 0; second < 30; second += 1) {
      expect(await client.accessToken()).toBe('token-1');
      await turns();
      clock.advance(1_000);
    }
    expect(answers).toHaveLength(2);
    expect(await client.accessToken()).toBe('token-1');
    await answer(issued('token-2'));
    expect(await client.accessToken()).toBe('token-2');
    expect(answers).toHaveLength(3);
  });

  it('that fails after the old token expired rejects for those who wait', async () => {
    const { client, clock, answer } = await clientWithToken();
    clock.advance(3_599_999);
    await client.accessToken();
    clock.advance(1);
    const waiting = client.accessToken().catch((error: unknown) => error);
    await answer(refused());
    expect(await waiting).toBeInstanceOf(TokenClientError);
    const again = client.accessToken();
    await answer(issued('token-2'));
    expect(await again).toBe('token-2');
  });
});

describe('the lifetime of a token', () => {
  it('counts from its request, because the issuer may have counted from then', async () => {
    const { client, clock, answers, answer } = answeredClient();
    const first = client.accessToken();
    await turns();
    clock.advance(10_000);
    await answer(issued('token-1', 60));
    await first;
    clock.advance(49_999);
    expect(await client.accessToken()).toBe('token-1');
    await answer(refused());
    clock.advance(1);
    const next = client.accessToken();
    await answer(issued('token-2'));
    expect(await next).toBe('token-2');
    expect(answers).toHaveLength(3);
  });

  it('is a minute without expires_in', async () => {
    const { client, clock, answers, answer } = answeredClient();
    const first = client.accessToken();
    await answer(Response.json({ access_token: 'token-1', token_type: 'Bearer' }));
    await first;
    clock.advance(53_999);
    await client.accessToken();
    await turns();
    expect(answers).toHaveLength(1);
    clock.advance(6_000);
    expect(await client.accessToken()).toBe('token-1');
    clock.advance(1);
    const next = client.accessToken();
    await answer(issued('token-2'));
    expect(await next).toBe('token-2');
  });
});

describe('a token that the API refuses', () => {
  it('is not used again if a refresh that was pending then fails', async () => {
    const { client, clock, answers, refusals, answer } = await clientWithToken();
    const refusal = deferred<Response>();
    refusals.push({ token: 'token-1', answer: refusal });
    const response = client.fetch(API_URL).catch((error: unknown) => error);
    await turns();
    clock.advance(3_540_000);
    await client.accessToken();
    refusal.resolve(
      new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }),
    );
    await answer(refused());
    expect(await response).toBeInstanceOf(TokenClientError);
    expect(answers).toHaveLength(2);
    const next = client.accessToken();
    await answer(issued('token-2'));
    expect(await next).toBe('token-2');
  });

  it('does not end a newer token', async () => {
    const { client, clock, refusals, presented, answer } = await clientWithToken();
    const refusal = deferred<Response>();
    refusals.push({ token: 'token-1', answer: refusal });
    const response = client.fetch(API_URL);
    await turns();
    clock.advance(3_540_000);
    await client.accessToken();
    await answer(issued('token-2'));
    refusal.resolve(
      new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }),
    );
    expect((await response).status).toBe(200);
    expect(presented).toEqual(['Bearer token-1', 'Bearer token-2']);
  });

  it('is replaced, also after a failed refresh', async () => {
    const { client, clock, refusals, presented, answer } = await clientWithToken();
    const refusal = deferred<Response>();
    refusals.push({ token: 'token-1', answer: refusal });
    const response = client.fetch(API_URL);
    await turns();
    clock.advance(3_540_000);
    await client.accessToken();
    await answer(refused());
    refusal.resolve(
      new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } }),
    );
    await answer(issued('token-2'));
    expect((await response).status).toBe(200);
    expect(presented).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});

describe('an aborted request', () => {
  it('that was aborted before asks for no token', async () => {
    const { client, answers } = answeredClient();
    const error = await client.fetch(API_URL, { signal: AbortSignal.abort() }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'AbortError' });
    await turns();
    expect(answers).toHaveLength(0);
  });

  it.each([
    ['init', (signal: AbortSignal) => [API_URL, { signal }]],
    ['a Request', (signal: AbortSignal) => [new Request(API_URL, { signal })]],
  ] as const)('does not wait for the token, with the signal in %s; others do', async (_where, argsOf) => {
    const { client, presented, answer } = answeredClient();
    const controller = new AbortController();
    const reason = new Error('enough');
    const [input, init] = argsOf(controller.signal) as [string | Request, RequestInit?];
    const aborted = client.fetch(input, init).catch((error: unknown) => error);
    const other = client.fetch(API_URL);
    await turns();
    controller.abort(reason);
    expect(await aborted).toBe(reason);
    await answer(issued('token-1'));
    expect((await other).status).toBe(200);
    expect(presented).toEqual(['Bearer token-1']);
  });

  it('leaves no listener on a signal that does not abort', async () => {
    const { client, answer } = answeredClient();
    const { signal } = new AbortController();
    const response = client.fetch(API_URL, { signal });
    await turns();
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await answer(issued('token-1'));
    expect((await response).status).toBe(200);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('the token endpoint in the metadata', () => {
  let endpoint = '';
  let discoveries = 0;
  beforeEach(() => {
    endpoint = 'https://access.example/old';
    discoveries = 0;
  });

  function movingIssuer(fail: () => Response) {
    const clock = createManualClock();
    const send: typeof fetch = async (input) => {
      const url = String(input);
      if (url === endpoint) return issued('token', 10);
      if (!url.includes('/.well-known/')) return fail();
      discoveries += 1;
      return Response.json({ issuer: 'https://access.example', token_endpoint: endpoint });
    };
    const names = { issuer: 'https://access.example', clientId: 'ack_1', clientSecret: 'secret' };
    return { client: tokenClient({ ...names, clock, fetch: send }), clock };
  }

  it.each<[string, () => Response]>([
    ...[301, 302, 307, 308, 404, 405, 410].map((status): [string, () => Response] => [
      `answers ${status}`,
      () => new Response(null, { status }),
    ]),
    [
      'cannot be reached',
      () => {
        throw new TypeError('fetch failed');
      },
    ],
  ])('is searched for again if it %s', async (_what, fail) => {
    const { client, clock } = movingIssuer(fail);
    await client.accessToken();
    endpoint = 'https://access.example/new';
    clock.advance(60_000);
    await expect(client.accessToken()).rejects.toBeInstanceOf(TokenClientError);
    expect(await client.accessToken()).toBe('token');
    expect(discoveries).toBe(2);
  });

  it('is kept for a minute', async () => {
    const { client, clock } = movingIssuer(() => new Response(null, { status: 404 }));
    await client.accessToken();
    endpoint = 'https://access.example/new';
    clock.advance(59_999);
    for (let call = 0; call < 2; call += 1) await expect(client.accessToken()).rejects.toMatchObject({ status: 404 });
    expect(discoveries).toBe(1);
    clock.advance(1);
    await expect(client.accessToken()).rejects.toMatchObject({ status: 404 });
    expect(await client.accessToken()).toBe('token');
    expect(discoveries).toBe(2);
  });

  it('is kept if it refuses the client', async () => {
    const { client, clock } = movingIssuer(() => Response.json({ error: 'invalid_client' }, { status: 401 }));
    await client.accessToken();
    endpoint = 'https://access.example/new';
    clock.advance(60_000);
    for (let call = 0; call < 2; call += 1) await expect(client.accessToken()).rejects.toMatchObject({ status: 401 });
    expect(discoveries).toBe(1);
  });
});
