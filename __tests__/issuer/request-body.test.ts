import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { decodeJwt } from 'jose';
import { readParameters } from '../../lib/issuer/read-parameters.js';
import { TokenRequestError } from '../../lib/issuer/token-request-error.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { sendRaw, serve } from '../support/raw-http.js';
import { basic, GRANT, ID, record, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const FORM = 'application/x-www-form-urlencoded';
const NOT_PARSED =
  'keyward: another middleware read the request body but did not set req.body; mount the createIssuer() router before that middleware';

describe('the body of a token request', () => {
  let service: TokenService;
  beforeAll(async () => {
    service = await tokenService();
  });
  afterAll(() => service.close());

  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH'])('T29 %s: 405, Allow: POST, no-store', async (method) => {
    const response = await fetch(`${service.url}/connect/token`, { method });
    expect([response.status, response.headers.get('allow'), response.headers.get('cache-control')]).toEqual([
      405,
      'POST',
      'no-store',
    ]);
  });

  it('a method other than POST causes an event', async () => {
    const events = eavesdrop();
    await fetch(`${service.url}/connect/token`);
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'refused', status: 405, reason: 'method' }]);
  });

  it.each([
    ['T30 JSON', 'application/json'],
    ['T30 multipart', 'multipart/form-data; boundary=x'],
    ['T30 text/plain', 'text/plain'],
    ['T32 utf-16', `${FORM}; charset=utf-16`],
    ['T32 iso-8859-1', `${FORM}; charset=iso-8859-1`],
    ['T32 utf-7', `${FORM}; charset=utf-7`],
  ])('%s: invalid_request, as JSON', async (_name, type) => {
    const response = await service.post(GRANT, { ...basic(ID, SECRET), 'content-type': type });
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        error: 'invalid_request',
        error_description:
          'The request is malformed; expected a POST request with a form body, no repeated parameters, and one client authentication method',
      },
    ]);
  });

  const raw = (lines: readonly string[], body: string) =>
    sendRaw(
      service.port,
      ['POST /connect/token HTTP/1.1', 'Host: x', 'Connection: close', ...lines, '', body].join('\r\n'),
    );

  it('T30 no content type: invalid_request', async () => {
    expect((await raw([`Content-Length: ${GRANT.length}`], GRANT)).status).toBe(400);
  });

  it('T30 two content types: invalid_request', async () => {
    const type = `Content-Type: ${FORM}`;
    expect((await raw([type, type, `Content-Length: ${GRANT.length}`], GRANT)).status).toBe(400);
  });

  it.each([`${FORM}; charset=UTF-8`, `${FORM};charset="utf-8"`, FORM.toUpperCase()])('T31 %s: 200', async (type) => {
    expect((await service.post(GRANT, { ...basic(ID, SECRET), 'content-type': type })).status).toBe(200);
  });

  it.each([
    `${FORM};`,
    `${FORM}; charset=UTF-8;`,
    `${FORM}; ; charset=utf-8 ;`,
    `${FORM}\t;\tcharset=utf-8`,
    `${FORM};charset=utf-8;\t`,
  ])('a content type with empty parameters or with tabs, %j: 200', async (type) => {
    expect((await service.post(GRANT, { ...basic(ID, SECRET), 'content-type': type })).status).toBe(200);
  });

  it.each(['identity', 'Identity', 'IDENTITY'])('Content-Encoding %s: 200', async (encoding) => {
    const headers = { ...basic(ID, SECRET), 'content-encoding': encoding };
    expect((await service.post(GRANT, headers)).status).toBe(200);
  });

  it.each(['gzip', 'br'])('T33 Content-Encoding %s: 415', async (encoding) => {
    const response = await fetch(`${service.url}/connect/token`, {
      method: 'POST',
      headers: { ...basic(ID, SECRET), 'content-type': FORM, 'content-encoding': encoding },
      body: new Uint8Array(gzipSync('a'.repeat(1_000_000))),
    });
    expect(response.status).toBe(415);
  });

  it('T34 8 KiB: accepted', async () => {
    const body = `${GRANT}&x=`.padEnd(8_192, 'x');
    expect((await service.post(body, basic(ID, SECRET))).status).toBe(200);
  });

  it('T34 8 KiB + 1: 413', async () => {
    const body = `${GRANT}&x=`.padEnd(8_193, 'x');
    expect((await service.post(body, basic(ID, SECRET))).status).toBe(413);
  });

  it('accepts a token over 8 KiB where it is introspected and revoked', async () => {
    const scopes = ['tokens:introspect', ...Array.from({ length: 600 }, (_value, at) => `payments:${1_000 + at}`)];
    const revoked: string[] = [];
    const accessKeys = {
      resolveAccessKey: async () => record({ scopes, defaultScopes: scopes }),
      revokeToken: async (_id: string, jti: string) => void revoked.push(jti),
    };
    const other = await tokenService({ accessKeys, introspection: {}, revocation: true });
    const ask = async (path: string, body: string) => {
      const headers = { ...basic(ID, SECRET), 'content-type': FORM };
      const response = await fetch(`${other.url}${path}`, { method: 'POST', headers, body });
      return [response.status, (await response.json()) as { access_token: string }] as const;
    };
    const [, { access_token: token }] = await ask('/connect/token', GRANT);
    expect(token.length).toBeGreaterThan(8_192);
    expect(await ask('/connect/introspect', `token=${token}`)).toMatchObject([200, { active: true }]);
    expect(await ask('/connect/revocation', `token=${token}`)).toEqual([200, {}]);
    expect(revoked).toEqual([decodeJwt(token).jti]);
    expect((await ask('/connect/revocation', `token=${token}${'x'.repeat(12_288)}`))[0]).toBe(413);
    await other.close();
  });

  it.each<[reason: string, status: number, headers: Record<string, string>]>([
    ['media_type', 400, { 'content-type': 'application/json' }],
    ['content_encoding', 415, { 'content-encoding': 'gzip' }],
  ])('the event names the reason %s', async (reason, status, headers) => {
    const events = eavesdrop();
    await service.post(GRANT, { ...basic(ID, SECRET), ...headers });
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'refused', status, reason }]);
  });

  it('a body that is too large closes the connection, although the client would keep it', async () => {
    const response = await service.post(`${GRANT}&x=`.padEnd(8_193, 'x'), basic(ID, SECRET));
    expect(response.headers.get('connection')).toBe('close');
  });

  it('a header whose value is "content-type" is no content type', async () => {
    expect((await service.post(GRANT, { ...basic(ID, SECRET), 'x-note': 'content-type' })).status).toBe(200);
  });

  it('T34 1 GB declared: 413 immediately, and the socket closes', async () => {
    expect((await raw([`Content-Type: ${FORM}`, 'Content-Length: 1000000000'], GRANT)).status).toBe(413);
  });

  it('T34 endless chunks: 413, and the socket closes', async () => {
    const chunk = `1000\r\n${'x'.repeat(4_096)}\r\n`;
    expect((await raw([`Content-Type: ${FORM}`, 'Transfer-Encoding: chunked'], chunk.repeat(3))).status).toBe(413);
  });

  it('T41 broken encoding: fixed text, no echo', async () => {
    const response = await service.post('grant_type=%zz"secret', basic(ID, SECRET));
    const { error_description: description } = (await response.json()) as { error_description: string };
    expect([response.status, description]).toEqual([
      400,
      'The request is malformed; expected a POST request with a form body, no repeated parameters, and one client authentication method',
    ]);
  });
});

describe('readParameters', () => {
  it('T34 a slow body: 408, and the connection closes', async () => {
    const refusals: unknown[] = [];
    const served = await serve((req, res) => {
      readParameters(req, 5).catch((error) => {
        refusals.push(error);
        res.writeHead(408, { Connection: 'close' }).end();
      });
    });
    const head = ['POST / HTTP/1.1', 'Host: x', `Content-Type: ${FORM}`, 'Content-Length: 100', '', 'g'];
    expect((await sendRaw(served.port, head.join('\r\n'))).status).toBe(408);
    const headers = { Connection: 'close' };
    expect(refusals).toMatchObject([{ code: 'invalid_request', reason: 'slow_body', status: 408, headers }]);
    await served.close();
  });

  it('ends when the client goes away in the middle of its body', async () => {
    const ended = new Promise((resolve) => {
      serve((req) => {
        readParameters(req, 60_000).catch(resolve);
        req.socket.destroy();
      }).then(async (served) => {
        const head = ['POST / HTTP/1.1', 'Host: x', `Content-Type: ${FORM}`, 'Content-Length: 100', '', 'g'];
        await sendRaw(served.port, head.join('\r\n')).catch(() => undefined);
        await served.close();
      });
    });
    expect(await ended).toBeInstanceOf(TokenRequestError);
  });
});

describe('T35 the host app has read the body', () => {
  const parsers = {
    urlencoded: express.urlencoded({ extended: false }),
    'urlencoded, extended': express.urlencoded({ extended: true }),
    raw: express.raw({ type: FORM }),
    text: express.text({ type: FORM }),
    'json, which does not take forms': express.json(),
  };

  it.each(Object.entries(parsers))('T35 %s: the correct response', async (_name, parser) => {
    const service = await tokenService({}, [parser as never]);
    const response = await service.post(`${GRANT}&scope=`, basic(ID, SECRET));
    expect([response.status, await response.json()]).toMatchObject([200, { scope: 'payments disputes' }]);
    expect((await service.post(`${GRANT}&scope=a&scope=b`, basic(ID, SECRET))).status).toBe(400);
    await service.close();
  });

  it('T35 the stream was consumed without a parsed body: 500 with a message, and it does not hang', async () => {
    const service = await tokenService({}, [(req, _res, next) => req.on('end', () => next()).resume()]);
    const response = await service.post(GRANT, basic(ID, SECRET));
    expect([response.status, await response.text()]).toEqual([500, NOT_PARSED]);
    await service.close();
  });

  it('a parsed body that is null: the same message', async () => {
    const service = await tokenService({}, [
      (req, _res, next) => req.on('end', () => next()).resume(),
      (req, _res, next) => next(void Object.assign(req, { body: null })),
    ]);
    const response = await service.post(GRANT, basic(ID, SECRET));
    expect([response.status, await response.text()]).toEqual([500, NOT_PARSED]);
    await service.close();
  });
});
