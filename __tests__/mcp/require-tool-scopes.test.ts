import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { bearerErrors } from 'keyward';
import { mcpAuth, requireToolScopes } from 'keyward/mcp';
import request from 'supertest';
import { eavesdrop } from '../support/eavesdrop.js';
import { createManualClock } from '../support/manual-clock.js';
import { sendRaw, serve } from '../support/raw-http.js';
import { createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const RESOURCE = 'https://api.example.com/mcp';
const key = createKey('ES256');
const auth = () =>
  mcpAuth({ resource: RESOURCE, scopes: ['mcp'], issuer: ISSUER, jwks: jwksOf(key), clock: createManualClock() });
const guard = requireToolScopes({ read_note: [], write_note: ['notes:write'], purge: ['notes:write', 'notes:purge'] });
const ok: RequestHandler = (_req, res) => void res.json({});
const onError: ErrorRequestHandler = (error, _req, res, _next) => void res.sendStatus(error.status ?? 500);

const call = (name: unknown) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });
const served = (mount: (app: Express) => unknown) => {
  const app = express();
  mount(app);
  return app.use(bearerErrors(), onError);
};
/** The body is parsed behind the gate. */
const late = served((app) => app.use(auth()).all('/mcp', express.json(), guard, ok));
/** And here before it. */
const early = served((app) => app.use(express.json(), auth()).all('/mcp', guard, ok));

async function post(app: Express, scope: string, body: object) {
  const token = forge(key, { aud: RESOURCE, scope });
  const { status, headers } = await request(app).post('/mcp').set('Authorization', `Bearer ${token}`).send(body);
  return { status, scope: /scope="([^"]*)"/.exec(headers['www-authenticate'] ?? '')?.[1] };
}

describe('requireToolScopes', () => {
  it.each([
    ['no tool', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['a tool without scopes', call('read_note')],
    ['an answer of the client', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('a request that calls %s needs only the scopes of the gate', async (_what, body) => {
    expect(await post(late, 'mcp', body)).toMatchObject({ status: 200 });
  });

  it.each([
    ['write_note', 'mcp notes:write'],
    ['purge', 'mcp notes:write notes:purge'],
  ])('the tool %s: 403 that names the scopes of gate and tool; with them 200', async (tool, scope) => {
    expect(await post(late, 'mcp', call(tool))).toEqual({ status: 403, scope });
    expect(await post(late, scope, call(tool))).toMatchObject({ status: 200 });
  });

  it('one of two scopes is not enough, and the challenge names both again', async () => {
    const answer = { status: 403, scope: 'mcp notes:write notes:purge' };
    expect(await post(late, 'mcp notes:purge', call('purge'))).toEqual(answer);
  });

  it('if the body is parsed before the gate, the challenge of the gate names the scopes of the tool too', async () => {
    expect(await post(early, 'notes:write', call('purge'))).toEqual({
      status: 403,
      scope: 'mcp notes:write notes:purge',
    });
    expect(await post(late, 'notes:write', call('purge'))).toEqual({ status: 403, scope: 'mcp' });
    expect(await post(early, 'x', call('unlisted'))).toEqual({ status: 403, scope: 'mcp' });
  });

  it('a list of messages needs the scopes of each', async () => {
    const messages = [call('read_note'), call('write_note')];
    expect(await post(late, 'mcp', messages)).toEqual({ status: 403, scope: 'mcp notes:write' });
    expect(await post(late, 'mcp notes:write', messages)).toMatchObject({ status: 200 });
  });

  it('in a list of messages, a call after a message that is no call is checked too', async () => {
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await post(late, 'mcp', [notification, call('write_note')])).toEqual({
      status: 403,
      scope: 'mcp notes:write',
    });
    expect(await post(late, 'mcp', [notification, call('drop_all')])).toEqual({ status: 403, scope: undefined });
    expect(await post(late, 'mcp notes:write', [notification, call('write_note')])).toMatchObject({ status: 200 });
  });

  it.each([
    ['a tool that is not listed', call('drop_all')],
    ['a name of Object.prototype', call('constructor')],
    ['no name', call(undefined)],
    ['a list as a name', call(['read_note'])],
    ['no parameters', { jsonrpc: '2.0', id: 1, method: 'tools/call' }],
    ['no JSON-RPC message', {}],
    ['one such in a list', [call('read_note'), 7]],
  ])('%s is refused', async (_what, body) => {
    expect(await post(late, 'mcp notes:write notes:purge', body)).toEqual({ status: 403, scope: undefined });
  });

  it('without a parsed body it fails closed', async () => {
    const app = served((made) => made.use(auth()).post('/mcp', guard, ok));
    const { status } = await post(app, 'mcp', call('read_note'));
    expect(status).toBe(500);
  });

  it.each([['text/plain; x=application/json'], ['application/json-rpc'], ['']])(
    'a body of the type %j, which the parser skipped: 415',
    async (type) => {
      const token = forge(key, { aud: RESOURCE, scope: 'mcp' });
      for (const app of [late, early]) {
        const { status } = await request(app)
          .post('/mcp')
          .set({ Authorization: `Bearer ${token}`, 'Content-Type': type })
          .send(JSON.stringify(call('write_note')));
        expect(status).toBe(415);
      }
    },
  );

  it('a request without a body: 415', async () => {
    const token = forge(key, { aud: RESOURCE, scope: 'mcp' });
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    expect((await request(late).post('/mcp').set(headers)).status).toBe(415);
  });

  it.each(['application/json', 'Application/JSON ; charset="utf-8"', 'application/json;charset=utf-8;a=b'])(
    'a body of the type %j that no parser read: 500',
    async (type) => {
      const app = served((made) => made.use(auth()).post('/mcp', guard, ok));
      const headers = { Authorization: `Bearer ${forge(key, { aud: RESOURCE, scope: 'mcp' })}`, 'Content-Type': type };
      const body = JSON.stringify(call('read_note'));
      expect((await request(app).post('/mcp').set(headers).send(body)).status).toBe(500);
      expect((await request(late).post('/mcp').set(headers).send(body)).status).toBe(200);
    },
  );

  it('another type that a parser of the app reads counts as what it is', async () => {
    const app = served((made) => made.use(auth(), express.json({ type: '*/*' })).post('/mcp', guard, ok));
    const headers = { Authorization: `Bearer ${forge(key, { aud: RESOURCE, scope: 'mcp' })}`, 'Content-Type': 'a/b' };
    const asked = (tool: string) =>
      request(app)
        .post('/mcp')
        .set(headers)
        .send(JSON.stringify(call(tool)));
    expect((await asked('read_note')).status).toBe(200);
    expect((await asked('unlisted')).status).toBe(403);
  });

  it('a body without a length that no parser read: 500', async () => {
    const app = served((made) => made.use(auth()).post('/mcp', guard, ok));
    const { port, close } = await serve(app);
    const body = JSON.stringify(call('read_note'));
    const lines = [
      ...['POST /mcp HTTP/1.1', 'Host: api.example.com', 'Connection: close', 'Content-Type: application/json'],
      `Authorization: Bearer ${forge(key, { aud: RESOURCE, scope: 'mcp' })}`,
      ...['Transfer-Encoding: chunked', '', body.length.toString(16), body, '0', '', ''],
    ];
    const { status } = await sendRaw(port, lines.join('\r\n'));
    await close();
    expect(status).toBe(500);
  });

  it('does not change if the given lists change', async () => {
    const scopes = ['notes:write'];
    const own = requireToolScopes({ write_note: scopes });
    const app = served((made) => made.use(auth()).post('/mcp', express.json(), own, ok));
    scopes.length = 0;
    expect(await post(app, 'mcp', call('write_note'))).toEqual({ status: 403, scope: 'mcp notes:write' });
  });

  it('an event says whether the tool is not listed or a scope is missing', async () => {
    const heard = eavesdrop();
    for (const tool of ['drop_all', 'write_note']) await post(late, 'mcp', call(tool));
    heard.stop();
    const reasons = heard
      .heard<{ outcome: string; by: string; reason: string }>('keyward:decision')
      .filter(({ outcome }) => outcome === 'refused')
      .map(({ by, reason }) => [by, reason]);
    expect(reasons).toEqual([
      ['requireToolScopes', 'tool'],
      ['requireToolScopes', 'scope'],
    ]);
  });

  it('throws for a tool that needs offline_access', () => {
    expect(() => requireToolScopes({ read_note: ['offline_access'] })).toThrow('must not be "offline_access"');
  });

  it.each(['get', 'delete'] as const)('%s contains no message', async (method) => {
    const token = forge(key, { aud: RESOURCE, scope: 'mcp' });
    const { status } = await request(late)[method]('/mcp').set('Authorization', `Bearer ${token}`);
    expect(status).toBe(200);
  });

  it.each([
    [undefined, 'expected an object with a list of scopes for each tool'],
    [['read_note'], 'expected an object with a list of scopes for each tool'],
    [
      { read_note: 'mcp' },
      '"read_note" must have a list of scopes; a scope consists of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3)',
    ],
    [{ read_note: ['a b'] }, '"read_note" must have a list of scopes'],
  ])('throws at the start: %j', (tools, message) => {
    expect(() => requireToolScopes(tools as never)).toThrow(TypeError);
    expect(() => requireToolScopes(tools as never)).toThrow(`requireToolScopes: ${message}`);
  });
});
