import { describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
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
    [301, 'PUT', 'PUT'],
    [307, 'POST', 'POST'],
    [308, 'POST', 'POST'],
  ])('%i of %s is followed by %s, with a proof of its own', async (status, method, next) => {
    const api = await started(({ path }) => (path === '/a' ? redirect(status, '/b?c') : {}));
    const headers = { 'content-type': 'text/plain', 'x-a': '1' };
    const body = method === 'HEAD' ? null : 'x';
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

  it('is passed on with redirect "manual", and rejects with redirect "error"', async () => {
    const api = await started(() => redirect(302, '/b'));
    const client = await boundClient();
    expect((await client.fetch(api.origin, { redirect: 'manual' })).status).toBe(302);
    await expect(client.fetch(new Request(api.origin, { redirect: 'error' }))).rejects.toThrow('fetch failed');
    expect(api.seen).toHaveLength(2);
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

  it.each(['data:text/plain,x', 'https://'])('to %s rejects', async (location) => {
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
