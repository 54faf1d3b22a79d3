import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { isFormType, isUncompressed, readBody, utf8MediaType } from '../../lib/http/bounded-body.js';

const BOUNDS = { maxBytes: 10, timeoutMs: 600_000 };
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** A request, of which only its stream and headers are read. */
function requestWith(...chunks: readonly string[]): IncomingMessage {
  const stream = new PassThrough();
  for (const chunk of chunks) stream.write(chunk);
  return Object.assign(stream, { headers: {} }) as unknown as IncomingMessage;
}

describe('utf8MediaType', () => {
  it.each([
    'a/b',
    'A/B',
    'a/b;',
    'a/b ;; ;',
    'a/b\t;\tcharset=utf-8',
    'a/b;charset="UTF-8" ;',
    'a/b; Charset=Utf-8; charset=utf-8',
    'a/b; charset = utf-8',
  ])('accepts %j', (header) => {
    expect(utf8MediaType(header)).toBe('a/b');
  });

  it.each([
    undefined,
    '',
    ';',
    ' a/b',
    'a/b c/d',
    'a/b, c/d',
    'a/b;\u00a0',
    'a/b; charset',
    'a/b; charset=utf8',
    "a/b; charset='utf-8'",
    'a/b; charset="utf-8',
    'a/b; charset=utf-8 charset=utf-8',
    'a/b; charset=utf-8, c/d',
    'a/b; charset=utf-16; charset=utf-8',
    'a/b; charset=utf-8; x=y',
  ])('does not accept %j', (header) => {
    expect(utf8MediaType(header)).toBeUndefined();
  });

  it('reads a header of 16 KiB in linear time', () => {
    const start = performance.now();
    for (const part of [' ', '\t;', '; ', ' ; ;', ';charset=utf-8 ', ';charset ']) {
      expect(utf8MediaType(`a/b;${part.repeat(16_384 / part.length)}x`)).toBeUndefined();
    }
    expect(performance.now() - start).toBeLessThan(500);
  });
});

it.each([
  ['application/x-www-form-urlencoded', true],
  ['Application/X-WWW-Form-Urlencoded; charset=utf-8', true],
  ['application/json', false],
  [undefined, false],
])('the type %s is that of a form: %s', (type, form) => {
  expect(isFormType(type)).toBe(form);
});

it.each([
  [undefined, true],
  ['Identity', true],
  ['gzip', false],
])('a body with the content coding %s is uncompressed: %s', (coding, uncompressed) => {
  expect(isUncompressed({ headers: { 'content-encoding': coding } } as IncomingMessage)).toBe(uncompressed);
});

describe('readBody', () => {
  it.each<[string, readonly string[], (req: IncomingMessage) => void, string]>([
    ['has ended', ['a=', 'b'], (req) => (req as unknown as PassThrough).end(), 'a=b'],
    ['has the maximum size', ['x'.repeat(10)], (req) => (req as unknown as PassThrough).end(), 'x'.repeat(10)],
    ['is too large', ['a=', 'x'.repeat(10)], () => {}, 'too_large'],
    ['is cut off', ['a='], (req) => req.destroy(), 'aborted'],
    ['fails', ['a='], (req) => req.emit('error', new Error('reset')), 'aborted'],
  ])('leaves no timer and no listener if a body %s', async (_what, chunks, finish, result) => {
    const before = timers();
    const req = requestWith(...chunks);
    const listeners = () => ['data', 'end', 'close', 'error'].map((event) => req.listenerCount(event));
    const listenersBefore = listeners();
    const body = readBody(req, BOUNDS);
    expect(timers()).toBe(before + 1);
    finish(req);
    expect(String(await body)).toBe(result);
    expect(timers()).toBe(before);
    expect(listeners()).toEqual(listenersBefore);
  });

  it.each([
    ['10', 'a=b'],
    ['11', 'too_large'],
  ])('a body that announces %s bytes: %s', async (length, result) => {
    const req = requestWith('a=b');
    req.headers['content-length'] = length;
    (req as unknown as PassThrough).end();
    expect(String(await readBody(req, BOUNDS))).toBe(result);
  });

  it('does not wait for a request whose connection has closed before', async () => {
    const before = timers();
    const req = requestWith('a=');
    req.destroy();
    await once(req, 'close');
    const body = readBody(req, BOUNDS);
    expect(timers()).toBe(before);
    expect(await body).toBe('aborted');
  });

  it('gives up a body that does not end in time', async () => {
    expect(await readBody(requestWith('a='), { maxBytes: 10, timeoutMs: 1 })).toBe('slow_body');
  });

  it.each(['utf8', 'hex'] as const)(
    'reads a request for which a middleware has set the encoding %s',
    async (encoding) => {
      const req = requestWith('a=', '\u00e9');
      req.setEncoding(encoding);
      (req as unknown as PassThrough).end();
      expect(String(await readBody(req, BOUNDS))).toBe('a=\u00e9');
    },
  );
});
