/** O06 to O10: which operation a request is. */
import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { requireBearer } from 'keyward';
import { openApiGate } from 'keyward/openapi';
import request from 'supertest';
import { EXPRESS, written } from '../support/audited.js';
import { asking, documentOf, faultOf, keys, kit, SCHEMES } from '../support/openapi.js';
import { getRaw, serve } from '../support/raw-http.js';

const key = kit.secretKey();
const guarded = asking([{ secretKey: [] }]);
const open = asking([]);
const needing = (scope: string) => asking([{ secretKey: [scope] }]);
const onlyKeys = { components: { securitySchemes: { secretKey: SCHEMES.secretKey } } };
const keyDocument = (paths: Readonly<Record<string, unknown>>, more: object = {}) =>
  documentOf(paths, { ...onlyKeys, ...more });
const gateOf = (paths: Readonly<Record<string, unknown>>, options: object = {}, more: object = {}) =>
  openApiGate(keyDocument(paths, more), { schemes: { secretKey: keys }, ...options });

const optionalGate = requireBearer({ accept: [keys], optional: true });

const report: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ error: error.code ?? String(error) });
};

/** What a request without a credential gets: `open …` from the handler of that name, else the code of the refusal. */
async function ask(app: Express, target: string, method = 'GET', credential?: string): Promise<string> {
  const served = await serve(app);
  const lines = credential === undefined ? [] : [`Authorization: Bearer ${credential}`];
  const { status, body } = await getRaw(served.port, lines, target, method);
  await served.close();
  return method === 'HEAD' ? String(status) : (JSON.parse(body).error ?? JSON.parse(body).handler);
}

function handlers(app: { [method in 'get' | 'post']: Express['get'] }, ...names: readonly string[]) {
  for (const name of names) {
    const [method, path] = name.split(' ') as ['get' | 'post', string];
    app[method](path, (_req, res) => void res.json({ handler: name }));
  }
}

function appOf(gate: ReturnType<typeof openApiGate>, ...names: readonly string[]) {
  const app = express();
  app.use(gate);
  handlers(app as never, ...names);
  app.use(report);
  return app;
}

describe('concrete and templated paths', () => {
  const pets = { '/pets/mine': { get: guarded }, '/pets/{id}': { get: open } };

  it('O06 a concrete path comes before a templated one', async () => {
    const app = appOf(gateOf(pets), 'get /pets/mine', 'get /pets/:id');
    expect(await ask(app, '/pets/mine')).toBe('credential_missing');
    expect(await ask(app, '/pets/mine', 'GET', key)).toBe('get /pets/mine');
    expect(await ask(app, '/pets/other')).toBe('get /pets/:id');
  });

  it('O06 in any order in the document', async () => {
    const { '/pets/mine': mine, ...rest } = pets;
    const app = appOf(gateOf({ ...rest, '/pets/mine': mine }), 'get /pets/mine', 'get /pets/:id');
    expect(await ask(app, '/pets/mine')).toBe('credential_missing');
  });

  it('O06 an app that tries the templated route first is refused at the request', async () => {
    const app = appOf(gateOf(pets), 'get /pets/:id', 'get /pets/mine');
    expect(await ask(app, '/pets/mine', 'GET', key)).toBe('undocumented_operation');
    expect(await ask(app, '/pets/other')).toBe('get /pets/:id');
    const reversed = { '/pets/mine': { get: open }, '/pets/{id}': { get: guarded } };
    expect(await ask(appOf(gateOf(reversed), 'get /pets/:id', 'get /pets/mine'), '/pets/mine')).toBe(
      'undocumented_operation',
    );
  });

  it.each(['/pets/:id', '/:kind/mine'])(
    'an app that tries %s first is refused too if two templates match the concrete path',
    async (first) => {
      const two = { ...pets, '/{kind}/mine': { get: open } };
      const app = appOf(gateOf(two), `get ${first}`, 'get /pets/mine');
      expect(await ask(app, '/pets/mine', 'GET', key)).toBe('undocumented_operation');
    },
  );

  it('O06 in a handler that hides its routes the concrete path counts as written', async () => {
    const app = express();
    app.use(gateOf(pets));
    app.use((_req, res) => void res.json({ handler: 'proxy' }));
    app.use(report);
    expect(await ask(app, '/pets/mine')).toBe('credential_missing');
    expect(await ask(app, '/pets/mine', 'GET', key)).toBe('proxy');
    expect(await ask(app, '/pets/MINE')).toBe('undocumented_operation');
  });

  it.each([
    ['the app', (inner: Express) => inner, ''],
    ['a mounted app', (inner: Express) => express().use('/v1', inner), '/v1'],
    [
      'an app in a mounted app',
      (inner: Express) => express().use('/v1', express().use('/pets-api', inner)),
      '/v1/pets-api',
    ],
  ])('O06 the route is found in %s that has the gate', async (_what, mount, basePath) => {
    const paths = { '/pets/mine': { get: open }, '/pets/{id}': { get: guarded } };
    const app = (...names: readonly string[]) => mount(appOf(gateOf(paths, { basePath: basePath || '/' }), ...names));
    const right = app('get /pets/mine', 'get /pets/:id');
    expect(await ask(right, `${basePath}/pets/mine`)).toBe('get /pets/mine');
    expect(await ask(right, `${basePath}/PETS/MINE`)).toBe('get /pets/mine');
    expect(await ask(right, `${basePath}/pets/1`)).toBe('credential_missing');
    const wrong = app('get /pets/:id', 'get /pets/mine');
    expect(await ask(wrong, `${basePath}/pets/mine`)).toBe('undocumented_operation');
    expect(await ask(wrong, `${basePath}/pets/MINE`)).toBe('credential_missing');
  });

  it.each([
    [
      'twice by other names',
      { '/pets/{id}': { get: open }, '/pets/{name}': { get: open } },
      /GET \/pets\/\{id\} and \/pets\/\{name\} differ only in the names of their parameters/,
    ],
    [
      'by case',
      { '/pets': { get: open }, '/Pets': { get: guarded } },
      /match the same path but have different security requirements/,
    ],
    [
      'by a slash',
      { '/pets': { get: open }, '/pets/': { get: guarded } },
      /match the same path but have different security requirements/,
    ],
    [
      'crossed',
      { '/{a}/x': { get: open }, '/y/{b}': { get: guarded } },
      /GET \/\{a\}\/x and GET \/y\/\{b\} match the same path|GET \/y\/\{b\} and GET \/\{a\}\/x match the same path/,
    ],
    ['beside text', { '/{a}.json': { get: open }, '/{b}': { get: guarded } }, /match the same path/],
    ['by HEAD', { '/pets': { get: open, head: guarded } }, /HEAD \/pets and GET \/pets match the same path/],
  ])('O06 templates that occur %s are a TypeError', (_name, paths, expected) => {
    expect(faultOf(() => gateOf({ '/other': { get: guarded }, ...paths }))).toMatch(expected);
  });

  it.each([
    ['by case, with one security', { '/pets': { get: guarded }, '/Pets': { get: guarded } }],
    ['by other methods', { '/{a}/x': { get: open }, '/y/{b}': { post: guarded } }],
    ['beside other text', { '/{a}.json': { get: open }, '/{b}.xml': { get: guarded } }],
    ['by other names and methods', { '/pets/{id}': { get: open }, '/pets/{name}': { post: guarded } }],
    ['with other lengths', { '/{a}': { get: open }, '/{a}/{b}': { get: guarded } }],
  ])('O06 templates that occur %s are accepted', (_name, paths) => {
    expect(faultOf(() => gateOf({ '/other': { get: guarded }, ...paths }))).toBeUndefined();
  });

  it('O06 each method has its own security', async () => {
    const methods = {
      '/pets': { get: open, post: needing('pets:write') },
      '/pets/mine': { post: guarded },
      '/pets/{id}': { get: open },
    };
    const app = appOf(gateOf(methods), 'get /pets', 'post /pets', 'post /pets/mine', 'get /pets/:id');
    expect(await ask(app, '/pets')).toBe('get /pets');
    expect(await ask(app, '/pets', 'POST')).toBe('credential_missing');
    expect(await ask(app, '/pets', 'POST', kit.secretKey({ scopes: ['other:x'] }))).toBe('insufficient_scope');
    expect(await ask(app, '/pets/mine', 'POST')).toBe('credential_missing');
    expect(await ask(app, '/pets/mine')).toBe('get /pets/:id');
  });

  it.each([
    ['a literal', '/pets/mine/{part}/log', '/pets/{id}/toys', '/pets/mine/toys'],
    ['text beside a parameter', '/pets/{name}.json/log', '/pets/{id}/toys', '/pets/a.json/toys'],
    ['text beside a parameter, twice', '/pets/{name}.json/log', '/pets/a.{kind}/toys', '/pets/a.json/toys'],
  ])('a path that begins like a template with %s may match another template', async (_what, first, second, target) => {
    const app = appOf(gateOf({ [first]: { get: guarded }, [second]: { get: open } }));
    app.get(target, (_req, res) => void res.json({ handler: 'open' }));
    expect(await ask(app, target)).toBe('open');
    expect(await ask(app, first.replaceAll(/[{}]/g, ''))).toBe('credential_missing');
  });

  it.each([
    ['a literal', '/pets/{id}', '/{kind}/mine', '/pets/mine'],
    ['text beside a parameter', '/{name}.json', '/{name}', '/a.json'],
  ])('a template with %s does not hide the methods of another template', async (_what, first, second, target) => {
    const app = appOf(gateOf({ [first]: { get: open }, [second]: { post: guarded } }), `get ${target}`);
    expect(await ask(app, target)).toBe(`get ${target}`);
    expect(await ask(app, target, 'POST')).toBe('credential_missing');
  });

  it('O06 parameters next to text match it as a whole', async () => {
    const app = appOf(gateOf({ '/{name}.{kind}': { get: open }, '/other': { post: guarded } }));
    app.get(/.*/, (_req, res) => void res.json({ handler: 'any' }));
    for (const target of ['/a.b', '/a.b.c', '/..a', '/a..']) expect(await ask(app, target)).toBe('any');
    for (const target of ['/a', '/.', '/a.', '/.a', '/a.b/c'])
      expect(await ask(app, target)).toBe('undocumented_operation');
  });
});

describe('what hides the handler of a concrete path', () => {
  const bySecurity = (mine: object, id: object) => ({ '/pets/mine': { get: mine }, '/pets/{id}': { get: id } });
  const answer: RequestHandler = (_req, res) => void res.json({ handler: 'mine' });
  const inner = (path: string) => express().get(path, answer);

  const mounts: readonly (readonly [string, (app: Express) => unknown])[] = [
    ['a function at its path', (app) => app.use('/pets/mine', answer)],
    ['an app at its path', (app) => app.use('/pets/mine', inner('/'))],
    ['an app above its path', (app) => app.use('/pets', inner('/mine'))],
    ['an app of a router', (app) => app.use(express.Router().use('/pets/mine', inner('/') as never))],
    [
      'a function without a path',
      (app) => app.use((req, res, next) => (/^\/pets\/mine\/?$/i.test(req.path) ? answer(req, res, next) : next())),
    ],
    ['a list of paths', (app) => app.get(['/pets/mine', '/pets/:id'], answer)],
    ['a router with a list of paths', (app) => app.use(['/pets/mine', '/pets/:id'], express.Router().get('/', answer))],
    ['a regular expression', (app) => app.get(/^\/pets\/(mine|[a-z-]+)\/?$/i, answer)],
  ];

  it.each(mounts)('%s runs under no other security', async (_what, mount) => {
    for (const security of [bySecurity(needing('admin'), open), bySecurity(needing('admin'), needing('read'))]) {
      const app = express().use(gateOf(security));
      mount(app);
      handlers(app as never, 'get /pets/:id');
      app.use(report);
      for (const target of ['/pets/MINE', '/pets/mine/']) {
        expect(await ask(app, target, 'GET', kit.secretKey({ scopes: ['read'] }))).toBe('undocumented_operation');
      }
    }
  });

  it.each(mounts.slice(0, 2))('%s gets its requests if the templated operation is open', async (_what, mount) => {
    const app = express().use(gateOf(bySecurity(guarded, open)));
    mount(app);
    handlers(app as never, 'get /pets/:id');
    app.use(report);
    expect(await ask(app, '/pets/mine', 'GET', key)).toBe('mine');
    expect(await ask(app, '/pets/mine')).toBe('credential_missing');
    expect(await ask(app, '/pets/other')).toBe('get /pets/:id');
  });

  it('a function at a concrete path that calls next hands no request to a handler that requires more', async () => {
    const app = express().use(gateOf(bySecurity(open, guarded)));
    app.use('/pets/mine', (_req, _res, next) => next());
    handlers(app as never, 'get /pets/:id');
    app.use(report);
    expect(await ask(app, '/pets/mine')).toBe('undocumented_operation');
  });

  it.each([
    ['before the gate', (app: Express, gate: RequestHandler) => app.use((_req, _res, next) => next()).use(gate)],
    ['and is a body parser', (app: Express, gate: RequestHandler) => app.use(gate).use(express.json())],
    ['and is another gate', (app: Express, gate: RequestHandler) => app.use(gate, optionalGate)],
  ])('a function that is mounted %s does not hide it', async (_where, mount) => {
    const app = express().enable('case sensitive routing');
    mount(app, gateOf(bySecurity(guarded, open)));
    handlers(app as never, 'get /pets/:id');
    app.use(report);
    expect(await ask(app, '/pets/MINE')).toBe('get /pets/:id');
  });

  it('a function between two places of one gate may handle the path', async () => {
    const gate = gateOf(bySecurity(guarded, open));
    const app = express().enable('case sensitive routing').use(gate);
    app.use((_req, _res, next) => next());
    app.use(gate);
    handlers(app as never, 'get /pets/:id');
    app.use(report);
    expect(await ask(app, '/pets/MINE')).toBe('undocumented_operation');
  });

  it('a second app at the path of an entered app is not taken for it', async () => {
    const entered = express()
      .enable('case sensitive routing')
      .use(gateOf(bySecurity(guarded, open)));
    const app = express().enable('case sensitive routing').use(entered).use(inner('/pets/MINE'));
    handlers(app as never, 'get /pets/:id');
    app.use(report);
    expect(await ask(app, '/pets/MINE')).toBe('undocumented_operation');
    expect(await ask(app, '/pets/other')).toBe('get /pets/:id');
  });

  it('a gate that is the route of every path does not decide about the routes after it', async () => {
    const app = express();
    app.all(written('/*rest', '*'), gateOf(bySecurity(guarded, open)));
    handlers(app as never, 'get /pets/mine', 'get /pets/:id');
    app.use(report);
    for (const target of ['/pets/mine', '/pets/MINE', '/pets/mine/']) {
      expect(await ask(app, target)).toBe('undocumented_operation');
    }
    expect(await ask(app, '/pets/other')).toBe('get /pets/:id');
  });
});

describe('a route of some values of a parameter, before the concrete route', () => {
  const reversed = { '/pets/mine': { get: open }, '/pets/{id}': { get: guarded } };

  it.each([
    ['a pattern', written('/pets/m:rest', '/pets/:id([a-z]+)')],
    ['a pattern for four letters', written(/^\/pets\/([a-z]{4})$/ as never, '/pets/:id([a-z]{4})')],
    ['a regular expression', /^\/pets\/([a-z]+)$/],
    ['text beside a parameter', '/pets/m:rest'],
    ['a wildcard', written('/pets/m*rest', '/pets/m*')],
  ])('its handler does not run under the security of the concrete path: %s', async (_what, path) => {
    for (const place of ['route', 'router']) {
      const app = express().use(gateOf(reversed));
      const handler: RequestHandler = (_req, res) => void res.json({ handler: 'id' });
      if (place === 'route') app.get(path, handler);
      else app.use(path, express.Router().get('/', handler));
      handlers(app as never, 'get /pets/mine');
      app.use(report);
      expect(await ask(app, '/pets/mine')).toBe('undocumented_operation');
      expect(await ask(app, '/pets/mint', 'GET', key)).toBe('id');
    }
  });

  it('a router with a pattern or a list before the part that differs does not hide the route', async () => {
    for (const path of [written('/v:version', '/v:version(\\d+)'), ['/v1', '/v2'], /^\/v\d/]) {
      const router = express.Router();
      handlers(router as never, 'get /pets/mine', 'get /pets/:id');
      const app = express().use(gateOf(reversed, { basePath: '/v1' }));
      app.use(path, router).use(report);
      expect(await ask(app, '/v1/pets/mine')).toBe('get /pets/mine');
      expect(await ask(app, '/v1/pets/MINE/')).toBe('get /pets/mine');
      expect(await ask(app, '/v1/pets/other')).toBe('credential_missing');
    }
  });

  it('a router with a pattern that does not have the route does not hide it', async () => {
    const app = express().use(gateOf(reversed));
    const photos = express.Router().get('/photos', (_req, res) => void res.json({ handler: 'photos' }));
    app.use(/^\/pets\/[a-z]{4}(?=\/|$)/, photos);
    handlers(app as never, 'get /pets/mine', 'get /pets/:id');
    app.use(report);
    expect(await ask(app, '/pets/mine')).toBe('get /pets/mine');
  });

  it('a router whose path is not known does not hide it, as with the package "router" before version 2.3', async () => {
    const app = express().use(gateOf(reversed));
    app.use(
      '/pets/mine',
      express.Router().get('/', (_req, res) => void res.json({ handler: 'mine' })),
    );
    handlers(app as never, 'get /pets/:id');
    app.use(report);
    if (EXPRESS === 5) {
      for (const layer of app.router.stack) Reflect.deleteProperty(layer, 'rawPath');
    }
    expect(await ask(app, '/pets/mine')).toBe('mine');
  });

  it('a list of concrete paths is the route of the concrete path', async () => {
    const app = express().use(gateOf(reversed));
    app.get(['/pets/mine', '/pets/own'], (_req, res) => void res.json({ handler: 'mine' }));
    handlers(app as never, 'get /pets/:id');
    app.use(report);
    expect(await ask(app, '/pets/mine')).toBe('mine');
    expect(await ask(app, '/pets/MINE')).toBe('mine');
  });
});

describe('paths that two parsers read differently', () => {
  const paths = {
    '/public/{name}': { get: open },
    '/public/secret': { get: guarded },
    '/admin/{name}': { get: guarded },
    '/': { get: open },
  };
  const names = ['get /public/secret', 'get /public/:name', 'get /admin/:name', 'get /'];

  const targets = [
    ...['/public/secret', '/public/Secret', '/PUBLIC/SECRET', '/public/secret/', '/public/SECRET/', '/public//secret'],
    ...['//public/secret', '/public/secret//', '/public/%73ecret', '/public%2Fsecret', '/public/x%2F..%2Fsecret'],
    ...['/public/%2e%2e/admin/x', '/public/../admin/x', '/public/./secret', '/public/.%2e', '/public/secret%00'],
    ...[
      '/public/secret;a',
      '/public/secret?x',
      '/public/secret%3F',
      '/public/secret%23',
      '/admin/x',
      '/ADMIN/x',
      '/admin/x/',
    ],
    ...[
      '/admin//x',
      '/admin',
      '/admin/',
      '//admin/x',
      '/',
      '//',
      '///',
      '/public\\secret',
      '/public/sec%ret',
      '/public/%zz',
    ],
    ...[
      '/public/secret#x',
      '/public/x#/admin',
      'http://api.test/public/secret',
      'http://api.test/admin/x',
      'http://api.test',
    ],
    ...[
      'http://api.test/PUBLIC/secret?x',
      'HTTP://api.test/public/x',
      '/public/secret\xa0',
      '/public/\xa0secret',
      '/public/secret\xff',
    ],
  ];
  const apps: readonly (readonly [string, () => Express])[] = [
    ['as it is', () => appOf(gateOf(paths), ...names)],
    ['case-sensitive', () => withSettings('case sensitive routing')],
    ['strict', () => withSettings('strict routing')],
    ['both', () => withSettings('case sensitive routing', 'strict routing')],
    ['in a router', () => inRouter({})],
    ['in a case-sensitive router', () => inRouter({ caseSensitive: true })],
    ['in a router of a case-sensitive app', () => inRouter({}, 'case sensitive routing', 'strict routing')],
    ['at mount paths', mounted],
    ['in a mounted app', inMountedApp],
    ['with settings that come too late', lateSettings],
  ];

  function withSettings(...settings: readonly string[]) {
    const app = express();
    for (const setting of settings) app.enable(setting);
    app.use(gateOf(paths));
    handlers(app as never, ...names);
    return app.use(report);
  }

  function inRouter(options: object, ...settings: readonly string[]) {
    const app = express();
    for (const setting of settings) app.enable(setting);
    app.use(gateOf(paths));
    const router = express.Router(options);
    handlers(router as never, ...names);
    return app.use(router).use(report);
  }

  function mounted() {
    const app = express().use(gateOf(paths));
    const [publicOnes, admin] = [express.Router(), express.Router()];
    publicOnes.get('/secret', (_req, res) => void res.json({ handler: 'get /public/secret' }));
    publicOnes.get('/:name', (_req, res) => void res.json({ handler: 'get /public/:name' }));
    admin.get('/:name', (_req, res) => void res.json({ handler: 'get /admin/:name' }));
    app.use('/public', publicOnes).use('/admin', admin);
    handlers(app as never, 'get /');
    return app.use(report);
  }

  function inMountedApp() {
    const inner = express();
    handlers(inner as never, ...names);
    return express().use(gateOf(paths)).use(inner).use(report);
  }

  function lateSettings() {
    const app = express();
    app.use(gateOf(paths));
    app.enable('case sensitive routing').enable('strict routing');
    handlers(app as never, ...names);
    return app.use(report);
  }

  /** The handlers that a request without a credential may meet. */
  const OPEN = ['get /public/:name', 'get /'];

  it.each(apps)('O07 no handler runs under the security of another operation: %s', async (_name, build) => {
    const app = build();
    const served = await serve(app);
    const reached: string[] = [];
    for (const target of targets) {
      const { status, body } = await getRaw(served.port, [], target);
      if (status === 200) reached.push(`${target} -> ${JSON.parse(body).handler}`);
    }
    await served.close();
    expect(reached.filter((line) => !OPEN.some((name) => line.endsWith(`-> ${name}`)))).toEqual([]);
    expect(reached.length).toBeGreaterThan(5);
  });

  it.each(apps)('O07 with a credential the same handler runs as without the gate: %s', async (_name, build) => {
    const served = await serve(build());
    const wrong: string[] = [];
    for (const target of targets) {
      const { status, body } = await getRaw(served.port, [`Authorization: Bearer ${key}`], target);
      if (status === 200 && !names.includes(JSON.parse(body).handler)) wrong.push(target);
      if (![200, 400, 404].includes(status)) wrong.push(`${target} ${status}`);
    }
    await served.close();
    expect(wrong).toEqual([]);
  });

  it('O07 the settings of the app decide about case and a slash at the end', async () => {
    const [usual, sensitive] = [apps[0]?.[1](), apps[1]?.[1]()] as [Express, Express];
    expect(await ask(usual, '/public/SECRET')).toBe('credential_missing');
    expect(await ask(usual, '/public/SECRET', 'GET', key)).toBe('get /public/secret');
    expect(await ask(sensitive, '/public/SECRET')).toBe('get /public/:name');
    expect(await ask(sensitive, '/ADMIN/x', 'GET', key)).toBe('undocumented_operation');
    expect(await ask(usual, '/ADMIN/x/', 'GET', key)).toBe('get /admin/:name');
    const strict = apps[2]?.[1]() as Express;
    expect(await ask(strict, '/admin/x/', 'GET', key)).toBe('undocumented_operation');
    expect(await ask(strict, '/admin/x', 'GET', key)).toBe('get /admin/:name');
  });

  it('O07 a router behind the gate with other settings decides by its own routing', async () => {
    const sensitiveRouter = apps[5]?.[1]() as Express;
    expect(await ask(sensitiveRouter, '/public/SECRET')).toBe('get /public/:name');
    const insensitiveRouter = apps[6]?.[1]() as Express;
    expect(await ask(insensitiveRouter, '/public/SECRET')).toBe('credential_missing');
  });

  it('O07 the path is not decoded', async () => {
    const app = apps[0]?.[1]() as Express;
    expect(await ask(app, '/public/%73ecret')).toBe('get /public/:name');
    expect(await ask(app, '/public%2Fsecret')).toBe('undocumented_operation');
    expect(await ask(app, '/public/a%2Fb')).toBe('get /public/:name');
    expect(await ask(app, 'http://api.test/public/secret')).toBe('credential_missing');
    expect(await ask(app, 'http://api.test/public/x?y')).toBe('get /public/:name');
  });

  it('O07 a request whose URL was rewritten before the gate is refused', async () => {
    for (const rewrite of ['/public/x', '/admin/x', '/public/x?y']) {
      const app = express();
      app.use((req, _res, next) => {
        req.url = rewrite;
        next();
      });
      app.use(gateOf(paths));
      handlers(app as never, ...names);
      app.use(report);
      expect(await ask(app, '/other', 'GET', key)).toBe('undocumented_operation');
    }
  });

  it('O07 a rewritten query is not a rewritten path', async () => {
    const app = express();
    app.use((req, _res, next) => {
      req.url = '/public/x?rewritten';
      next();
    });
    app.use(gateOf(paths));
    handlers(app as never, ...names);
    expect(await ask(app, '/public/x?original')).toBe('get /public/:name');
  });

  it('O07 a slash that Express 4 drops at a mount path is refused', async () => {
    const app = express();
    const router = express.Router();
    app.use('/public', gateOf(paths), router);
    router.get('/secret', (_req, res) => void res.json({ handler: 'secret' }));
    app.use(report);
    expect(await ask(app, '/public//secret', 'GET', key)).toBe('undocumented_operation');
    expect(await ask(app, '/public/secret', 'GET', key)).toBe('secret');
  });
});

describe('methods', () => {
  const paths = { '/pets': { get: guarded }, '/open': { get: open, head: open }, '/files': { post: guarded } };
  const names = ['get /pets', 'get /open', 'post /files'];

  it('O08 HEAD has the security of GET', async () => {
    const app = appOf(gateOf(paths), ...names);
    expect(await ask(app, '/pets', 'HEAD')).toBe('401');
    expect(await ask(app, '/pets', 'HEAD', key)).toBe('200');
    expect(await ask(app, '/open', 'HEAD')).toBe('200');
    expect(await ask(app, '/files', 'HEAD', key)).toBe('404');
  });

  it('O08 OPTIONS that is not described is 404', async () => {
    const app = appOf(gateOf(paths), ...names);
    expect(await ask(app, '/pets', 'OPTIONS')).toBe('undocumented_operation');
    expect(await ask(app, '/other', 'OPTIONS')).toBe('undocumented_operation');
  });

  it('O08 OPTIONS passes with "pass", unless a handler of another method gets it', async () => {
    const app = express();
    app.use(gateOf(paths, { undocumented: 'pass' }));
    app.options('/files', (_req, res) => void res.json({ handler: 'preflight' }));
    app.all('/pets', (_req, res) => void res.json({ handler: 'all' }));
    app.use(report);
    expect(await ask(app, '/files', 'OPTIONS')).toBe('preflight');
    expect(await ask(app, '/pets', 'OPTIONS')).toBe('undocumented_operation');
  });

  it.each([
    ['a function', (app: Express, handler: RequestHandler) => app.use('/pets', handler)],
    ['an app', (app: Express, handler: RequestHandler) => app.use('/pets', express().all('/', handler))],
    ['a function without a path', (app: Express, handler: RequestHandler) => app.use(handler)],
  ])('OPTIONS does not pass to %s that may answer it', async (_what, mount) => {
    const app = express().use(gateOf(paths, { undocumented: 'pass' }));
    mount(app, (_req, res) => void res.json({ handler: 'hidden' }));
    app.use(report);
    expect(await ask(app, '/pets', 'OPTIONS')).toBe('undocumented_operation');
  });

  it('O08 another method that is not described is 404, also with "pass"', async () => {
    for (const undocumented of ['refuse', 'pass']) {
      const app = express();
      app.use(gateOf(paths, { undocumented }));
      app.all('/pets', (_req, res) => void res.json({ handler: 'all' }));
      app.use(report);
      expect(await ask(app, '/pets', 'DELETE', key)).toBe('undocumented_operation');
      expect(await ask(app, '/PETS/', 'DELETE', key)).toBe('undocumented_operation');
      expect(await ask(app, '/pets', 'GET', key)).toBe('all');
    }
  });

  it('O08 a described OPTIONS has its security', async () => {
    const app = appOf(gateOf({ '/pets': { options: open, get: guarded } }));
    app.options('/pets', (_req, res) => void res.json({ handler: 'options' }));
    expect(await ask(app, '/pets', 'OPTIONS')).toBe('options');
  });

  it('O08 a method in another case is the same', async () => {
    const app = express();
    app.use((req, _res, next) => {
      req.method = 'get';
      next();
    });
    app.use(gateOf(paths));
    handlers(app as never, ...names);
    app.use(report);
    expect(await ask(app, '/pets', 'POST')).toBe('credential_missing');
    expect(await ask(app, '/open', 'POST')).toBe('get /open');
  });

  it('O08 OpenAPI 3.2 has more methods than 3.1', async () => {
    const more = { '/pets': { query: open, additionalOperations: { COPY: guarded } } };
    const app = express();
    app.use(gateOf(more, {}, { openapi: '3.2.0' }));
    app.all('/pets', (_req, res) => void res.json({ handler: 'all' }));
    app.use(report);
    expect(await ask(app, '/pets', 'COPY')).toBe('credential_missing');
    expect(await ask(app, '/pets', 'COPY', key)).toBe('all');
    expect(faultOf(() => gateOf(more))).toMatch(/no operation of the document uses the scheme/);
    const twice = { '/pets': { get: guarded, additionalOperations: { get: open } } };
    expect(faultOf(() => gateOf(twice, {}, { openapi: '3.2.0' }))).toMatch(/this path item has the method GET twice/);
    const none = { '/pets': { get: guarded, additionalOperations: { 'a b': open } } };
    expect(faultOf(() => gateOf(none, {}, { openapi: '3.2.0' }))).toMatch(
      /additionalOperations\/a b: "a b" is not an HTTP method$/,
    );
  });
});

describe('methods by the version of the document', () => {
  it('TRACE is a method of every version', async () => {
    const app = express();
    app.use(gateOf({ '/pets': { trace: guarded } }));
    app.all('/pets', (_req, res) => void res.json({ handler: 'all' }));
    app.use(report);
    expect(await ask(app, '/pets', 'TRACE')).toBe('credential_missing');
    expect(await ask(app, '/pets', 'TRACE', key)).toBe('all');
  });

  it.each(['query', 'additionalOperations'])('OpenAPI 3.1 does not have %s, so its value is not read', (name) => {
    expect(faultOf(() => gateOf({ '/pets': { get: guarded, [name]: 7 } }))).toBeUndefined();
    expect(faultOf(() => gateOf({ '/pets': { get: guarded, [name]: 7 } }, {}, { openapi: '3.2.0' }))).toMatch(
      new RegExp(`#/paths/~1pets/${name}: expected an object, got a number`),
    );
  });
});

describe('undocumented requests', () => {
  const paths = { '/pets': { get: guarded }, '/pets/{id}': { get: guarded } };

  it('O09 a path that is not described goes to next with 404 and the code', async () => {
    const app = appOf(gateOf(paths), 'get /other');
    const { status, body, headers } = await request(app).get('/other').set('Authorization', `Bearer ${key}`);
    expect([status, body]).toEqual([404, { error: 'undocumented_operation' }]);
    expect(headers['www-authenticate']).toBeUndefined();
  });

  it('O09 with "pass" it continues, without a principal', async () => {
    const app = appOf(gateOf(paths, { undocumented: 'pass' }), 'get /other', 'get /pets');
    expect(await ask(app, '/other')).toBe('get /other');
    expect(await ask(app, '/pets')).toBe('credential_missing');
  });

  it('O09 with "pass" no path passes that a router may treat as a described path', async () => {
    const app = express();
    app.use(gateOf(paths, { undocumented: 'pass' }));
    app.use((_req, res) => void res.json({ handler: 'any' }));
    app.use(report);
    for (const target of ['/pets//', '//pets', '/pets//1', '///pets///1//', '/pets#x', '/PETS//']) {
      expect(await ask(app, target)).toBe('undocumented_operation');
    }
    for (const target of ['/pet', '/pets/1/2', '/pets%2F1', '/']) expect(await ask(app, target)).toBe('any');
  });
});

describe('base paths', () => {
  const paths = { '/pets': { get: open }, '/mine': { get: guarded } };

  it('O10 a gate in a router at a path has basePath', async () => {
    const router = express.Router();
    router.use(gateOf(paths, { basePath: '/v1' }));
    handlers(router as never, 'get /pets', 'get /mine');
    const app = express().use('/v1', router).use(report);
    expect(await ask(app, '/v1/pets')).toBe('get /pets');
    expect(await ask(app, '/v1/mine')).toBe('credential_missing');
    expect(await ask(app, '/v1')).toBe('undocumented_operation');
  });

  it('O10 the path of a mount itself is the base path', async () => {
    const router = express.Router();
    router.use(gateOf({ ...paths, '/': { get: open } }, { basePath: '/v1/' }));
    handlers(router as never, 'get /');
    const app = express().use('/v1', router).use(report);
    expect(await ask(app, '/v1')).toBe('get /');
    expect(await ask(app, '/v1/')).toBe('get /');
  });

  it('O10 the base path counts from the root of the app, wherever the gate is mounted', async () => {
    const app = appOf(gateOf(paths, { basePath: '/v1' }), 'get /v1/pets', 'get /pets');
    expect(await ask(app, '/v1/pets')).toBe('get /v1/pets');
    expect(await ask(app, '/V1/PETS')).toBe('get /v1/pets');
    expect(await ask(app, '/pets')).toBe('undocumented_operation');
  });

  it('O10 a mount path longer than the base path gets 404', async () => {
    const app = express();
    app.use('/:tenant', gateOf(paths, { basePath: '/v1' }));
    handlers(app as never, 'get /:tenant/pets');
    app.use(report);
    expect(await ask(app, '/other/pets')).toBe('undocumented_operation');
    expect(await ask(app, '/v1/pets')).toBe('get /:tenant/pets');
    expect(await ask(app, '/v1/mine')).toBe('credential_missing');
  });

  it('O10 a wildcard mount does not change what the gate reads', async () => {
    const app = express();
    app.use(written('/*rest', '*'), gateOf(paths));
    handlers(app as never, 'get /pets', 'get /mine', 'get /');
    app.use(report);
    expect(await ask(app, '/pets')).toBe('get /pets');
    expect(await ask(app, '/mine')).toBe('credential_missing');
    expect(await ask(app, '/other')).toBe('undocumented_operation');
  });

  const servers = (...urls: readonly string[]) => ({ servers: urls.map((url) => ({ url })) });
  const VERSIONED = {
    url: 'https://{host}/{version}',
    variables: {
      host: { default: 'a.example.com', enum: ['a.example.com', 'b.example.com'] },
      version: { default: 'v1', enum: ['v1', 'v2'] },
    },
  };

  it.each([
    ['https://api.example.com/v1', '/v1/pets'],
    ['https://api.example.com/v1/', '/v1/pets'],
    ['/v1', '/v1/pets'],
    ['//api.example.com/v1', '/v1/pets'],
    ['https://api.example.com', '/pets'],
    ['/', '/pets'],
  ])('O10 the default is the path of the server %s', async (url, target) => {
    const app = appOf(gateOf(paths, {}, servers(url)), 'get /v1/pets', 'get /pets');
    expect(await ask(app, target)).toBe(`get ${target}`);
  });

  it.each(['https://api.example.com/v1//', 'https://api.example.com/v1?x=1', '/v1//'])(
    'the path of the server %s ends before its slashes and its query',
    async (url) => {
      const app = appOf(gateOf(paths, {}, servers(url)), 'get /v1/pets');
      expect(await ask(app, '/v1/pets')).toBe('get /v1/pets');
    },
  );

  it('the option basePath needs no server', async () => {
    const app = appOf(gateOf(paths, { basePath: '/v1/' }, { servers: [] }), 'get /v1/pets');
    expect(await ask(app, '/v1/pets')).toBe('get /v1/pets');
  });

  it('the option basePath is one of the values of a variable', async () => {
    const app = appOf(gateOf(paths, { basePath: '/v2' }, { servers: [VERSIONED] }), 'get /v2/pets');
    expect(await ask(app, '/v2/pets')).toBe('get /v2/pets');
    expect(await ask(app, '/v1/pets')).toBe('undocumented_operation');
  });

  it('O10 the default of a variable is a part of the path', async () => {
    const url = 'https://{host}/{version}';
    const variables = { host: { default: 'api.example.com' }, version: { default: 'v1' } };
    const app = appOf(gateOf(paths, {}, { servers: [{ url, variables }] }), 'get /v1/pets');
    expect(await ask(app, '/v1/pets')).toBe('get /v1/pets');
    expect(faultOf(() => gateOf(paths, {}, { servers: [{ url }] }))).toMatch(
      /#\/servers\/0: the server variable \{host\} has no default value/,
    );
  });

  it.each([
    ['servers with several paths', {}, servers('/v1', '/v2'), /#\/servers: the URLs in "servers" have different paths/],
    [
      'a server whose variable has values for several paths',
      {},
      { servers: [VERSIONED] },
      /#\/servers: the URLs in "servers" have different paths/,
    ],
    [
      'another basePath',
      { basePath: '/v2' },
      servers('/v1'),
      /#\/servers: no URL in "servers" has the path of the option "basePath"/,
    ],
    ['a basePath of root', { basePath: '/' }, servers('/v1'), /no URL in "servers" has the path/],
    ['a server without a URL', {}, { servers: [{}] }, /#\/servers\/0: a server must have a "url"/],
    ['a relative URL', {}, servers('v1'), /#\/servers\/0\/url: expected a URL, or a path/],
  ])('O10 %s is a TypeError', (_name, options, more, expected) => {
    expect(faultOf(() => gateOf(paths, options, more))).toMatch(expected);
  });

  it('O10 basePath chooses among the servers', async () => {
    const app = appOf(gateOf(paths, { basePath: '/v2' }, servers('/v1', 'https://x.example/v2')), 'get /v2/pets');
    expect(await ask(app, '/v2/pets')).toBe('get /v2/pets');
  });

  it('O10 servers of a path or an operation with another path are a TypeError', () => {
    const path = { ...paths, '/x': { servers: [{ url: '/files' }], get: guarded } };
    expect(faultOf(() => gateOf(path))).toMatch(
      /#\/paths\/~1x\/servers\/0: the path of this server must equal the base path of the document: \/$/,
    );
    const operation = { ...paths, '/x': { get: { ...guarded, servers: [{ url: '/files' }] } } };
    expect(faultOf(() => gateOf(operation))).toMatch(
      /#\/paths\/~1x\/get\/servers\/0: the path of this server must equal the base path of the document: \/$/,
    );
    const either = { url: '/{version}', variables: { version: { default: 'v1', enum: ['v1', 'v2'] } } };
    const oneOfTwo = { ...paths, '/x': { get: { ...guarded, servers: [either] } } };
    expect(faultOf(() => gateOf(oneOfTwo, { basePath: '/v1' }))).toMatch(
      /#\/paths\/~1x\/get\/servers\/0: the path of this server must equal the base path of the document: \/v1$/,
    );
    const elsewhere = { ...paths, '/x': { get: { ...guarded, servers: [{ url: 'https://files.example' }] } } };
    expect(faultOf(() => gateOf(elsewhere))).toBeUndefined();
  });
});
