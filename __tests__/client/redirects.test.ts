import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { tokenClient } from 'keyward/client';
import { type ApiRequest, readApiRequest } from '../../lib/client/fetch-arguments.js';
import { followRedirects } from '../../lib/client/redirects.js';
import { clientOf, issuerWith, started } from '../support/scripted-issuer.js';
import type { ScriptedAnswer, SeenRequest } from '../support/scripted-server.js';

const claimsOf = ({ headers }: SeenRequest) => decodeJwt(String(headers.dpop));
const redirect = (status: number, location: string): ScriptedAnswer => ({ status, headers: { location } });
const nonceRequired: ScriptedAnswer = {
  status: 401,
  headers: { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': 'one' },
};

async function boundClient() {
  const issuer = await issuerWith(() => ({ body: { access_token: 'token', token_type: 'DPoP', expires_in: 3_600 } }));
  return clientOf(issuer, { dpop: true }).client;
}

describe('a redirect of a DPoP-bound request', () => {
  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [303, 'GET', 'GET'],
    [301, 'PUT', 'PUT'],
    [302, 'PUT', 'PUT'],
    [301, 'HEAD', 'HEAD'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
  ])('%i of %s is followed by %s, with a proof of its own', async (status, method, next) => {
    const api = await started(({ path }) => (path === '/a' ? redirect(status, '/b?c') : {}));
    const headers = { 'content-type': 'text/plain', 'x-a': '1' };
    const body = method === 'HEAD' || method === 'GET' ? null : 'x';
    const response = await (await boundClient()).fetch(`${api.origin}/a`, { method, headers, body });
    expect(response.status).toBe(200);
    const [, second] = api.seen;
    expect(second).toMatchObject({ method: next, path: '/b?c', headers: { authorization: 'DPoP token', 'x-a': '1' } });
    expect(api.seen.map(claimsOf)).toMatchObject([
      { htm: method, htu: `${api.origin}/a` },
      { htm: next, htu: `${api.origin}/b` },
    ]);
    expect(second?.body).toBe(next === method && body !== null ? 'x' : '');
    expect(second?.headers['content-type']).toBe(next === method ? 'text/plain' : undefined);
  });

  it('repeats only the request that its target refused for want of a nonce', async () => {
    const api = await started((request) => {
      if (request.path === '/payments') return redirect(303, '/payments/1');
      return claimsOf(request).nonce === 'one' ? {} : nonceRequired;
    });
    const client = await boundClient();
    const response = await client.fetch(`${api.origin}/payments`, { method: 'POST', body: 'x' });
    expect(response.status).toBe(200);
    expect(api.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
  });

  it('to another origin is followed without token and proof, and its nonce is not stored', async () => {
    const elsewhere = await started(() => nonceRequired);
    const api = await started(({ path }) => (path === '/a' ? redirect(307, `${elsewhere.origin}/b`) : {}));
    const client = await boundClient();
    const headers = { cookie: 'a=1', 'x-a': '1' };
    const response = await client.fetch(`${api.origin}/a`, { method: 'POST', headers, body: 'x' });
    expect(response.status).toBe(401);
    expect(elsewhere.seen).toMatchObject([{ method: 'POST', body: 'x', headers: { 'x-a': '1' } }]);
    const names = Object.keys(elsewhere.seen[0]?.headers ?? {});
    for (const name of ['authorization', 'dpop', 'cookie']) expect(names).not.toContain(name);
    await client.fetch(`${api.origin}/c`);
    await client.fetch(`${elsewhere.origin}/c`);
    const nonces = [api.seen[1], elsewhere.seen[1]].map((seen) => seen !== undefined && claimsOf(seen).nonce);
    expect(nonces).toEqual([undefined, undefined]);
  });

  it('from https to http of the same host is followed without token and proof', async () => {
    const sent: (readonly [string, Headers])[] = [];
    const send = (async (url: string | URL | Request, init?: RequestInit) => {
      const request = new Request(url, init);
      sent.push([request.url, request.headers]);
      return new Response('x');
    }) as typeof fetch;
    const headers = { cookie: 'a=1', 'x-a': '1' };
    const first = readApiRequest('https://api.test/a', { headers }, true);
    const bound: string[] = [];
    const exchange = async ({ url }: ApiRequest) => {
      bound.push(url.href);
      return new Response(null, { status: 307, headers: { location: 'http://api.test/b' } });
    };
    await followRedirects(first, exchange, send);
    expect(bound).toEqual(['https://api.test/a']);
    expect(sent.map(([url, each]) => [url, [...each.keys()]])).toEqual([['http://api.test/b', ['x-a']]]);
  });

  it('is passed on with redirect "manual", and rejects with redirect "error"', async () => {
    const api = await started(() => redirect(302, '/b'));
    const client = await boundClient();
    expect((await client.fetch(api.origin, { redirect: 'manual' })).status).toBe(302);
    await expect(client.fetch(new Request(api.origin, { redirect: 'error' }))).rejects.toThrow('fetch failed');
    expect(api.seen).toHaveLength(2);
  });

  it.each([300, 304, 305])('%i is no redirect', async (status) => {
    const api = await started(() => redirect(status, '/b'));
    expect((await (await boundClient()).fetch(api.origin)).status).toBe(status);
    expect(api.seen).toHaveLength(1);
  });

  it('loses the headers of a body that is not sent again', async () => {
    const api = await started(({ path }) => (path === '/a' ? redirect(303, '/b') : {}));
    const described = {
      ...{ 'content-encoding': 'identity', 'content-language': 'en', 'content-location': '/x' },
      'content-type': 'text/plain',
    };
    const init = { method: 'POST', headers: { ...described, 'x-a': '1' }, body: 'x' };
    await (await boundClient()).fetch(`${api.origin}/a`, init);
    const [first, second] = api.seen;
    expect(first?.headers).toMatchObject(described);
    expect(second?.headers).toMatchObject({ 'x-a': '1' });
    for (const name of Object.keys(described)) expect(second?.headers).not.toHaveProperty(name);
  });

  it('to another origin is followed there to the end', async () => {
    const elsewhere = await started(({ path }) => (path === '/b' ? redirect(302, '/c') : {}));
    const api = await started(() => redirect(302, `${elsewhere.origin}/b`));
    expect((await (await boundClient()).fetch(api.origin)).status).toBe(200);
    expect(elsewhere.seen.map(({ path, headers }) => [path, headers.authorization, headers.dpop])).toEqual([
      ['/b', undefined, undefined],
      ['/c', undefined, undefined],
    ]);
  });

  it('to another origin loses all headers that are for the first', async () => {
    const secrets = { cookie: 'a=1', host: 'api.example', 'proxy-authorization': 'Basic x' };
    let last: Headers | undefined;
    const send: typeof fetch = async (input, init) => {
      if (String(input) === 'https://access.example/token')
        return Response.json({ access_token: 'token', token_type: 'DPoP' });
      if (String(input) === 'https://other.example/') {
        last = new Headers(init?.headers);
        return new Response(null);
      }
      return new Response(null, { status: 307, headers: { location: 'https://other.example/' } });
    };
    const endpoint = { tokenEndpoint: 'https://access.example/token', clientId: 'ack_1', clientSecret: 'secret' };
    const client = tokenClient({ ...endpoint, dpop: true, fetch: send });
    await client.fetch('https://api.example/', { headers: { ...secrets, 'x-a': '1' } });
    expect(Object.fromEntries(last ?? [])).toEqual({ 'x-a': '1' });
  });

  it('frees the connection of each redirect', async () => {
    let cancelled = 0;
    const send: typeof fetch = async (input) => {
      if (String(input) === 'https://access.example/token')
        return Response.json({ access_token: 'token', token_type: 'DPoP' });
      if (String(input) === 'https://api.example/b') return new Response(null);
      const body = new ReadableStream({
        cancel() {
          cancelled += 1;
        },
      });
      return new Response(body, { status: 302, headers: { location: '/b' } });
    };
    const endpoint = { tokenEndpoint: 'https://access.example/token', clientId: 'ack_1', clientSecret: 'secret' };
    const client = tokenClient({ ...endpoint, dpop: true, fetch: send });
    expect((await client.fetch('https://api.example/a')).status).toBe(200);
    expect(cancelled).toBe(1);
  });

  it('that no longer needs a stream can be repeated with a nonce', async () => {
    const api = await started((request) => {
      if (request.path === '/a') return redirect(303, '/b');
      return claimsOf(request).nonce === 'one' ? {} : nonceRequired;
    });
    const request = new Request(`${api.origin}/a`, { method: 'POST', body: 'x' });
    expect((await (await boundClient()).fetch(request)).status).toBe(200);
    expect(api.seen.map(({ path }) => path)).toEqual(['/a', '/b', '/b']);
  });

  it('that turns a POST into a GET keeps the members that only some fetch knows', async () => {
    const inits: RequestInit[] = [];
    const send: typeof fetch = async (input, init = {}) => {
      if (String(input) === 'https://access.example/token')
        return Response.json({ access_token: 'token', token_type: 'DPoP' });
      inits.push(init);
      return new Response(null, String(input).endsWith('/a') ? { status: 303, headers: { location: '/b' } } : {});
    };
    const endpoint = { tokenEndpoint: 'https://access.example/token', clientId: 'ack_1', clientSecret: 'secret' };
    const client = tokenClient({ ...endpoint, dpop: true, fetch: send });
    await client.fetch('https://api.example/a', { method: 'POST', body: 'x', keepalive: true });
    expect(inits).toMatchObject([
      { method: 'POST', body: 'x', keepalive: true },
      { method: 'GET', body: null, keepalive: true },
    ]);
  });

  it('is passed on without a Location', async () => {
    const api = await started(() => ({ status: 302 }));
    expect((await (await boundClient()).fetch(api.origin)).status).toBe(302);
  });

  it('is followed 20 times at most', async () => {
    const api = await started((_request, number) => redirect(302, `/${number}`));
    await expect((await boundClient()).fetch(api.origin)).rejects.toThrow('more than 20 redirects');
    expect(api.seen).toHaveLength(21);
  });

  it.each(['data:text/plain,x', 'x-http://api.example/', 'https://'])('to %s rejects', async (location) => {
    const api = await started(() => redirect(302, location));
    await expect((await boundClient()).fetch(api.origin)).rejects.toThrow('must be an http or https URL');
  });

  it('that needs a stream again rejects; 303 does not need it', async () => {
    const api = await started(({ path }) => (path === '/' ? {} : redirect(Number(path.slice(1)), '/')));
    const client = await boundClient();
    const upload = (path: string) => client.fetch(new Request(`${api.origin}${path}`, { method: 'POST', body: 'x' }));
    await expect(upload('/307')).rejects.toThrow('the body is a stream and cannot be sent again');
    expect((await upload('/303')).status).toBe(200);
  });
});
