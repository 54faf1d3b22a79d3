import type { IncomingMessage, RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { FetchFault, fetchJson } from '../../lib/verify/fetch-json.js';
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
  it('is asked for by GET, as JSON', async () => {
    const requests: IncomingMessage[] = [];
    await get((req, res) => {
      requests.push(req);
      json({})(req, res);
    });
    const [{ method, url, headers } = {} as IncomingMessage] = requests;
    expect([method, url, headers.accept]).toEqual(['GET', '/jwks', 'application/json']);
  });

  it.each([{ keys: [] }, [1, 'é€😀'], null, 'text', 0])('is what the JSON says: %j', async (value) => {
    expect(await get(json(value))).toEqual(value);
  });

  it('need not say that it is JSON', async () => {
    expect(await get(body('{"a":1}', 'text/plain'))).toEqual({ a: 1 });
  });

  it('may come in pieces, cut within a character', async () => {
    const bytes = Buffer.from('"é"');
    const split: RequestListener = (_req, res) => {
      res.writeHead(200).write(bytes.subarray(0, 2), () => setImmediate(() => res.end(bytes.subarray(2))));
    };
    expect(await get(split)).toBe('é');
  });

  it('may come compressed', async () => {
    const compressed: RequestListener = (_req, res) => {
      res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync('{"a":1}'));
    };
    expect(await get(compressed)).toEqual({ a: 1 });
  });

  it('has 256 KiB at most', async () => {
    expect(await get(body(`"${'x'.repeat(LIMIT - 2)}"`, 'application/json'))).toHaveLength(LIMIT - 2);
    await expect(get(body(`"${'x'.repeat(LIMIT - 1)}"`, 'application/json'))).rejects.toThrow(
      new FetchFault('more than 262144 bytes'),
    );
  });
});

describe('a document that is not had', () => {
  it('is a fault with its own name', () => {
    expect(new FetchFault('x').name).toBe('FetchFault');
  });

  it.each<[string, RequestListener, string]>([
    ['201', status(201), 'status 201'],
    ['204', status(204), 'status 204'],
    ['302', status(302, { Location: '/elsewhere' }), 'status 302'],
    ['404', status(404), 'status 404'],
    ['500', status(500), 'status 500'],
    ['HTML', body('<html>', 'text/html'), 'no JSON'],
    ['an empty body', body('', 'application/json'), 'no JSON'],
    ['a byte-order mark', body('\uFEFF{}', 'application/json'), 'no JSON'],
    ['an endless body', endless, 'more than 262144 bytes'],
    ['a large body', large(1_000_000), 'more than 262144 bytes'],
    ['a connection that ends', (req) => req.socket.destroy(), 'UND_ERR_SOCKET'],
  ])('says why: %s', async (_name, listener, reason) => {
    await expect(get(listener)).rejects.toThrow(new FetchFault(reason));
  });

  it.each<[string, RequestListener]>([
    ['the head', hang],
    ['the rest', stall],
  ])('says that it took too long for %s', async (_name, listener) => {
    await expect(get(listener, AbortSignal.timeout(20))).rejects.toThrow(new FetchFault('timed out'));
  });

  it('says that it was called off', async () => {
    await expect(get(hang, AbortSignal.abort())).rejects.toThrow(new FetchFault('timed out'));
  });

  it.each(['a text with a URL', undefined, { code: 'x' }])(
    'says little of a cause that is no error: %j',
    async (cause) => {
      const called = new AbortController();
      const fetched = get(hang, called.signal);
      called.abort(cause ?? null);
      await expect(fetched).rejects.toThrow(new FetchFault('failed'));
    },
  );

  it.each([
    ['a port that no fetch may go to', 'http://localhost:1/'],
    ['a URL with a password', 'http://user:secret@localhost/'],
  ])('says little of an error that has no code: %s', async (_name, url) => {
    await expect(fetchJson(new URL(url), never)).rejects.toThrow(new FetchFault('failed'));
  });

  it('says that there was no JSON where there was no body', async () => {
    const fetchSpy = jest.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null));
    await expect(fetchJson(new URL(server.jwksUri), never)).rejects.toThrow(new FetchFault('no JSON'));
    fetchSpy.mockRestore();
  });
});
