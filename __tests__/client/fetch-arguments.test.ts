import { describe, expect, it } from '@jest/globals';
import { clientOf, invalidToken, issuerWith, started } from '../support/scripted-issuer.js';
import type { ScriptedAnswer } from '../support/scripted-server.js';

const seeOther = (location: string): ScriptedAnswer => ({ status: 303, headers: { location } });

describe('a 401 after a redirect', () => {
  it('does not repeat a POST, which was carried out', async () => {
    const issuer = await issuerWith();
    const api = await started(({ path }) => (path === '/payments' ? seeOther('/payments/1') : invalidToken));
    const { client } = clientOf(issuer);
    expect((await client.fetch(`${api.origin}/payments`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect(api.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /payments', 'GET /payments/1']);
    expect(await client.accessToken()).toBe('token-2');
  });

  it('repeats a GET with a new token', async () => {
    const issuer = await issuerWith();
    const api = await started(({ path, headers }) => {
      if (path === '/latest') return { status: 302, headers: { location: '/v2' } };
      return headers.authorization === 'Bearer token-1' ? invalidToken : {};
    });
    expect((await clientOf(issuer).client.fetch(`${api.origin}/latest`)).status).toBe(200);
  });

  it('keeps the token if another origin answered, which did not get it', async () => {
    const issuer = await issuerWith();
    const elsewhere = await started(() => invalidToken);
    const api = await started(() => seeOther(elsewhere.origin));
    const { client } = clientOf(issuer);
    expect((await client.fetch(api.origin)).status).toBe(401);
    expect(api.seen).toHaveLength(1);
    expect(elsewhere.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
    expect(await client.accessToken()).toBe('token-1');
  });
});

it('replaces the token for the next request if a stream could not be sent again', async () => {
  const issuer = await issuerWith();
  const api = await started(({ headers }) => (headers.authorization === 'Bearer token-1' ? invalidToken : {}));
  const { client } = clientOf(issuer);
  const upload = () =>
    client.fetch(api.origin, { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' as const });
  expect([(await upload()).status, (await upload()).status]).toEqual([401, 200]);
});

describe('a request that is refused with invalid_token', () => {
  async function* chunks() {
    yield new TextEncoder().encode('x');
  }

  it.each([
    ['an iterable body', (origin: string) => [origin, { method: 'POST', body: chunks(), duplex: 'half' }], 1],
    ['a Request without a body', (origin: string) => [new Request(origin)], 2],
    [
      'a text in the place of the body of a Request',
      (origin: string) => [new Request(origin, { method: 'POST', body: 'y' }), { body: 'x' }],
      2,
    ],
  ] as const)('is sent again only if its body can be read again: %s', async (_what, argsOf, times) => {
    const issuer = await issuerWith();
    const api = await started(({ headers }) => (headers.authorization === 'Bearer token-1' ? invalidToken : {}));
    const [input, init] = argsOf(api.origin) as unknown as [string | Request, RequestInit?];
    await clientOf(issuer).client.fetch(input, init);
    expect(api.seen).toHaveLength(times);
    expect(new Set(api.seen.map(({ body }) => body)).size).toBe(1);
  });

  it.each(['HEAD', 'OPTIONS'])('is sent again after a redirect of %s, which is safe', async (method) => {
    const issuer = await issuerWith();
    const api = await started(({ path, headers }) => {
      if (path === '/a') return { status: 307, headers: { location: '/b' } };
      return headers.authorization === 'Bearer token-1' ? invalidToken : {};
    });
    expect((await clientOf(issuer).client.fetch(`${api.origin}/a`, { method })).status).toBe(200);
  });

  it('is not sent again after a redirect of PUT', async () => {
    const issuer = await issuerWith();
    const api = await started(({ path }) =>
      path === '/a' ? { status: 307, headers: { location: '/b' } } : invalidToken,
    );
    const response = await clientOf(issuer).client.fetch(`${api.origin}/a`, { method: 'PUT', body: 'x' });
    expect(response.status).toBe(401);
    expect(api.seen.map(({ path }) => path)).toEqual(['/a', '/b']);
  });
});

describe('the option fetch', () => {
  it.each([
    ['get', 'GET'],
    ['head', 'HEAD'],
    ['options', 'OPTIONS'],
    ['post', 'POST'],
    ['put', 'PUT'],
    ['delete', 'DELETE'],
    ['patch', 'patch'],
  ])('gets the method %s as %s (Fetch §2.2.1)', async (given, method) => {
    const issuer = await issuerWith();
    const methods: unknown[] = [];
    const send: typeof fetch = async (input, init) => {
      if (String(input).startsWith(issuer.origin)) return fetch(input, init);
      methods.push(init?.method);
      return new Response(null);
    };
    await clientOf(issuer, { fetch: send }).client.fetch('https://api.example/', { method: given });
    expect(methods).toEqual([method]);
  });

  it('gets headers, method and redirect of init in the place of those of the Request', async () => {
    const issuer = await issuerWith();
    const api = await started(() => ({ status: 302, headers: { location: '/b' } }));
    const request = new Request(api.origin, { method: 'PUT', headers: { 'x-a': '1' }, redirect: 'error' });
    const init = { method: 'DELETE', headers: { 'x-b': '2' }, redirect: 'manual' as const };
    expect((await clientOf(issuer).client.fetch(request, init)).status).toBe(302);
    expect(api.seen).toMatchObject([{ method: 'DELETE', headers: { 'x-b': '2' } }]);
    expect(api.seen[0]?.headers).not.toHaveProperty('x-a');
  });

  it('gets the redirect of a Request', async () => {
    const issuer = await issuerWith();
    const api = await started(() => ({ status: 302, headers: { location: '/b' } }));
    const request = new Request(api.origin, { redirect: 'manual' });
    expect((await clientOf(issuer).client.fetch(request)).status).toBe(302);
    expect(api.seen).toHaveLength(1);
  });

  it('gets URL and init for each attempt, with members that only some fetch knows', async () => {
    const issuer = await issuerWith();
    const api = await started((_request, number) => (number === 1 ? invalidToken : {}));
    const attempts: { readonly url: string; readonly init: RequestInit | undefined }[] = [];
    // Like the fetch of undici, it accepts no `Request` of another implementation.
    const send: typeof fetch = async (input, init) => {
      if (input instanceof Request) throw new TypeError('Failed to parse URL from [object Request]');
      if (String(input).startsWith(api.origin)) attempts.push({ url: String(input), init });
      return fetch(input, init);
    };
    const { client } = clientOf(issuer, { fetch: send });
    const init = { method: 'post', body: 'x', keepalive: true };
    expect((await client.fetch(`${api.origin}/payments#top`, init)).status).toBe(200);
    const expected = { url: `${api.origin}/payments`, init: { ...init, method: 'POST' } };
    expect(attempts).toMatchObject([expected, expected]);
    expect(api.seen.map(({ body }) => body)).toEqual(['x', 'x']);
  });

  it('gets the Request of the caller, with method, headers and body', async () => {
    const issuer = await issuerWith();
    const api = await started(() => ({}));
    const given = { method: 'PUT', headers: { 'x-a': '1' }, body: 'x' };
    await clientOf(issuer).client.fetch(new Request(api.origin, given));
    expect(api.seen).toMatchObject([{ ...given, headers: { ...given.headers, authorization: 'Bearer token-1' } }]);
  });

  /** A client, and the second argument of its last request to the API. */
  async function capturingClient() {
    const issuer = await issuerWith();
    let last: RequestInit | undefined;
    const send: typeof fetch = async (input, init) => {
      if (String(input).startsWith(issuer.origin)) return fetch(input, init);
      last = init;
      return new Response(null);
    };
    return { ...clientOf(issuer, { fetch: send }), lastInit: () => last };
  }

  it('gets no member that the caller did not set', async () => {
    const { client, lastInit } = await capturingClient();
    await client.fetch('https://api.example/');
    expect(lastInit()).toStrictEqual({ method: 'GET', headers: expect.any(Headers), redirect: 'follow' });
  });

  it('gets the signal of a Request that is given as init', async () => {
    const { client, lastInit } = await capturingClient();
    const given = new Request('https://other.example', { signal: new AbortController().signal });
    await client.fetch('https://api.example/', given);
    expect(lastInit()?.signal).toBe(given.signal);
  });

  it('gets the members of a Request that is given as init', async () => {
    const issuer = await issuerWith();
    const api = await started(() => ({}));
    const given = { method: 'PUT', headers: { 'x-a': '1' }, body: 'x' };
    await clientOf(issuer).client.fetch(api.origin, new Request('https://other.example', given));
    expect(api.seen).toMatchObject([given]);
  });
});
