import { afterEach, describe, expect, it } from '@jest/globals';
import type { Express, Request } from 'express';
import { R4 } from '../support/answers.js';
import { type CountedApi, NO_WORK, serveCounted } from '../support/counted-api.js';
import { sendRaw } from '../support/raw-http.js';

let api: CountedApi;
let key: string;
afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'auth');
  return api.close();
});

/** Starts the API behind code that changes each request before the gate sees it. */
async function startBehind(change: (req: Request) => void) {
  const before = (app: Express) =>
    app.use((req, _res, next) => {
      change(req);
      next();
    });
  api = await serveCounted({ before });
  key = api.mintKey();
}

const principalIn = (response: { readonly body: string }) => JSON.parse(response.body);
const get = (...lines: string[]) =>
  sendRaw(api.port, ['GET / HTTP/1.1', 'Host: api.test', 'Connection: close', ...lines, '', ''].join('\r\n'));

describe('values of headers.authorization set by earlier code', () => {
  it.each([
    ['an array', () => [`Bearer ${key}`]],
    ['an object', () => ({ toString: () => `Bearer ${key}` })],
    ['a number', () => 1],
    ['a String object', () => Object(`Bearer ${key}`)],
  ])('H25 %s', async (_name, value) => {
    await startBehind((req) => {
      if (req.headers.authorization === undefined) Object.assign(req.headers, { authorization: value() });
    });
    expect(await api.ask([])).toEqual({ ...R4, work: NO_WORK });
    expect(await api.lookupsFor(key)).toBe(1);
  });

  it('H25 a string wins, unless there are two raw lines', async () => {
    await startBehind((req) => {
      req.headers.authorization = `Bearer ${key}`;
    });
    expect((await api.ask([])).status).toBe(200);
    expect((await api.ask(['Authorization: Basic Zm9vOmJhcg=='])).status).toBe(200);
    const two = await api.ask(['Authorization: Bearer a', 'Authorization: Bearer a']);
    expect(two).toEqual({ ...R4, work: NO_WORK });
  });
});

describe('one connection', () => {
  it('H26 pipelined: a valid key, none, an invalid one, another valid key; no state is shared', async () => {
    api = await serveCounted();
    const [first, second] = [api.mintKey(), api.mintKey()];
    const lines = [
      `Authorization: Bearer ${first}`,
      'X-None: 1',
      'Authorization: Bearer bad',
      `Authorization: Bearer ${second}`,
    ];
    const requests = lines.map((line, index) =>
      ['GET / HTTP/1.1', 'Host: api.test', `Connection: ${index === 3 ? 'close' : 'keep-alive'}`, line, '', ''].join(
        '\r\n',
      ),
    );
    const { text } = await sendRaw(api.port, requests.join(''));
    const answers = text.split(/(?=HTTP\/1\.1 \d)/).map((answer) => ({
      status: Number(answer.slice(9, 12)),
      named: /"keyId":"(\w+)"|"error":"(\w+)"/.exec(answer)?.slice(1).find(Boolean),
    }));
    expect(answers).toEqual([
      { status: 200, named: 'key_1' },
      { status: 401, named: undefined },
      { status: 401, named: 'invalid_token' },
      { status: 200, named: 'key_2' },
    ]);
  });
});

describe('earlier values of req.auth', () => {
  const forged = { kind: 'secret', keyId: 'forged', apis: 'all', scopes: 'all', channels: 'all' };

  it('H28 set by earlier code: overwritten', async () => {
    await startBehind((req) => Object.assign(req, { auth: forged }));
    expect(principalIn(await get(`Authorization: Bearer ${key}`))).toMatchObject({ keyId: 'key_1' });
    expect((await api.ask([])).status).toBe(401);
  });

  it('H28 Object.prototype.auth polluted: never trusted', async () => {
    Object.defineProperty(Object.prototype, 'auth', { value: forged, configurable: true, writable: true });
    await startBehind(() => {});
    expect(principalIn(await get(`Authorization: Bearer ${key}`))).toMatchObject({ keyId: 'key_1' });
    expect((await api.ask([])).status).toBe(401);
  });
});
