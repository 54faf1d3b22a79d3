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

describe('the option fetch', () => {
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

  it('gets the members of a Request that is given as init', async () => {
    const issuer = await issuerWith();
    const api = await started(() => ({}));
    const given = { method: 'PUT', headers: { 'x-a': '1' }, body: 'x' };
    await clientOf(issuer).client.fetch(api.origin, new Request('https://other.example', given));
    expect(api.seen).toMatchObject([given]);
  });
});
