/** O16 and O18: an app beside its document, and the route audit of an openApiGate. */
import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import { accessTokens, assertGuarded, auditRoutes, KeywardError, requireBearer, requireScopes } from 'keyward';
import { assertMatchesOpenApi, openApiGate } from 'keyward/openapi';
import request from 'supertest';
import { EXPRESS, written } from '../support/audited.js';
import { asking, documentOf, faultOf, keys, SCHEMES, schemes, tokens } from '../support/openapi.js';

const handler = (_req: unknown, res: { end(): unknown }) => void res.end();
const both = requireBearer({ accept: [tokens, keys] });

function appWith(add: (app: Express) => unknown): Express {
  const app = express();
  add(app);
  return app;
}

const BOTH = [{ accessToken: ['a:x'] }, { secretKey: ['a:x'] }];
const pets = documentOf({
  '/pets': { get: asking(BOTH), post: asking([{ accessToken: [] }]) },
  '/pets/{id}': { get: asking([{ accessToken: [] }, {}]) },
  '/health': { get: asking([]) },
});
const gates = {
  pets: [both, requireScopes('a:x')],
  create: [requireBearer({ accept: [tokens] })],
  pet: [requireBearer({ accept: [tokens], optional: true })],
  health: [] as unknown[],
};
type Gates = { readonly [name in keyof typeof gates]: readonly unknown[] };

const petApp = (own: Partial<Gates> = {}, more: (app: Express) => unknown = () => {}) =>
  appWith((app) => {
    const all: Gates = { ...gates, ...own };
    app.get('/pets', ...(all.pets as never[]), handler);
    app.post('/pets', ...(all.create as never[]), handler);
    app.get('/pets/:id', ...(all.pet as never[]), handler);
    app.get('/health', ...(all.health as never[]), handler);
    more(app);
  });

const differences = (app: Express, document: object = pets, options: object = {}) =>
  faultOf(() => assertMatchesOpenApi(app, document, { schemes, ...options }))
    ?.split('\n')
    .slice(1);

describe('an app and its document', () => {
  it('O16 that agree', () => {
    expect(differences(petApp())).toBeUndefined();
  });

  it('that agree, with the scopes in another order', () => {
    const app = appWith((made) => made.get('/pets', both, requireScopes('a:x', 'b:y'), handler));
    const get = asking([{ accessToken: ['b:y', 'a:x'] }, { secretKey: ['b:y', 'a:x'] }]);
    expect(differences(app, documentOf({ '/pets': { get } }))).toBeUndefined();
  });

  it.each<readonly [string, Partial<Gates>, string]>([
    [
      'a missing gate',
      { pets: [] },
      'GET /pets: the document requires accessToken with the scope a:x, or secretKey with the scope a:x, but the app requires no credential',
    ],
    [
      'a missing scope',
      { pets: [both] },
      'GET /pets: the document requires accessToken with the scope a:x, or secretKey with the scope a:x, but the app requires accessToken, or secretKey',
    ],
    [
      'another scheme',
      { create: [requireBearer({ accept: [keys] })] },
      'POST /pets: the document requires accessToken, but the app requires secretKey',
    ],
    [
      'one scope more',
      { create: [...gates.create, requireScopes('b:y')] },
      'POST /pets: the document requires accessToken, but the app requires accessToken with the scope b:y',
    ],
    [
      'required, not optional',
      { pet: gates.create },
      'GET /pets/{id}: the document requires accessToken, or no credential, but the app requires accessToken',
    ],
    [
      'optional, not required',
      { create: gates.pet },
      'POST /pets: the document requires accessToken, but the app requires accessToken, or no credential',
    ],
    [
      'a gate that the document does not have',
      { health: [both] },
      'GET /health: the document requires no credential, but the app requires accessToken, or secretKey',
    ],
    [
      'a verifier that is not named',
      { create: [requireBearer({ accept: [{ ...keys }] })] },
      'POST /pets: the document requires accessToken, but the app requires a credential (its verifier is missing from "schemes")',
    ],
  ])('O16 %s is named with method, path and both sides', (_name, own, line) => {
    expect(differences(petApp(own))).toEqual([`  ${line}`]);
  });

  it('two openApiGates: one credential must pass both', () => {
    const either = (token: string, key: string) => {
      const get = asking([{ accessToken: [token] }, { secretKey: [key] }]);
      return openApiGate(documentOf({ '/pets': { get } }), { schemes });
    };
    const app = appWith((made) => {
      made.use(either('a:x', 'b:x')).use(either('a:y', 'b:y'));
      made.get('/pets', handler);
    });
    const get = asking([{ accessToken: ['a:x', 'a:y'] }, { secretKey: ['b:x', 'b:y'] }]);
    expect(differences(app, documentOf({ '/pets': { get } }))).toBeUndefined();
  });

  it('O16 a route that the document does not have, and one that the app does not have', () => {
    const app = petApp({}, (made) => made.delete('/pets/:id', both, handler).use('/files', express.static('.')));
    const document = { ...pets, paths: { ...(pets.paths as object), '/toys': { get: asking([]) } } };
    expect(differences(app, document)).toEqual([
      '  GET /toys: the document describes this operation, but the app has no route for it',
      '  DELETE /pets/:id: the app has this route, but the document does not describe it',
      '  USE /files: the app has this route, but the document does not describe it',
    ]);
    const except = ['GET /toys', 'DELETE /pets/:id', 'USE /files'];
    expect(differences(app, document, { except })).toBeUndefined();
  });

  it('O16 "except" must name existing routes or operations', () => {
    expect(faultOf(() => assertMatchesOpenApi(petApp(), pets, { schemes, except: ['GET /none'] }))).toBe(
      'TypeError: assertMatchesOpenApi: option "except" has entries that are neither a route of the app nor an operation of the document: GET /none',
    );
    expect(faultOf(() => assertMatchesOpenApi(petApp(), pets, { schemes, except: 'GET /' as never }))).toMatch(
      /option "except" must be a list/,
    );
  });

  it('O16 an app that tries a templated route before the concrete one', () => {
    const document = documentOf({
      '/pets/mine': { get: asking([{ secretKey: [] }]) },
      '/pets/{id}': { get: asking([{ accessToken: [] }]) },
    });
    const [mine, pet] = [requireBearer({ accept: [keys] }), requireBearer({ accept: [tokens] })];
    const right = appWith((app) => app.get('/pets/mine', mine, handler).get('/pets/:id', pet, handler));
    const wrong = appWith((app) => app.get('/pets/:id', pet, handler).get('/pets/mine', mine, handler));
    expect(differences(right, document)).toBeUndefined();
    expect(differences(wrong, document)).toEqual([
      '  GET /pets/mine: its requests are handled by an earlier route, GET /pets/:id, which has different security requirements',
    ]);
  });

  it('an app that tries a route with more parameters before a templated one', () => {
    const document = documentOf({
      '/{kind}/{id}': { get: asking([]) },
      '/pets/{id}': { get: asking([{ accessToken: [] }]) },
      '/toys/{id}': { get: asking([{ secretKey: [] }]) },
    });
    const [pet, toy] = [requireBearer({ accept: [tokens] }), requireBearer({ accept: [keys] })];
    const app = appWith((made) =>
      made.get('/toys/:id', toy, handler).get('/:kind/:id', handler).get('/pets/:id', pet, handler),
    );
    expect(differences(app, document)).toEqual([
      '  GET /pets/{id}: its requests are handled by an earlier route, GET /:kind/:id, which has different security requirements',
    ]);
  });

  it('of several earlier routes that handle the requests, the first one counts, also by an optional part', () => {
    const document = documentOf({
      '/pets/mine': { get: asking([{ secretKey: [] }]) },
      '/pets/{id}': { get: asking([]) },
      '/pets': { get: asking([]) },
      '/toys': { get: asking([{ accessToken: [] }]) },
    });
    const [key, token] = [requireBearer({ accept: [keys] }), requireBearer({ accept: [tokens] })];
    const optional = written('/pets{/:id}', '/pets/:id?');
    const app = (add: (made: Express) => unknown) =>
      appWith((made) => {
        add(made.get('/toys', token, handler));
        made.get('/pets/mine', key, handler);
      });
    const first = (path: string) =>
      `  GET /pets/mine: its requests are handled by an earlier route, GET ${path}, which has different security requirements`;
    const two = app((made) => made.get('/pets', handler).get('/pets/:id', handler).get('/pets/:pet', key, handler));
    expect(differences(two, document)).toContain(first('/pets/:id'));
    for (const path of [optional, '/PETS/:id']) {
      const one = app((made) => made.get(path, handler));
      expect(differences(one, document)).toContain(first(path));
    }
  });

  it('of two routes or mounts with one path, the first one counts', () => {
    const get = asking([{ accessToken: [] }, { secretKey: [] }]);
    const route = documentOf({ '/pets': { get } });
    const mount = documentOf({ '/files/{name}': { get } });
    const [open, guarded] = [[handler], [both, handler]];
    const routes = (first: unknown[], second: unknown[]) =>
      appWith((app) => app.get('/pets', ...(first as never[])).get('/pets', ...(second as never[])));
    const mounts = (first: unknown[], second: unknown[]) =>
      appWith((app) => app.use('/files', ...(first as never[])).use('/files', ...(second as never[])));
    const needed = 'the document requires accessToken, or secretKey, but the app requires no credential';
    expect(differences(routes(open, guarded), route)).toEqual([`  GET /pets: ${needed}`]);
    expect(differences(routes(guarded, open), route)).toBeUndefined();
    expect(differences(mounts(open, guarded), mount)).toContain(`  GET /files/{name}: ${needed}`);
  });

  it('a mount at another path below the same one is not the route of an operation', () => {
    const document = documentOf({ '/files/public': { get: asking([{ accessToken: [] }, { secretKey: [] }]) } });
    const app = appWith((made) => made.use('/files/private', both, express.static('.')));
    expect(differences(app, document)).toContain(
      '  GET /files/public: the document describes this operation, but the app has no route for it',
    );
  });

  const wild = written('/*rest', '/*');
  const token = requireBearer({ accept: [tokens] });

  it('an app that tries a wildcard before a route with other requirements', () => {
    const document = documentOf({
      '/pets/{id}': { get: asking([{ secretKey: [] }]) },
      '/toys/{id}': { get: asking([{ accessToken: [] }]) },
    });
    const key = requireBearer({ accept: [keys] });
    const app = appWith((made) =>
      made.get(wild, token, handler).get('/toys/:id', handler).get('/pets/:id', key, handler),
    );
    expect(differences(app, document)).toEqual([
      `  GET /pets/{id}: its requests are handled by an earlier route, GET ${wild}, which has different security requirements`,
      `  GET ${wild}: the app has this route, but the document does not describe it`,
    ]);
  });

  it('an app that tries an open parameter beside text before a concrete route', () => {
    const document = documentOf({
      '/files/{name}.{ext}': { get: asking([]) },
      '/files/report.csv': { get: asking([{ secretKey: [] }]) },
      '/toys': { get: asking([{ accessToken: [] }]) },
    });
    const key = requireBearer({ accept: [keys] });
    const path = '/files/:name.:ext';
    const app = (first: boolean) =>
      appWith((made) =>
        first
          ? made.get('/toys', token, handler).get('/files/report.csv', key, handler).get(path, handler)
          : made.get('/toys', token, handler).get(path, handler).get('/files/report.csv', key, handler),
      );
    expect(differences(app(false), document)).toEqual([
      `  GET /files/report.csv: its requests are handled by an earlier route, GET ${path}, which has different security requirements`,
    ]);
    expect(differences(app(true), document)).toBeUndefined();
  });

  it('an open wildcard, which answers more paths than its template', () => {
    const files = written('/files/*path', '/files/*');
    const document = (security: unknown) =>
      documentOf({ '/files/{path}': { get: asking(security), post: asking([{ accessToken: [] }]) } }, onlyTokens);
    const options = { schemes: { accessToken: tokens } };
    const open = appWith((app) => app.get(files, handler).post('/files/:path', token, handler));
    expect(differences(open, document([]), options)).toEqual([
      `  GET ${files}: the app has this route, but the document does not describe it`,
    ]);
    const except = [`GET ${files}`];
    expect(differences(open, document([]), { ...options, except })).toBeUndefined();
  });

  describe('a handler that answers more than the document describes', () => {
    const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
    const options = { schemes: { accessToken: tokens } };
    const needed = { '/pets': { get: asking([{ accessToken: [] }]) } };
    const health = (...methods: string[]) => {
      const item = Object.fromEntries(methods.map((method) => [method, asking([])]));
      return documentOf({ ...needed, '/health': item }, onlyTokens);
    };
    const app = (add: (made: Express) => unknown) =>
      appWith((made) => {
        made.get('/pets', token, handler);
        add(made);
      });

    it('a route for every method, of which the document has only some', () => {
      const every = app((made) => made.all('/health', handler));
      const line = '  ALL /health: the app handles more methods or paths with this route than the document describes';
      expect(differences(every, health('get'), options)).toEqual([line]);
      expect(differences(every, health(...METHODS.slice(1)), options)).toEqual([line]);
      expect(differences(every, health(...METHODS), options)).toBeUndefined();
      expect(differences(every, health('get'), { ...options, except: ['ALL /health'] })).toBeUndefined();
    });

    it('not a route for every method behind a gate', () => {
      const every = appWith((made) => made.all('/pets', token, handler));
      expect(differences(every, documentOf(needed, onlyTokens), options)).toBeUndefined();
    });

    it('not a function for every method before or after the routes of the operations', () => {
      const before = app((made) => made.all('/health', handler).get('/health', handler).post('/health', handler));
      const after = app((made) => made.route('/health').get(handler).post(handler).all(handler));
      for (const made of [before, after]) expect(differences(made, health('get', 'post'), options)).toBeUndefined();
    });

    it('an open mount, which also answers the paths below it', () => {
      const mounted = app((made) => made.use('/health', handler));
      expect(differences(mounted, health(...METHODS), options)).toEqual([
        '  USE /health: the app handles more methods or paths with this route than the document describes',
      ]);
      expect(differences(mounted, health(...METHODS), { ...options, except: ['USE /health'] })).toBeUndefined();
    });

    it('not behind an openApiGate that refuses what is not described', () => {
      const add = (made: Express) => made.get('/pets', handler).all('/health', handler).use('/status', handler);
      const document = documentOf(
        { ...needed, '/health': { get: asking([]) }, '/status': { get: asking([]) } },
        onlyTokens,
      );
      const behind = (gateOptions: object) =>
        appWith((made) => add(made.use(openApiGate(document, { ...options, ...gateOptions }))));
      expect(differences(behind({}), document, options)).toBeUndefined();
      expect(differences(behind({ undocumented: 'pass' }), document, options)).toEqual([
        '  ALL /health: the app handles more methods or paths with this route than the document describes',
        '  USE /status: the app handles more methods or paths with this route than the document describes',
      ]);
    });
  });

  it('a route of which the document has only one of its paths', () => {
    const path = written('/pets{/:id}', '/pets/:id?');
    const app = appWith((made) => made.get(path, token, handler));
    const options = { schemes: { accessToken: tokens } };
    const one = { '/pets/{id}': { get: asking([{ accessToken: [] }]) } };
    expect(differences(app, documentOf(one, onlyTokens), options)).toEqual([
      `  GET ${path}: the app has this route, but the document does not describe it`,
    ]);
    const both = { ...one, '/pets': { get: asking([{ accessToken: [] }]) } };
    expect(differences(app, documentOf(both, onlyTokens), options)).toBeUndefined();
  });

  it('a handler for preflight requests needs no operation', () => {
    const document = documentOf({ '/pets': { get: asking([{ accessToken: [] }]) } }, onlyTokens);
    const app = appWith((made) =>
      made.options('/pets', handler).options('/other', handler).get('/pets', token, handler),
    );
    expect(differences(app, document, { schemes: { accessToken: tokens } })).toBeUndefined();
  });

  it('a verifier with two names is named by both', () => {
    const securitySchemes = { ...SCHEMES, again: { type: 'http', scheme: 'bearer' } };
    const document = documentOf(
      { '/x': { get: asking([{ accessToken: [] }]) }, '/y': { get: asking([{ again: [] }, { secretKey: [] }]) } },
      { components: { securitySchemes } },
    );
    const app = appWith((made) => made.get('/x', handler).get('/y', both, handler));
    expect(differences(app, document, { schemes: { ...schemes, again: tokens } })).toEqual([
      '  GET /x: the document requires accessToken or again, but the app requires no credential',
    ]);
  });

  it.each(['get', 'post', 'put', 'patch', 'delete'])(
    'an open route for every method, of which the document does not describe %s',
    (method) => {
      const methods = Object.fromEntries(['get', 'post', 'put', 'patch', 'delete'].map((name) => [name, asking([])]));
      const app = appWith((made) => made.all('/health', handler));
      const document = (described: object) => documentOf({ '/health': described }, { components: {} });
      expect(differences(app, document(methods), { schemes: {} })).toBeUndefined();
      const { [method]: _, ...others } = methods;
      expect(differences(app, document(others), { schemes: {} })).toEqual([
        '  ALL /health: the app handles more methods or paths with this route than the document describes',
      ]);
    },
  );

  it('a route for GET has the operation for HEAD', () => {
    const app = appWith((made) => made.get('/x', token, handler));
    const operations = { get: asking([{ accessToken: [] }]), head: asking([{ accessToken: [] }]) };
    expect(
      differences(app, documentOf({ '/x': operations }, onlyTokens), { schemes: { accessToken: tokens } }),
    ).toBeUndefined();
    const only = documentOf({ '/x': { head: operations.head } }, onlyTokens);
    expect(differences(app, only, { schemes: { accessToken: tokens } })).toEqual([
      '  GET /x: the app has this route, but the document does not describe it',
    ]);
  });

  it('an earlier route with text beside its parameter is compared in any case, and a dot is only a dot', () => {
    const document = (path: string) =>
      documentOf(
        { [path]: { get: asking([{ accessToken: [] }]) }, '/files/{name}.csv': { get: asking([]) } },
        onlyTokens,
      );
    const app = (path: string) => appWith((made) => made.get('/FILES/:name.csv', handler).get(path, token, handler));
    const options = { schemes: { accessToken: tokens } };
    expect(differences(app('/files/report.csv'), document('/files/report.csv'), options)).toEqual([
      '  GET /files/report.csv: its requests are handled by an earlier route, GET /FILES/:name.csv, which has different security requirements',
    ]);
    expect(differences(app('/files/report-csv'), document('/files/report-csv'), options)).toBeUndefined();
  });

  it('a path in another case, of a case-sensitive router', () => {
    const document = documentOf({ '/pets': { get: asking([{ accessToken: [] }]) } }, onlyTokens);
    const app = (isSensitive: boolean) =>
      appWith((made) => {
        if (isSensitive) made.enable('case sensitive routing');
        made.get('/Pets', isSensitive ? [] : token, handler).get('/pets', token, handler);
      });
    const options = { schemes: { accessToken: tokens } };
    expect(differences(app(true), document, options)).toEqual([
      '  GET /Pets: the app has this route, but the document does not describe it',
    ]);
    expect(differences(app(false), document, options)).toBeUndefined();
    const slash = documentOf({ '/pets/': { get: asking([{ accessToken: [] }]) } }, onlyTokens);
    const sensitive = appWith((made) => made.enable('case sensitive routing').get('/pets', token, handler));
    expect(differences(sensitive, slash, options)).toBeUndefined();
    const templated = documentOf({ '/pets/{id}': { get: asking([{ accessToken: [] }]) } }, onlyTokens);
    const other = appWith((made) => made.enable('case sensitive routing').get('/Pets/:id', token, handler));
    expect(differences(other, templated, options)).toEqual([
      '  GET /pets/{id}: the document describes this operation, but the app has no route for it',
      '  GET /Pets/:id: the app has this route, but the document does not describe it',
    ]);
  });

  if (EXPRESS === 5) {
    it('an open wildcard in an optional part, which answers more paths than the document has', () => {
      const document = documentOf(
        { '/files': { get: asking([]) }, '/toys': { get: asking([{ accessToken: [] }]) } },
        onlyTokens,
      );
      const app = appWith((made) => made.get('/toys', token, handler).get('/files{/*path}', handler));
      expect(differences(app, document, { schemes: { accessToken: tokens } })).toEqual([
        '  GET /files{/*path}: the app has this route, but the document does not describe it',
      ]);
    });

    it('a path with a slash at its end, of a strict router', () => {
      const document = documentOf({ '/pets': { get: asking([{ accessToken: [] }]) } }, onlyTokens);
      const app = (isStrict: boolean) =>
        appWith((made) => {
          if (isStrict) made.enable('strict routing');
          made.get('/pets/', isStrict ? [] : token, handler).get('/pets', token, handler);
        });
      const options = { schemes: { accessToken: tokens } };
      expect(differences(app(true), document, options)).toEqual([
        '  GET /pets/: the app has this route, but the document does not describe it',
      ]);
      expect(differences(app(false), document, options)).toBeUndefined();
    });
  }

  it('O16 the error has a code and names the number of differences', () => {
    const failing = () => assertMatchesOpenApi(petApp({ pets: [], create: [] }), pets, { schemes });
    expect(failing).toThrow(KeywardError);
    expect(failing).toThrow(expect.objectContaining({ code: 'openapi_mismatch' }));
    expect(failing).toThrow(/^assertMatchesOpenApi: the app and the document differ in 2 places:\n/);
  });

  it('O16 a handler that is mounted above an operation counts as its route', () => {
    const document = documentOf({ '/files/{name}': { get: asking([{ accessToken: [] }, { secretKey: [] }]) } });
    expect(
      differences(
        appWith((app) => app.use('/files', express.static('.'), both)),
        document,
      ),
    ).toEqual([
      '  GET /files/{name}: the document requires accessToken, or secretKey, but the app requires no credential',
    ]);
    expect(
      differences(
        appWith((app) => app.use('/files', both).use('/files', express.static('.'))),
        document,
      ),
    ).toBeUndefined();
  });
});

describe('an app behind an openApiGate', () => {
  const behind = (document: object, add: (app: Express) => unknown, options: object = {}) =>
    appWith((app) => {
      app.use(openApiGate(document, { schemes, ...options }));
      add(app);
    });
  const routes = (app: Express) => {
    for (const path of ['/pets', '/pets/:id', '/health', '/other']) app.get(path, handler);
    app.post('/pets', handler);
  };

  it('O18 agrees with its document, and assertGuarded needs no "except"', () => {
    const app = behind(pets, (made) =>
      made.get('/pets', handler).post('/pets', handler).get('/pets/:id', handler).get('/health', handler),
    );
    expect(differences(app)).toBeUndefined();
    const document = documentOf({
      '/a': { get: asking([{ accessToken: ['a:x'] }, { secretKey: ['b:y', 'c:z'] }]) },
      '/b': { get: asking([{ secretKey: ['b:y'] }, {}]) },
    });
    expect(
      differences(
        behind(document, (made) => made.get('/a', handler).get('/b', handler)),
        document,
      ),
    ).toBeUndefined();
  });

  it('O18 the audit reports each route as in the document', () => {
    const reports = auditRoutes(behind(pets, routes)).map(
      ({ method, path, gates: found, guards, open, openByDocument }) => ({
        ...{ route: `${method} ${path}`, found, guards, open, openByDocument },
      }),
    );
    const closed = { open: false, openByDocument: false };
    const kinds = ['access', 'secret'];
    expect(reports).toEqual([
      { route: 'GET /pets', found: [{ kinds, optional: false }], guards: ['requireScopes(a:x)'], ...closed },
      {
        route: 'GET /pets/:id',
        found: [{ kinds: ['access'], optional: true }],
        guards: [],
        open: true,
        openByDocument: false,
      },
      { route: 'GET /health', found: [], guards: [], open: true, openByDocument: true },
      { route: 'GET /other', found: [{ kinds: [], optional: false }], guards: [], ...closed },
      { route: 'POST /pets', found: [{ kinds: ['access'], optional: false }], guards: [], ...closed },
    ]);
  });

  it('O18 an operation without any security is open, and assertGuarded requires "except"', () => {
    const document = documentOf({ '/x': { get: asking() }, '/y': { get: asking(BOTH) }, '/z': { get: asking([]) } });
    const app = behind(document, (made) => made.get('/x', handler).get('/y', handler).get('/z', handler));
    expect(faultOf(() => assertGuarded(app))).toMatch(/1 route is not guarded[\s\S]*GET \/x has no requireBearer/);
    expect(faultOf(() => assertGuarded(app, { except: ['GET /x'] }))).toBeUndefined();
  });

  it('O18 undocumented routes count as refused; with "pass" they are open', () => {
    const document = documentOf({ '/pets': { get: asking(BOTH) } });
    const add = (app: Express) => app.get('/pets', handler).get('/other', handler).post('/pets', handler);
    expect(faultOf(() => assertGuarded(behind(document, add)))).toBeUndefined();
    const passing = behind(document, add, { undocumented: 'pass' });
    expect(faultOf(() => assertGuarded(passing))).toMatch(
      /2 routes are not guarded[\s\S]*GET \/other[\s\S]*POST \/pets/,
    );
  });

  it('O18 a route for several operations is reported as the least strict', () => {
    const document = documentOf({
      '/a/{x}': { get: asking(BOTH) },
      '/b/open': { get: asking([]) },
      '/b/closed': { get: asking([{ secretKey: [] }]) },
    });
    const app = behind(document, (made) => {
      made.get('/:kind/:x', handler).get(written('/a/*rest', '/a/*'), handler).use('/b', express.static('.'));
    });
    expect(auditRoutes(app).map(({ path, open, openByDocument }) => [path, open, openByDocument])).toEqual([
      ['/:kind/:x', true, true],
      [written('/a/*rest', '/a/*'), false, false],
      ['/b', true, true],
    ]);
  });

  it('O18 a route for operations that are open, of which the document says it of only some, requires "except"', () => {
    const document = documentOf(
      { '/x': { get: asking([]), post: asking() }, '/y': { get: asking([]), post: asking([]) } },
      { components: {} },
    );
    const app = appWith((made) => {
      made
        .use(openApiGate(document, { schemes: {} }))
        .all('/x', handler)
        .all('/y', handler);
    });
    expect(faultOf(() => assertGuarded(app))).toMatch(/1 route is not guarded[\s\S]*ALL \/x has no requireBearer/);
  });

  it('O18 a route for several operations is optional if one of them is, and has the kinds of all', () => {
    const document = documentOf({
      '/pets': { get: asking([{ secretKey: [] }, {}]), post: asking([{ accessToken: ['a:x'] }]) },
      '/toys': { get: asking([{ secretKey: [] }]), post: asking([{ accessToken: ['a:x'] }]) },
    });
    const app = behind(document, (made) => made.all('/pets', handler).all('/toys', handler));
    expect(auditRoutes(app)).toMatchObject([
      { path: '/pets', open: true, gates: [{ kinds: ['secret', 'access'], optional: true }] },
      { path: '/toys', open: false, gates: [{ kinds: ['secret', 'access'], optional: false }], guards: [] },
    ]);
    expect(faultOf(() => assertGuarded(app))).toMatch(
      /1 route is not guarded[\s\S]*ALL \/pets accepts requests without/,
    );
  });

  it('O18 with "pass" a route with a parameter is open if the document has only a concrete path', () => {
    const document = documentOf({ '/pets/mine': { get: asking(BOTH) } });
    const add = (made: Express) => made.get('/pets/mine', handler).get('/pets/:id', handler);
    expect(auditRoutes(behind(document, add)).map(({ open }) => open)).toEqual([false, false]);
    expect(auditRoutes(behind(document, add, { undocumented: 'pass' })).map(({ open }) => open)).toEqual([false, true]);
    const templated = documentOf({ '/toys/{id}': { get: asking(BOTH) } });
    const described = behind(templated, (made) => made.get('/toys/mine', handler), { undocumented: 'pass' });
    expect(auditRoutes(described).map(({ open }) => open)).toEqual([false]);
  });

  it('O18 with "pass" a mount and a wildcard are open, because they also answer paths that are not described', () => {
    const document = documentOf({ '/pets/{id}': { get: asking(BOTH) }, '/toys/{id}': { get: asking(BOTH) } });
    const add = (made: Express) =>
      made.use('/pets', express.static('.')).get(written('/toys/*rest', '/toys/*'), handler);
    expect(auditRoutes(behind(document, add)).map(({ open }) => open)).toEqual([false, false]);
    expect(auditRoutes(behind(document, add, { undocumented: 'pass' })).map(({ open }) => open)).toEqual([true, true]);
  });

  it('O18 alternatives of which only some have scopes or a client certificate are reported as one guard', () => {
    const bound = accessTokens({ issuer: 'https://login.example', audience: 'api', mtls: {} });
    const securitySchemes = { ...SCHEMES, mtls: { type: 'mutualTLS' } };
    const document = documentOf(
      {
        '/scope': { get: asking([{ accessToken: ['a:x'] }, { secretKey: [] }]) },
        '/bound': { get: asking([{ accessToken: [], mtls: [] }, { secretKey: [] }]) },
        '/both': { get: asking([{ accessToken: ['a:x'], mtls: [] }]) },
      },
      { components: { securitySchemes } },
    );
    const options = { schemes: { accessToken: bound, secretKey: keys, mtls: 'mutualTLS' as const } };
    const app = behind(
      document,
      (made) => made.get('/scope', handler).get('/bound', handler).get('/both', handler),
      options,
    );
    expect(auditRoutes(app).map(({ guards }) => guards)).toEqual([
      ['requireAny(requireScopes(a:x), no scope required)'],
      ['requireAny(mutualTLS, no scope required)'],
      ['requireScopes(a:x) and mutualTLS'],
    ]);
    expect(differences(app, document, options)).toBeUndefined();
  });

  it('O18 with "pass" a route with an optional part is open if the document has only one of its paths', () => {
    const path = written('/pets{/:id}', '/pets/:id?');
    const add = (made: Express) => made.get(path, handler);
    for (const [described, open] of [
      [['/pets'], true],
      [['/pets/{id}'], true],
      [['/pets', '/pets/{id}'], false],
    ] as const) {
      const document = documentOf(Object.fromEntries(described.map((one) => [one, { get: asking(BOTH) }])));
      const app = behind(document, add, { undocumented: 'pass' });
      expect([described, auditRoutes(app)[0]?.open]).toEqual([described, open]);
    }
  });

  it('O18 a route for several operations may have any kind if a verifier of one of them does not say its kinds', () => {
    const foreign = { verify: () => ({ outcome: 'refused', reason: 'no' }) as const };
    const document = documentOf(
      { '/x': { get: asking([{ foreign: [] }]), post: asking([{ secretKey: [] }]) } },
      { components: { securitySchemes: { foreign: SCHEMES.secretKey, secretKey: SCHEMES.secretKey } } },
    );
    const app = appWith((made) =>
      made.use(openApiGate(document, { schemes: { foreign, secretKey: keys } })).all('/x', handler),
    );
    expect(auditRoutes(app)[0]).toMatchObject({ gates: [{ kinds: 'any' }], namesKinds: false });
    expect(faultOf(() => assertGuarded(app))).toMatch(
      /ALL \/x may accept keys, but no guard restricts the kinds of keys/,
    );
  });

  it('O18 a route for every method is open if a templated operation of another method is', async () => {
    const document = documentOf({
      '/pets/mine': { get: asking(BOTH) },
      '/pets/{id}': { post: asking([]) },
      '/toys/mine': { get: asking(BOTH) },
      '/toys/{id}': { get: asking([]) },
    });
    const app = behind(document, (made) => made.all('/pets/mine', handler).all('/toys/mine', handler));
    expect((await request(app).post('/pets/mine')).status).toBe(200);
    expect((await request(app).get('/pets/mine')).status).toBe(401);
    expect(auditRoutes(app).map(({ path, open }) => [path, open])).toEqual([
      ['/pets/mine', true],
      ['/toys/mine', false],
    ]);
  });

  it('O18 the route of the root has the security of the root, and a mount that of the operations below it', () => {
    const document = documentOf({
      '/': { get: asking([]) },
      '/pets': { get: asking([]) },
      '/pets/toys': { get: asking(BOTH) },
    });
    const app = behind(document, (made) =>
      made.get('/', handler).use('/pets/toys', express.static('.')).use('/other', express.static('.')),
    );
    expect(auditRoutes(app).map(({ path, open }) => [path, open])).toEqual([
      ['/', true],
      ['/pets/toys', false],
      ['/other', false],
    ]);
  });

  it.each([
    ['the function of a concrete path', '/pets/mine', {}, false],
    ['a function above it', '/pets', {}, true],
    ['a function of all its methods, if the template has another', '/pets/mine', { post: asking([]) }, true],
    ['a function of more paths', '/pets/mine', { '/pets/{id}/{photo}': { get: asking([]) } }, true],
  ])('%s is not reported as the template', (_what, path, more, open) => {
    const { '/pets/{id}/{photo}': photo, ...methods } = more as Record<string, unknown>;
    const document = documentOf({
      '/pets/mine': { get: asking(BOTH) },
      '/pets/{id}': { get: asking([]), ...methods },
      ...(photo === undefined ? {} : { '/pets/{id}/{photo}': photo }),
    });
    const app = express().use(openApiGate(document, { schemes }));
    app.use(path, handler).get('/pets/:id', handler);
    expect(auditRoutes(app).find(({ method }) => method === 'USE')?.open).toBe(open);
    if (!open) expect(differences(app, document)).toBeUndefined();
  });

  it('O18 a concrete route of a templated operation is reported as the template', () => {
    const document = documentOf({ '/pets/{id}': { get: asking([]) }, '/x': { get: asking(BOTH) } });
    const app = behind(document, (made) => made.get('/pets/admin', handler).get('/x', handler));
    expect(auditRoutes(app)[0]).toMatchObject({ path: '/pets/admin', open: true, openByDocument: true });
    expect(differences(app, document)).toContain(
      '  GET /pets/admin: the app has this route, but the document does not describe it',
    );
  });

  it('O18 a gate in a router counts for its routes only', () => {
    const router = express.Router();
    router.use(
      openApiGate(documentOf({ '/pets': { get: asking([{ secretKey: [] }]) } }, onlyKeys), {
        schemes: { secretKey: keys },
        basePath: '/v1',
      }),
    );
    router.get('/pets', handler);
    const app = appWith((made) => made.use('/v1', router).get('/pets', handler));
    expect(auditRoutes(app).map(({ path, gates: found }) => [path, found.length])).toEqual([
      ['/v1/pets', 1],
      ['/pets', 0],
    ]);
  });
});

const onlyTokens = { components: { securitySchemes: { accessToken: SCHEMES.accessToken } } };
const onlyKeys = { components: { securitySchemes: { secretKey: SCHEMES.secretKey } } };
