import type { IncomingMessage, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FetchError, fetchJson } from '../../lib/http/fetch-json.js';
import {
  body,
  endless,
  hang,
  type IssuerServer,
  json,
  large,
  serveIssuer,
  stall,
  status,
} from '../support/issuer-server.js';

const LIMIT = 262_144;
const { signal: never } = new AbortController();

let server: IssuerServer;
beforeAll(async () => {
  server = await serveIssuer();
});
afterAll(() => server.close());

function get(listener: RequestListener, signal = never): Promise<unknown> {
  server.answer(listener);
  return fetchJson(new URL(server.jwksUri), signal);
}

describe('a document', () => {
  it('is requested by GET, as JSON', async () => {
    const requests: IncomingMessage[] = [];
    await get((req, res) => {
      requests.push(req);
      json({})(req, res);
    });
    const [{ method, url, headers } = {} as IncomingMessage] = requests;
    expect([method, url, headers.accept]).toEqual(['GET', '/jwks', 'application/json']);
  });

  it.each([{ keys: [] }, [1, 'é€😀'], null, 'text', 0])('is returned as parsed: %j', async (value) => {
    expect(await get(json(value))).toEqual(value);
  });

  it('needs no JSON content type', async () => {
    expect(await get(body('{"a":1}', 'text/plain'))).toEqual({ a: 1 });
  });

  it('may arrive in pieces, split within a character', async () => {
    const bytes = Buffer.from('"é"');
    const split: RequestListener = (_req, res) => {
      res.writeHead(200).write(bytes.subarray(0, 2), () => setImmediate(() => res.end(bytes.subarray(2))));
    };
    expect(await get(split)).toBe('é');
  });

  it('may be compressed', async () => {
    const compressed: RequestListener = (_req, res) => {
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{"a":1}'));
    };
    expect(await get(compressed)).toEqual({ a: 1 });
  });

  it('has at most 256 KiB', async () => {
    expect(await get(body(`"${'x'.repeat(LIMIT - 2)}"`, 'application/json'))).toHaveLength(LIMIT - 2);
    await expect(get(body(`"${'x'.repeat(LIMIT - 1)}"`, 'application/json'))).rejects.toThrow(
      new FetchError('the response is longer than 262144 bytes'),
    );
  });
});

describe('a document that cannot be fetched', () => {
  it('throws an error with its own name', () => {
    expect(new FetchError('x').name).toBe('FetchError');
  });

  it.each<[string, RequestListener, string]>([
    ['201', status(201), 'the response has status 201'],
    ['204', status(204), 'the response has status 204'],
    ['302', status(302, { Location: '/elsewhere' }), 'the response has status 302'],
    ['404', status(404), 'the response has status 404'],
    ['500', status(500), 'the response has status 500'],
    ['HTML', body('<html>', 'text/html'), 'the response is not JSON'],
    ['an empty body', body('', 'application/json'), 'the response is not JSON'],
    ['a byte-order mark', body('\uFEFF{}', 'application/json'), 'the response is not JSON'],
    ['an endless body', endless, 'the response is longer than 262144 bytes'],
    ['a large body', large(1_000_000), 'the response is longer than 262144 bytes'],
    ['a connection that ends', (req) => req.socket.destroy(), 'UND_ERR_SOCKET'],
  ])('has the reason: %s', async (_name, listener, reason) => {
    await expect(get(listener)).rejects.toThrow(new FetchError(reason));
  });

  it.each<[string, RequestListener]>([
    ['the head', hang],
    ['the rest', stall],
  ])('reports a timeout for %s', async (_name, listener) => {
    await expect(get(listener, AbortSignal.timeout(20))).rejects.toThrow(new FetchError('the request timed out'));
  });

  it('reports an abort', async () => {
    await expect(get(hang, AbortSignal.abort())).rejects.toThrow(new FetchError('the request timed out'));
  });

  it.each(['a text with a URL', undefined, { code: 'x' }])(
    'reports no details of a cause that is not an error: %j',
    async (cause) => {
      const called = new AbortController();
      const fetched = get(hang, called.signal);
      called.abort(cause ?? null);
      await expect(fetched).rejects.toThrow(new FetchError('the request failed'));
    },
  );

  it.each([
    ['a port that no fetch may go to', 'http://localhost:1/'],
    ['a URL with a password', 'http://user:secret@localhost/'],
  ])('reports no details of an error without a code: %s', async (_name, url) => {
    await expect(fetchJson(new URL(url), never)).rejects.toThrow(new FetchError('the request failed'));
  });

  it('reports missing JSON for an empty body', async () => {
    const fetchSpy = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null));
    await expect(fetchJson(new URL(server.jwksUri), never)).rejects.toThrow(new FetchError('the response is not JSON'));
    fetchSpy.mockRestore();
  });
});
