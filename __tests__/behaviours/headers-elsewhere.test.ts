import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { type Decision, requireApi, requireBearer } from 'keyward';
import { S3, T1, U0 } from '../support/answers.js';
import { type CountedApi, NO_WORK, serveCounted } from '../support/counted-api.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { getRaw, serve } from '../support/raw-http.js';

let api: CountedApi;
let key: string;
beforeEach(async () => {
  api = await serveCounted();
  key = api.mintKey();
});
afterEach(() => api.close());

const absent = { ...U0, work: NO_WORK };

describe('a credential in another place', () => {
  it.each([['access_token'], ['api_key'], ['token'], ['key']])(
    'H19 a valid key only as ?%s=: not accepted, and in no event',
    async (name) => {
      const events = eavesdrop();
      try {
        expect(await api.ask([], `/?${name}=${key}`)).toEqual(absent);
        expect(events.heard<Decision>().map(({ path }) => path)).toEqual(['/']);
        expect(JSON.stringify(events.heard())).not.toContain(key);
      } finally {
        events.stop();
      }
    },
  );

  it.each([
    ['Cookie', 'session='],
    ['X-API-Key', ''],
    ['Proxy-Authorization', 'Bearer '],
    ['X-Forwarded-Authorization', 'Bearer '],
    ['X-Original-Authorization', 'Bearer '],
  ])('H23 a valid key in %s', async (name, prefix) => {
    expect(await api.ask([`${name}: ${prefix}${key}`])).toEqual(absent);
  });
});

describe('methods', () => {
  it('H24 HEAD with an invalid key: the response of GET, without a body', async () => {
    const bad = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    expect(await api.ask([`Authorization: Bearer ${bad}`], '/', 'HEAD')).toMatchObject({ ...T1, work: { handled: 0 } });
    expect((await getRaw(api.port, [`Authorization: Bearer ${bad}`], '/', 'HEAD')).body).toBe('');
  });

  it('H24 an OPTIONS preflight without a credential', async () => {
    const lines = ['Origin: https://shop.test', 'Access-Control-Request-Headers: authorization'];
    expect(await api.ask(lines, '/', 'OPTIONS')).toEqual(absent);
  });
});

describe('headers about the host of the server', () => {
  it.each([
    ['X-Forwarded-Host', ['Host: api.test', 'X-Forwarded-Host: evil.test']],
    ['a Host with a path and a query', ['Host: a/b?']],
    ['a Host with a user', ['Host: user@x']],
  ])('H29 %s has no effect on the realm or on the accepted tokens', async (_name, hosts) => {
    const send = (...lines: string[]) =>
      api.send(['GET / HTTP/1.1', 'Connection: close', ...hosts, ...lines, '', ''].join('\r\n'));
    expect(await send()).toEqual(absent);
    expect((await send(`Authorization: Bearer ${api.token}`)).status).toBe(200);
  });
});

describe('two gates on one route', () => {
  it('H27 one lookup, and both policies apply', async () => {
    await api.close();
    api = await serveCounted({
      before: (app, accept) => app.use(requireBearer({ accept }), requireApi('payments')),
      guards: [requireApi('disputes')],
    });
    const both = await api.ask([`Authorization: Bearer ${api.mintKey({ apis: ['payments', 'disputes'] })}`]);
    expect([both.status, both.work.handled, both.work.lookups]).toEqual([200, 1, 1]);
    const first = await api.ask([`Authorization: Bearer ${api.mintKey({ apis: ['payments'] })}`]);
    expect(first).toMatchObject({ ...S3, work: { handled: 0, lookups: 1 } });
    const second = await api.ask([`Authorization: Bearer ${api.mintKey({ apis: ['disputes'] })}`]);
    expect(second).toMatchObject({ ...S3, work: { handled: 0, lookups: 1 } });
  });
});

describe('a guard without a principal', () => {
  it('H32 behind an optional gate that got no credential', async () => {
    await api.close();
    api = await serveCounted({ optional: true, guards: [requireApi('payments')] });
    expect(await api.ask([])).toEqual(absent);
  });

  it('H32 without a gate before it: 500 with a message for the developer, and no handler runs', async () => {
    let handled = 0;
    let thrown: unknown;
    const app = express();
    app.get('/', requireApi('payments'), () => {
      handled += 1;
    });
    app.use(((error, _req, res, _next) => {
      thrown = error;
      res.sendStatus(error.status ?? 500);
    }) as ErrorRequestHandler);
    const served = await serve(app);
    try {
      expect((await getRaw(served.port, [`Authorization: Bearer ${key}`])).status).toBe(500);
      expect(thrown).toEqual(
        new Error(
          'keyward: requireApi(payments) ran before requireBearer accepted the request; mount requireBearer before requireApi(payments) on this route',
        ),
      );
      expect(handled).toBe(0);
    } finally {
      await served.close();
    }
  });
});
