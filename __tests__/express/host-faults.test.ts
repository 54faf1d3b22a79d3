import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import {
  apiKeys,
  bearerErrors,
  defineGuard,
  type KeyRecord,
  requireBearer,
  requireChannel,
  requireRateLimit,
} from 'keyward';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { EXPRESS } from '../support/audited.js';
import { type Deferred, deferred } from '../support/deferred.js';
import { getRaw, type Served, sendRaw, serve } from '../support/raw-http.js';

const GOOD = mintKey('secret', 'live');
const BAD = mintKey('secret', 'live');
const RECORD: KeyRecord = { id: 'key_1', kind: 'secret', account: 'acme', environment: 'live', apis: 'all' };
const broken = (..._given: unknown[]): never => {
  throw new Error('this part of the host is broken');
};

/** An app of the host, with what it counts. */
interface Host extends Served {
  /** How often heads of answers were written, and handlers ran. */
  readonly seen: { heads: number; handled: number };
  /** Presents a key: the head of what came back, or `undefined` where nothing did. */
  ask(key: string, path?: string): Promise<{ status: number; challenge: string | undefined; body: string } | undefined>;
}

let host: Host;
let faults: unknown[];
const note = (error: unknown) => void faults.push(error);

/** Serves an app; whatever nobody catches is noted. */
async function serveHost(mount: (app: Express, handler: RequestHandler) => void): Promise<Host> {
  const seen = { heads: 0, handled: 0 };
  const app = express();
  app.use((_req, res, next) => {
    const writeHead = res.writeHead.bind(res) as (...head: unknown[]) => Response;
    res.writeHead = ((...head: unknown[]) => {
      seen.heads += 1;
      return writeHead(...head);
    }) as typeof res.writeHead;
    next();
  });
  app.get('/health', (_req, res) => void res.end('well'));
  mount(app, (_req, res) => {
    seen.handled += 1;
    res.json({ ok: true });
  });
  const served = await serve(app as RequestListener);
  return {
    ...served,
    seen,
    async ask(key, path = '/') {
      const { status, headers, body, text } = await getRaw(served.port, [`Authorization: Bearer ${key}`], path);
      return text === '' ? undefined : { status, challenge: headers['www-authenticate'], body };
    },
  };
}

const keys = (resolver: Parameters<typeof apiKeys>[0]['resolver']) =>
  requireBearer({ accept: [apiKeys({ resolver, kinds: ['secret'], environment: 'live' })] });
const gate = () => keys(async ({ digest }) => (digest === digestOf(GOOD) ? RECORD : undefined));

beforeEach(() => {
  faults = [];
  process.on('uncaughtException', note).on('unhandledRejection', note);
});

afterEach(async () => {
  // It serves on, and nothing came up that nobody caught.
  expect((await getRaw(host.port, [], '/health')).body).toBe('well');
  await host.close();
  process.off('uncaughtException', note).off('unhandledRejection', note);
  expect(faults).toEqual([]);
});

describe(`faults of the host app, on Express ${EXPRESS}`, () => {
  it.each<[string, (app: Express) => unknown]>([
    ['in the place of bearerErrors', (app) => app.use(breaking)],
    ['before bearerErrors', (app) => app.use(breaking, bearerErrors())],
    ['that has answered before it throws', (app) => app.use(answeringFirst)],
  ])('F20 the error handler of the host throws, %s: the refusal is still sent, once', async (_where, mount) => {
    host = await serveHost((app, handler) => {
      app.get('/', gate(), handler);
      mount(app);
    });
    for (const key of [BAD, GOOD, BAD]) {
      const answer = await host.ask(key);
      if (key === GOOD) expect(answer).toMatchObject({ status: 200 });
      else expect([undefined, 401, 500]).toContain(answer?.status);
    }
    expect(host.seen).toEqual({ heads: 3, handled: 1 });
  });

  it.each<[string, (handler: RequestHandler) => RequestHandler[]]>([
    [
      'the check of a guard',
      (handler) => [gate(), defineGuard({ name: 'rule', check: broken }) as RequestHandler, handler],
    ],
    ['the select of requireChannel', (handler) => [gate(), requireChannel(broken) as RequestHandler, handler]],
    ['resolveKey', (handler) => [keys(broken), handler]],
  ])('F20 a hook throws, %s: the handler does not run, and one response is sent', async (what, routeOf) => {
    host = await serveHost((app, handler) => {
      app.get('/', ...routeOf(handler));
      app.use(bearerErrors());
    });
    expect((await host.ask(GOOD))?.status).toBe(what === 'resolveKey' ? 503 : 500);
    expect(host.seen).toEqual({ heads: 1, handled: 0 });
  });

  const failing = (async () => broken()) as () => never;

  it.each<[string, number, (handler: RequestHandler) => RequestHandler[]]>([
    [
      'the read of a format',
      401,
      (handler) => [
        requireBearer({
          accept: [
            apiKeys({ resolver: () => RECORD, kinds: ['secret'], environment: 'live', format: { read: failing } }),
          ],
        }),
        handler,
      ],
    ],
    [
      'the counter of requireRateLimit',
      500,
      (handler) => [
        keys(() => ({ ...RECORD, limits: [{ requests: 1, seconds: 60 }] })),
        requireRateLimit({ counter: failing, onOutage: 'refuse' }),
        handler,
      ],
    ],
    [
      'the scopes that a guard returns',
      500,
      (handler) => [gate(), defineGuard({ name: 'rule', check: () => ({ scopes: failing() }) }), handler],
    ],
  ])('returns a promise that rejects, %s: only the request fails', async (_hook, status, routeOf) => {
    host = await serveHost((app, handler) => {
      app.get('/', ...routeOf(handler));
      app.use(bearerErrors());
    });
    expect((await host.ask(GOOD))?.status).toBe(status);
    await new Promise(setImmediate);
    expect(host.seen).toEqual({ heads: 1, handled: 0 });
  });

  it('F20 a hook throws, recordUse: the request succeeds', async () => {
    host = await serveHost((app, handler) => {
      app.get('/', keys({ resolveKey: () => RECORD, recordUse: broken }), handler);
    });
    expect(await host.ask(GOOD)).toMatchObject({ status: 200 });
    expect(host.seen).toEqual({ heads: 1, handled: 1 });
  });

  it.each<[string, RequestHandler]>([
    ['at once', broken],
    ['after it has answered', (_req, res) => broken(void res.end('done'))],
    ['within its answer', (_req, res) => broken(void res.write('half'))],
    // Express 4 knows nothing of promises: there a handler passes its errors on.
    ['later', (_req, _res, next) => void Promise.reject(new Error('broken')).catch(next)],
  ])('F20 a handler throws, %s: nothing is sent twice', async (_when, handler) => {
    host = await serveHost((app) => {
      app.get('/', gate(), handler);
      app.use(bearerErrors());
    });
    const answer = await host.ask(GOOD);
    expect([undefined, 200, 500]).toContain(answer?.status);
    expect(answer?.challenge).toBeUndefined();
    expect(host.seen.heads).toBe(1);
  });
});

describe(`a response that other code has sent, on Express ${EXPRESS}`, () => {
  it.each<[string, (res: Response) => unknown, string]>([
    ['ended', (res) => res.status(202).end('done'), 'done'],
    ['begun, its headers sent', (res) => res.status(202).flushHeaders(), ''],
    ['begun, half its body sent', (res) => res.status(202).write('half'), ''],
  ])('F20 response already sent before the gate, %s: a refusal adds nothing to it', async (_what, send, body) => {
    host = await serveHost((app, handler) => {
      app.use((_req, res, next) => {
        send(res);
        next();
      });
      app.get('/', gate(), handler);
      app.use(bearerErrors());
    });
    host.seen.heads = 0;
    for (const key of ['', 'a b', BAD]) {
      const answer = await host.ask(key);
      if (answer !== undefined) expect(answer).toMatchObject({ status: 202, challenge: undefined });
      if (body !== '') expect(answer?.body).toBe(body);
    }
    expect(host.seen).toEqual({ heads: 3, handled: 0 });
  });

  it.each([
    ['is refused', undefined],
    ['cannot be looked up', new Error('away')],
  ])('F20 response already sent by a timeout of the host, while a key is looked up that %s', async (_what, outcome) => {
    const lookup: Deferred<KeyRecord | undefined> = deferred();
    host = await serveHost((app, handler) => {
      app.use('/', impatient);
      app.get(
        '/',
        keys(() => lookup.promise),
        handler,
      );
      app.use(bearerErrors());
    });
    expect(await host.ask(BAD)).toMatchObject({ status: 503, body: 'too slow', challenge: undefined });
    if (outcome === undefined) lookup.resolve(undefined);
    else lookup.reject(outcome);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(host.seen).toEqual({ heads: 1, handled: 0 });
  });

  it('F20 response to a caller who closed the connection during the lookup', async () => {
    const lookup: Deferred<KeyRecord | undefined> = deferred();
    const asked: Deferred<void> = deferred();
    let isGone: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => {
      isGone = resolve;
    });
    host = await serveHost((app, handler) => {
      app.use((req, _res, next) => {
        if (req.path === '/') req.socket.once('close', () => isGone?.());
        next();
      });
      app.get(
        '/',
        keys(() => {
          asked.resolve();
          return lookup.promise;
        }),
        handler,
      );
      app.use(bearerErrors());
    });
    const left = sendRaw(host.port, `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${BAD}\r\n\r\n`);
    await asked.promise;
    host.server.closeAllConnections();
    await Promise.all([left, gone]);
    lookup.resolve(undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(host.seen.handled).toBe(0);
    expect(host.seen.heads).toBeLessThanOrEqual(1);
  });
});

// Express recognizes error handlers by their four parameters.
function breaking(_error: unknown, _req: Request, _res: Response, _next: NextFunction): void {
  broken();
}

function answeringFirst(_error: unknown, _req: Request, res: Response, _next: NextFunction): void {
  res.status(401).end('no');
  broken();
}

function impatient(req: Request, res: Response, next: NextFunction): void {
  if (req.path === '/') setTimeout(() => res.headersSent || res.status(503).end('too slow'), 20);
  next();
}
