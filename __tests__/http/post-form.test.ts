import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { FetchError, fetchJson, postForm, readJson, timeoutSignal } from '../../lib/http/fetch-json.js';
import { type ScriptedAnswer, scriptedServer } from '../support/scripted-server.js';

const { signal: never } = new AbortController();
let answer: ScriptedAnswer;
let server: Awaited<ReturnType<typeof scriptedServer>>;
beforeEach(async () => {
  answer = { body: { active: true } };
  server = await scriptedServer(() => answer);
});
afterEach(() => server.close());

const post = () =>
  postForm(
    new URL(`${server.origin}/introspect`),
    new Headers({ authorization: 'Basic x' }),
    new URLSearchParams({ token: 'a b' }),
    never,
  );

describe('a posted form', () => {
  it('has the given headers and fields', async () => {
    expect(await post()).toEqual({ active: true });
    expect(server.seen).toMatchObject([
      {
        ...{ method: 'POST', path: '/introspect', body: 'token=a+b' },
        headers: { accept: 'application/json', authorization: 'Basic x' },
      },
    ]);
    expect(server.seen[0]?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
  });

  it.each<[string, ScriptedAnswer, string]>([
    ['a list', { body: '[]' }, 'the response is not a JSON object'],
    ['a duplicate name', { body: '{"a":1,"a":2}' }, 'the response is not a JSON object'],
    ['a redirect', { status: 307, headers: { location: '/elsewhere' } }, 'the response has status 307'],
    ['another status', { status: 201, body: {} }, 'the response has status 201'],
  ])('is refused: %s', async (_name, next, reason) => {
    answer = next;
    await expect(post()).rejects.toEqual(new FetchError(reason));
    expect(server.seen).toHaveLength(1);
  });
});

it('a FetchError has a code', () => {
  expect(new FetchError('x')).toMatchObject({ name: 'FetchError', code: 'fetch_failed', message: 'x' });
});

it('a document may be fetched with another function, which gets the signal and no redirect', async () => {
  const send = jest.fn(async () => new Response('{"a":1}'));
  const url = new URL('https://issuer.test/');
  expect(await fetchJson(url, never, send as unknown as typeof fetch)).toEqual({ a: 1 });
  expect(send.mock.calls).toEqual([
    [url, { signal: never, headers: { accept: 'application/json' }, redirect: 'manual' }],
  ]);
});

it('the rest of a response that is refused is not read', async () => {
  const cancel = jest.fn<() => void>();
  const body = new ReadableStream({ cancel });
  const send = async () => new Response(body, { status: 500 });
  await expect(fetchJson(new URL('https://issuer.test/'), never, send as typeof fetch)).rejects.toThrow(FetchError);
  expect(cancel).toHaveBeenCalledTimes(1);
});

it('a response without a body is no JSON', async () => {
  await expect(readJson(new Response(null))).rejects.toThrow(SyntaxError);
});

it('a signal aborts after its time, and first lets Node read what has arrived', async () => {
  const late = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  const signal = timeoutSignal(7);
  expect(timeout.mock.calls).toEqual([[7]]);
  jest.restoreAllMocks();
  const reason = new Error('late');
  late.abort(reason);
  expect(signal.aborted).toBe(false);
  await new Promise(setImmediate);
  expect([signal.aborted, signal.reason]).toEqual([true, reason]);
});
