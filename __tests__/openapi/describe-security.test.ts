/** O13 and O15: what the gates and guards of an app write into a document. */
import { describe, expect, it } from '@jest/globals';
import { validate as readmeValidate } from '@readme/openapi-parser';
import { Validator } from '@seriousme/openapi-schema-validator';
import express, { type Express } from 'express';
import {
  accessTokens,
  type CredentialVerifier,
  requireAny,
  requireApi,
  requireBearer,
  requireChannel,
  requireConfirmation,
  requireKeyKind,
  requireScopes,
} from 'keyward';
import { assertMatchesOpenApi, describeSecurity, openApiGate } from 'keyward/openapi';
import { asking, documentOf, faultOf, keys, kit, SCHEMES, schemes, tokens } from '../support/openapi.js';

const both = requireBearer({ accept: [tokens, keys] });
const optional = requireBearer({ accept: [tokens, keys], optional: true });
const handler = (_req: unknown, res: { end(): unknown }) => void res.end();
const publicKeys = kit.keys('public');

type Security = readonly Readonly<Record<string, readonly string[]>>[];
const securityAt = (document: unknown, path: string, method = 'get') =>
  (document as { paths: Record<string, Record<string, { security: Security }>> }).paths[path]?.[method]?.security;

/** Routes by their guards, and what the document says of each. */
const ROUTES: readonly (readonly [name: string, handlers: readonly unknown[], security: Security])[] = [
  ['nothing', [], []],
  ['both', [both], [{ accessToken: [] }, { secretKey: [] }]],
  ['one', [requireBearer({ accept: [keys] })], [{ secretKey: [] }]],
  [
    'scoped',
    [requireBearer({ accept: [tokens], scopes: ['a:x'] }), requireScopes('b:y', 'a:x')],
    [{ accessToken: ['a:x', 'b:y'] }],
  ],
  ['scopes', [both, requireScopes('a:x')], [{ accessToken: ['a:x'] }, { secretKey: ['a:x'] }]],
  ['kind', [both, requireKeyKind('access')], [{ accessToken: [] }]],
  ['two kinds', [both, requireKeyKind('access', 'secret'), requireKeyKind('access')], [{ accessToken: [] }]],
  [
    'any',
    [both, requireAny(requireScopes('a:x'), requireScopes('b:y'))],
    [{ accessToken: ['a:x'] }, { accessToken: ['b:y'] }, { secretKey: ['a:x'] }, { secretKey: ['b:y'] }],
  ],
  [
    'kind or scope',
    [both, requireAny(requireKeyKind('secret'), requireScopes('a:x'))],
    [{ accessToken: ['a:x'] }, { secretKey: [] }],
  ],
  ['or api', [both, requireAny(requireApi('pets'), requireScopes('a:x'))], [{ accessToken: [] }, { secretKey: [] }]],
  ['api', [both, requireApi('pets'), requireChannel(() => undefined)], [{ accessToken: [] }, { secretKey: [] }]],
  ['optional', [optional], [{ accessToken: [] }, { secretKey: [] }, {}]],
  ['optional, guarded', [optional, requireScopes('a:x')], [{ accessToken: ['a:x'] }, { secretKey: ['a:x'] }]],
  ['two gates', [both, requireBearer({ accept: [keys], scopes: ['b:y'] })], [{ secretKey: ['b:y'] }]],
];
const pathOf = (name: string) => `/${name.replaceAll(/\W+/g, '-')}`;
const plain = (openapi: string, extra: object = {}) =>
  documentOf(Object.fromEntries(ROUTES.map(([name]) => [pathOf(name), { get: asking() }])), {
    openapi,
    components: {},
    ...extra,
  });

function appWith(add: (app: Express) => unknown): Express {
  const app = express();
  add(app);
  return app;
}

const everyGuard = appWith((app) => {
  for (const [name, handlers] of ROUTES) app.get(pathOf(name), ...(handlers as never[]), handler);
});

describe('an app with every guard', () => {
  const described = describeSecurity(everyGuard, { into: plain('3.1.0'), schemes });

  it.each(ROUTES)('O13 %s', (name, _handlers, security) => {
    expect(securityAt(described, pathOf(name))).toEqual(security);
  });

  it('O13 has every scheme, and nothing else is written', () => {
    expect(described.components).toEqual({
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer' },
        secretKey: { type: 'http', scheme: 'bearer' },
      },
    });
    const { components: _schemes, paths, ...rest } = described;
    const { components: _none, paths: given, ...before } = plain('3.1.0');
    expect(rest).toEqual(before);
    expect(Object.keys(paths as object)).toEqual(Object.keys(given as object));
  });

  it('O13 the given document is not changed', () => {
    const into = Object.freeze(plain('3.1.0'));
    const text = JSON.stringify(into);
    describeSecurity(everyGuard, { into, schemes });
    expect(JSON.stringify(into)).toBe(text);
  });

  it.each(['3.1.0', '3.1.1', '3.2.0'])('O13 two foreign validators accept it in OpenAPI %s', async (openapi) => {
    const document = describeSecurity(everyGuard, { into: plain(openapi), schemes });
    const seriousme = await new Validator().validate(structuredClone(document));
    expect([seriousme.valid, seriousme.errors]).toEqual([true, undefined]);
    // It does not know 3.2 yet.
    if (openapi.startsWith('3.2')) return;
    expect(await readmeValidate(structuredClone(document) as never)).toMatchObject({ valid: true });
  });

  it('O13 two foreign validators accept it in OpenAPI 3.0, with oauth2', async () => {
    const flows = { clientCredentials: { tokenUrl: 'https://login.example/token', scopes: { 'a:x': 'read' } } };
    const app = appWith((made) => {
      made.get('/scoped', requireBearer({ accept: [tokens], scopes: ['a:x', 'b:y'] }), handler);
      made.get('/keys', requireBearer({ accept: [keys] }), handler);
    });
    const components = { securitySchemes: { accessToken: { type: 'oauth2', flows } } };
    const into = documentOf(
      { '/scoped': { get: asking() }, '/keys': { get: asking() } },
      { openapi: '3.0.3', components },
    );
    const document = describeSecurity(app, { into, schemes });
    const { securitySchemes } = document.components as typeof components;
    expect(securitySchemes.accessToken.flows.clientCredentials.scopes).toEqual({ 'a:x': 'read', 'b:y': '' });
    expect((await new Validator().validate(structuredClone(document))).valid).toBe(true);
    expect(await readmeValidate(structuredClone(document) as never)).toMatchObject({ valid: true });
  });

  it('O13 scopes of an http scheme are a TypeError in OpenAPI 3.0', () => {
    const app = appWith((made) => made.get('/scoped', requireBearer({ accept: [tokens], scopes: ['a:x'] }), handler));
    const into = documentOf({ '/scoped': { get: asking() } }, { openapi: '3.0.3', components: {} });
    expect(faultOf(() => describeSecurity(app, { into, schemes: { accessToken: tokens } }))).toMatch(
      /^TypeError: .*#\/paths\/~1scoped\/get: in OpenAPI 3.0, only oauth2 and openIdConnect schemes have scopes, and the scheme "accessToken" is neither/,
    );
  });

  it('O13 a key that is sent without Bearer is an apiKey', () => {
    const app = appWith((made) =>
      made.get('/x', requireBearer({ accept: [publicKeys], allowSchemeless: true }), handler),
    );
    const into = documentOf({ '/x': { get: asking() } }, { components: {} });
    const document = describeSecurity(app, { into, schemes: { publicKey: publicKeys } });
    expect(document.components).toEqual({
      securitySchemes: { publicKey: { type: 'apiKey', in: 'header', name: 'Authorization' } },
    });
  });

  it('O13 finds routes in routers, under a base path, with patterns and without a slash at the end', () => {
    const router = express.Router();
    router.get('/:id/toys/', handler);
    router.all('/:id', handler);
    const app = appWith((made) => made.use('/v1/pets', both, router));
    const paths = { '/pets/{id}/toys': { get: asking() }, '/pets/{id}': { put: asking(), head: asking() } };
    const into = documentOf(paths, { servers: [{ url: 'https://api.example/v1' }] });
    const document = describeSecurity(app, { into, schemes });
    const expected = [{ accessToken: [] }, { secretKey: [] }];
    expect(securityAt(document, '/pets/{id}/toys')).toEqual(expected);
    expect(securityAt(document, '/pets/{id}', 'put')).toEqual(expected);
    expect(securityAt(document, '/pets/{id}', 'head')).toEqual(expected);
  });

  it('O13 a path item behind a $ref is written at its target', () => {
    const app = appWith((made) => made.get('/x', both, handler).get('/y', both, handler));
    const pathItems = { shared: { get: asking() } };
    const into = documentOf(
      { '/x': { $ref: '#/components/pathItems/shared' } },
      { components: { securitySchemes: SCHEMES, pathItems } },
    );
    const document = describeSecurity(app, { into, schemes });
    expect((document.components as { pathItems: typeof pathItems }).pathItems.shared.get.security).toHaveLength(2);
    const other = appWith((made) => made.get('/x', both, handler).get('/y', handler));
    const twice = documentOf(
      { '/x': { $ref: '#/components/pathItems/shared' }, '/y': { $ref: '#/components/pathItems/shared' } },
      { components: { securitySchemes: SCHEMES, pathItems } },
    );
    expect(faultOf(() => describeSecurity(other, { into: twice, schemes }))).toMatch(
      /two paths refer to this operation with/,
    );
  });
});

describe('a document with security', () => {
  const app = appWith((made) => made.get('/x', both, requireScopes('a:x'), handler).get('/open', handler));
  const conflict = (security: unknown, more: object = {}) =>
    faultOf(() => describeSecurity(app, { into: documentOf({ '/x': { get: asking(security) } }, more), schemes }));

  it.each([
    ['what the app asks', [{ accessToken: ['a:x'] }, { secretKey: ['a:x'] }]],
    ['the same in another order', [{ secretKey: ['a:x'] }, { accessToken: ['a:x'] }]],
    [
      'the same with an alternative that asks more',
      [{ secretKey: ['a:x'] }, { accessToken: ['a:x'] }, { accessToken: ['a:x', 'b'] }],
    ],
  ])('O15 %s is not changed', (_name, security) => {
    const into = documentOf({ '/x': { get: asking(security) }, '/open': { get: asking() } });
    const document = describeSecurity(app, { into, schemes });
    expect(securityAt(document, '/x')).toEqual(security);
    expect(securityAt(document, '/open')).toEqual([]);
  });

  it.each([
    [
      'more scopes',
      [{ accessToken: ['a:x', 'b:y'] }, { secretKey: ['a:x'] }],
      'accessToken with the scopes a:x b:y, or secretKey with the scope a:x',
    ],
    ['fewer scopes', [{ accessToken: [] }, { secretKey: ['a:x'] }], 'accessToken, or secretKey with the scope a:x'],
    ['fewer schemes', [{ accessToken: ['a:x'] }], 'accessToken with the scope a:x'],
    ['nothing', [], 'no credential'],
    ['optional', [{ accessToken: ['a:x'] }, { secretKey: ['a:x'] }, {}], 'accessToken, or secretKey, or no credential'],
  ])('O15 %s is a conflict with both sides', (_name, security, text) => {
    expect(conflict(security)).toBe(
      [
        'KeywardError: describeSecurity: the security requirements of the app cannot be added to the document:',
        `  GET /x: the document requires ${text}, but the app requires accessToken with the scope a:x, or secretKey with the scope a:x`,
      ].join('\n'),
    );
  });

  it('O15 the security of the whole document counts for an operation without security', () => {
    expect(conflict(undefined, { security: [{ accessToken: [] }] })).toMatch(
      /GET \/x: the document requires accessToken, but the app/,
    );
    const into = documentOf({ '/open': { get: asking() } }, { security: [{ accessToken: [] }, { secretKey: [] }] });
    expect(faultOf(() => describeSecurity(app, { into, schemes }))).toMatch(
      /requires accessToken, or secretKey, but the app requires no credential/,
    );
  });

  it('O15 an operation without a route is a conflict', () => {
    const into = documentOf({ '/x': { post: asking() } });
    expect(faultOf(() => describeSecurity(app, { into, schemes }))).toMatch(
      /POST \/x: the document describes this operation, but the app has no route for it/,
    );
  });

  it('O15 a gate whose verifier has no name is a conflict, and a name without a gate a TypeError', () => {
    const into = documentOf({ '/x': { get: asking() } }, { components: {} });
    expect(faultOf(() => describeSecurity(app, { into, schemes: { accessToken: tokens } }))).toMatch(
      /GET \/x: the app requires accessToken with the scope a:x, or a credential \(its verifier is missing from "schemes"\) with the scope a:x; add every verifier of this route to "schemes"$/,
    );
    expect(faultOf(() => describeSecurity(app, { into, schemes: { ...schemes, other: publicKeys } }))).toBe(
      'TypeError: describeSecurity: option "schemes.other" is a scheme that no operation of the document requires; remove it from "schemes", or add the operations of its routes to the document',
    );
  });

  it('O15 an optional gate with scopes is a conflict: with {} a scope has no effect', () => {
    const gate = requireBearer({ accept: [keys], optional: true, scopes: ['a:x'] });
    const scoped = appWith((made) => made.get('/x', gate, handler));
    const into = documentOf({ '/x': { get: asking() } }, { components: {} });
    expect(faultOf(() => describeSecurity(scoped, { into, schemes: { secretKey: keys } }))).toMatch(
      /GET \/x: the app requires credentials in a combination that OpenAPI cannot express/,
    );
  });

  it('O15 guards that no credential passes are a conflict', () => {
    const closed = appWith((made) =>
      made.get('/x', requireBearer({ accept: [keys] }), requireKeyKind('access'), handler),
    );
    const into = documentOf({ '/x': { get: asking() } }, { components: {} });
    expect(faultOf(() => describeSecurity(closed, { into, schemes: { secretKey: keys } }))).toMatch(
      /GET \/x: the app requires a credential that cannot exist, because the gates \(such as requireBearer\) and guards of the route contradict each other/,
    );
  });

  it.each([
    ['another verifier', { other: publicKeys }],
    ['a second name of a verifier', { other: keys }],
    ['mutualTLS without a route that requires it', { other: 'mutualTLS' }],
  ] as const)('a scheme that no operation would require is a TypeError: %s', (_what, more) => {
    const into = documentOf({ '/x': { get: asking() } }, { components: {} });
    expect(faultOf(() => describeSecurity(app, { into, schemes: { ...schemes, ...more } }))).toMatch(
      /option "schemes.other" is a scheme that no operation of the document requires/,
    );
  });

  const guardedBy = (accept: CredentialVerifier, ...guards: readonly ReturnType<typeof requireScopes>[]) =>
    appWith((made) => made.get('/x', requireBearer({ accept: [accept] }), ...guards, handler));
  const anyKeys = kit.keys('secret', 'public');

  it.each([
    ['a guard for one kind', guardedBy(anyKeys, requireKeyKind('secret')), anyKeys],
    [
      'guards that ask more of one kind',
      guardedBy(anyKeys, requireAny(requireKeyKind('secret'), requireScopes('a:x'))),
      anyKeys,
    ],
  ])('a verifier of which only some kinds pass is a conflict: %s', (_what, guarded, verifier) => {
    const into = documentOf({ '/x': { get: asking() } }, { components: {} });
    const needed =
      /credentials in a combination that OpenAPI cannot express; .*use one verifier \(such as apiKeys\) for each kind/;
    expect(faultOf(() => describeSecurity(guarded, { into, schemes: { anyKey: verifier } }))).toMatch(needed);
    const described = documentOf(
      { '/x': { get: asking([{ anyKey: [] }]) } },
      { components: { securitySchemes: { anyKey: SCHEMES.secretKey } } },
    );
    expect(faultOf(() => assertMatchesOpenApi(guarded, described, { schemes: { anyKey: verifier } }))).toMatch(needed);
  });

  it('guards that let all kinds of a verifier pass are written', () => {
    const into = documentOf({ '/x': { get: asking() } }, { components: {} });
    const one = guardedBy(anyKeys, requireAny(requireKeyKind('secret'), requireKeyKind('public')));
    expect(securityAt(describeSecurity(one, { into, schemes: { anyKey: anyKeys } }), '/x')).toEqual([{ anyKey: [] }]);
    const other = guardedBy(anyKeys, requireAny(requireKeyKind('secret', 'public'), requireScopes('a:x')));
    expect(securityAt(describeSecurity(other, { into, schemes: { anyKey: anyKeys } }), '/x')).toEqual([{ anyKey: [] }]);
  });

  it.each([
    [{ schemes }, /option "into" must be a parsed OpenAPI document/],
    [{ into: 'openapi: 3.1.0', schemes }, /option "into" must be/],
    [{ into: {}, schemes }, /expected OpenAPI 3.0, 3.1 or 3.2/],
    [{ into: documentOf({}), schemes: {}, from: 1 }, /unknown option "from"/],
  ])('O15 the options of describeSecurity are checked (%#)', (options, expected) => {
    expect(faultOf(() => describeSecurity(app, options as never))).toMatch(expected);
  });
});

describe('an app that requires client certificates', () => {
  const bound = accessTokens({ issuer: 'https://login.example', audience: 'api', mtls: {} });
  const named = { accessToken: bound, mtls: 'mutualTLS' } as const;
  const into = documentOf({ '/x': { get: asking() } }, { components: {} });
  const app = (...guards: readonly ReturnType<typeof requireConfirmation>[]) =>
    appWith((made) => made.get('/x', requireBearer({ accept: [bound] }), ...guards, handler));

  it.each([
    ['/pets/mine', '/pets/mine', '/pets/:id', '/pets/{id}'],
    ['/pets/{id}', '/pets/:id', '/:kind/:id', '/{kind}/{id}'],
  ])('an earlier, open route that handles the requests of %s is a conflict', (path, guarded, open, template) => {
    const app = express().get(open, handler).get(guarded, both, handler);
    const into = documentOf({ [path]: { get: asking() }, [template]: { get: asking() } });
    expect(faultOf(() => describeSecurity(app, { into, schemes }))).toContain(
      `  GET ${path}: its requests are handled by an earlier route, GET ${open}, which has different security requirements`,
    );
  });

  it('O13 requireConfirmation of mtls is mutualTLS beside the token', () => {
    const guarded = app(requireConfirmation('mtls'));
    const described = describeSecurity(guarded, { into, schemes: named });
    expect(securityAt(described, '/x')).toEqual([{ accessToken: [], mtls: [] }]);
    expect(described.components).toMatchObject({ securitySchemes: { mtls: { type: 'mutualTLS' } } });
    expect(() => assertMatchesOpenApi(guarded, described, { schemes: named })).not.toThrow();
    expect(() => openApiGate(described, { schemes: named })).not.toThrow();
    expect(faultOf(() => assertMatchesOpenApi(app(), described, { schemes: named }))).toContain(
      'GET /x: the document requires accessToken with mutualTLS, but the app requires accessToken',
    );
  });

  it('requireConfirmation of mtls is mutualTLS too if another guard comes before or after it', () => {
    const [mtls, scope] = [requireConfirmation('mtls'), requireScopes('a:x')];
    for (const guarded of [app(mtls, scope), app(scope, mtls)]) {
      const described = describeSecurity(guarded, { into, schemes: named });
      expect(securityAt(described, '/x')).toEqual([{ accessToken: ['a:x'], mtls: [] }]);
    }
  });

  it('O13 a scope or a client certificate are two alternatives, and neither makes the other needless', async () => {
    const guarded = appWith((made) =>
      made.get(
        '/x',
        requireBearer({ accept: [bound] }),
        requireAny(requireConfirmation('mtls'), requireScopes('a:x')),
        handler,
      ),
    );
    const described = describeSecurity(guarded, { into, schemes: named });
    expect(securityAt(described, '/x')).toEqual([{ accessToken: [], mtls: [] }, { accessToken: ['a:x'] }]);
    expect(() => assertMatchesOpenApi(guarded, described, { schemes: named })).not.toThrow();
    const needless = documentOf(
      {
        '/x': {
          get: asking([{ accessToken: [], mtls: [] }, { accessToken: ['a:x'] }, { accessToken: ['a:x'], mtls: [] }]),
        },
      },
      { components: described.components },
    );
    expect(() => assertMatchesOpenApi(guarded, needless, { schemes: named })).not.toThrow();
  });

  it('O15 without a scheme for it, it is a conflict: the document would ask for less', () => {
    const fault = faultOf(() =>
      describeSecurity(app(requireConfirmation('mtls')), { into, schemes: { accessToken: bound } }),
    );
    expect(fault).toContain(
      `GET /x: the app requires accessToken with mutualTLS; add a scheme for mutualTLS to "schemes", such as { mtls: 'mutualTLS' }`,
    );
  });

  it('O13 a client certificate is a TypeError in OpenAPI 3.0, which has no scheme for it', () => {
    const old = documentOf({ '/x': { get: asking() } }, { openapi: '3.0.3', components: {} });
    const guarded = app(requireConfirmation('mtls'));
    expect(faultOf(() => describeSecurity(guarded, { into: old, schemes: named }))).toMatch(
      /^TypeError: OpenAPI document: OpenAPI 3\.0 does not have the security scheme type mutualTLS/,
    );
  });

  it.each([[['dpop']], [['dpop', 'mtls']]] as const)('O13 requireConfirmation of %j cannot be written', (methods) => {
    const described = describeSecurity(app(requireConfirmation(...methods)), {
      ...{ into, schemes: { accessToken: bound } },
    });
    expect(securityAt(described, '/x')).toEqual([{ accessToken: [] }]);
  });
});

describe('what is written', () => {
  const into = documentOf({ '/x': { get: asking() } }, { components: {} });

  it('has scopes of openIdConnect in OpenAPI 3.0', () => {
    const app = appWith((made) => made.get('/x', requireBearer({ accept: [tokens], scopes: ['a:x'] }), handler));
    const accessToken = { type: 'openIdConnect', openIdConnectUrl: 'https://login.example/openid' };
    const document = documentOf(
      { '/x': { get: asking() } },
      { openapi: '3.0.3', components: { securitySchemes: { accessToken } } },
    );
    const described = describeSecurity(app, { into: document, schemes: { accessToken: tokens } });
    expect(securityAt(described, '/x')).toEqual([{ accessToken: ['a:x'] }]);
    expect(described.components).toEqual(document.components);
  });

  it('is http bearer if one of two gates needs Bearer', () => {
    const [loose, strict] = [true, false].map((allowSchemeless) =>
      requireBearer({ accept: [publicKeys], allowSchemeless }),
    );
    const app = appWith((made) => made.get('/x', ...([loose, strict] as never[]), handler));
    const { components } = describeSecurity(app, { into, schemes: { publicKey: publicKeys } });
    expect(components).toEqual({ securitySchemes: { publicKey: { type: 'http', scheme: 'bearer' } } });
  });

  it('has the verifier that does not say which kinds it accepts, whatever the guards for kinds are', () => {
    const foreign = { verify: () => ({ outcome: 'refused', reason: 'no' }) as const };
    const app = appWith((made) =>
      made.get('/x', requireBearer({ accept: [foreign] }), requireKeyKind('secret'), handler),
    );
    const described = describeSecurity(app, { into, schemes: { foreign } });
    expect(securityAt(described, '/x')).toEqual([{ foreign: [] }]);
  });

  it('has each of many ways to pass the guards', () => {
    const [one, other] = ['abc', 'xyz'].map((names) =>
      requireAny(...[...names].map((name) => requireScopes(`${name}:1`))),
    );
    const app = appWith((made) =>
      made.get('/x', requireBearer({ accept: [keys] }), ...([one, other] as never[]), handler),
    );
    const security = securityAt(describeSecurity(app, { into, schemes: { secretKey: keys } }), '/x');
    expect(security).toHaveLength(9);
    expect(security).toContainEqual({ secretKey: ['c:1', 'z:1'] });
  });
});

describe('a document with webhooks', () => {
  it('gets the security of the app, and the scheme of its webhooks stays as it is', () => {
    const signature = { type: 'apiKey', in: 'header', name: 'X-Signature' };
    const into = documentOf(
      { '/pets': { get: asking() } },
      {
        components: { securitySchemes: { signature, secretKey: SCHEMES.secretKey } },
        webhooks: { paid: { post: asking([{ signature: [] }, { secretKey: [] }]) } },
      },
    );
    const app = express().get('/pets', requireBearer({ accept: [keys] }), handler);
    const described = describeSecurity(app, { into, schemes: { secretKey: keys } });
    expect(securityAt(described, '/pets')).toEqual([{ secretKey: [] }]);
    expect(described.components).toEqual(into.components);
    expect(described.webhooks).toEqual(into.webhooks);
    expect(faultOf(() => openApiGate(described, { schemes: { secretKey: keys } }))).toBeUndefined();
  });
});
