import { createServer, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import express, { type Express } from 'express';
import {
  type AccessTokensOptions,
  accessTokens,
  apiKeys,
  assertGuarded,
  auditRoutes,
  bearerErrors,
  type CredentialVerifier,
  type ResourceMetadataOptions,
  requireBearer,
  resourceMetadata,
} from 'keyward';
import * as oauth from 'oauth4webapi';
import request from 'supertest';
import { answerOf, T1, U0 } from '../../support/answers.js';
import { handler } from '../../support/audited.js';
import { requestOf } from '../../support/passage.js';
import { getRaw, serve } from '../../support/raw-http.js';

const RESOURCE = 'https://api.example.com/mcp';
const ISSUER = 'https://login.example';

const tokensOf = (audience: string | readonly string[] = RESOURCE, issuer = ISSUER) =>
  accessTokens({ issuer, audience });
const keys = apiKeys({ resolver: () => undefined, kinds: ['secret'], environment: 'live' });
const tokens = tokensOf();

type BoundBy = Pick<AccessTokensOptions, 'mtls'> & { readonly dpop?: Partial<AccessTokensOptions['dpop']> };
const make = (resource: string, more: Partial<ResourceMetadataOptions> = {}) =>
  resourceMetadata({ resource, accept: [tokensOf(resource)], ...more });
const served = (mount: (app: Express) => unknown) => {
  const app = express();
  mount(app);
  return app;
};

describe('resourceMetadata', () => {
  it.each([
    ['no path', 'https://api.example.com', 'https://api.example.com/.well-known/oauth-protected-resource'],
    ['a slash alone', 'https://api.example.com/', 'https://api.example.com/.well-known/oauth-protected-resource'],
    ['a path', RESOURCE, 'https://api.example.com/.well-known/oauth-protected-resource/mcp'],
    ['a slash at the end', `${RESOURCE}/`, 'https://api.example.com/.well-known/oauth-protected-resource/mcp/'],
    ['a port', 'https://h.example:8443/a/b', 'https://h.example:8443/.well-known/oauth-protected-resource/a/b'],
    ['a query', `${RESOURCE}?tenant=1`, 'https://api.example.com/.well-known/oauth-protected-resource/mcp?tenant=1'],
    ['a query and no path', 'https://h.example?a=1', 'https://h.example/.well-known/oauth-protected-resource?a=1'],
    ['http on this machine', 'http://127.0.0.1:3000/a', 'http://127.0.0.1:3000/.well-known/oauth-protected-resource/a'],
  ])('R01 a resource with %s: the path of RFC 9728 section 3.1', async (_what, resource, url) => {
    const metadata = make(resource);
    expect(metadata.url).toBe(url);
    const { pathname, search } = new URL(url);
    const { body } = await request(served((app) => app.use(metadata)))
      .get(`${pathname}${search}`)
      .expect(200);
    expect(body.resource).toBe(resource);
  });

  it.each([
    ['a fragment', `${RESOURCE}#part`],
    ['an empty fragment', `${RESOURCE}#`],
    ['http beyond this machine', 'http://api.example.com/mcp'],
    ['no scheme', 'api.example.com'],
    ['another scheme', 'urn:example:api'],
    ['a user', 'https://user@api.example.com/'],
    ['a character beyond ASCII', 'https://api.example.com/m\u00FCp'],
    ['nothing', ''],
  ])('R01 a resource with %s: TypeError', (_what, resource) => {
    expect(() => make(resource)).toThrow(TypeError);
    expect(() => make(resource)).toThrow(/"(?:resource|audience|names?)"|resource/);
  });

  it('R01 two queries at one path have separate documents', async () => {
    const app = served((made) => made.use(make(`${RESOURCE}?t=1`)).use(make(`${RESOURCE}?t=2`)));
    const at = (query: string) => request(app).get(`/.well-known/oauth-protected-resource/mcp${query}`);
    expect((await at('?t=1')).body.resource).toBe(`${RESOURCE}?t=1`);
    expect((await at('?t=2')).body.resource).toBe(`${RESOURCE}?t=2`);
    await at('').expect(404);
  });

  it('R01 a resource without a query is served for any query, because a client may add one', async () => {
    const app = served((made) => made.use(make(RESOURCE)));
    const statusOf = async (path: string) =>
      (await request(app).get(`/.well-known/oauth-protected-resource${path}`)).status;
    expect(await statusOf('/mcp?x=1')).toBe(200);
    for (const path of ['', '/mcp/', '/mcp/x', '/mcpx', '/MCP']) expect(await statusOf(path)).toBe(404);
  });

  it('is served for a target in absolute form, with its query', async () => {
    const other = make(`${RESOURCE}?t=1`);
    const app = served((made) => made.use(other).use(make(RESOURCE)));
    const { port, close } = await serve(app);
    const resourceAt = async (target: string) => {
      const { status, body } = await getRaw(port, [], target);
      return status === 200 ? JSON.parse(body).resource : status;
    };
    const path = '/.well-known/oauth-protected-resource/mcp';
    expect(await resourceAt(`http://api.example.com${path}`)).toBe(RESOURCE);
    expect(await resourceAt(`https://api.example.com:443${path}?t=1`)).toBe(`${RESOURCE}?t=1`);
    expect(await resourceAt(`http://api.example.com${path}?t=2`)).toBe(RESOURCE);
    expect(await resourceAt(`http://api.example.com/x${path}`)).toBe(404);
    await close();
  });

  it('R02 the document: exactly the resource, the accepted issuers, the scopes, the header, and what the options add', async () => {
    const other = tokensOf(RESOURCE, 'https://id.example/tenant');
    const pages = {
      name: 'Reports',
      documentation: 'https://api.example.com/docs',
      policy: 'https://api.example.com/policy',
      termsOfService: 'https://api.example.com/terms',
    };
    const metadata = make(RESOURCE, { accept: [tokens, keys, other], scopes: ['mcp:tools', 'mcp:tools'], ...pages });
    const { body } = await request(served((app) => app.use(metadata))).get('/.well-known/oauth-protected-resource/mcp');
    expect(body).toEqual({
      resource: RESOURCE,
      authorization_servers: [ISSUER, 'https://id.example/tenant'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['mcp:tools'],
      resource_name: 'Reports',
      resource_documentation: pages.documentation,
      resource_policy_uri: pages.policy,
      resource_tos_uri: pages.termsOfService,
    });
    expect(metadata.document).toEqual(body);
    expect(Object.isFrozen(metadata.document.authorization_servers)).toBe(true);
  });

  it.each([
    ['neither', {}, {}],
    ['DPoP', { dpop: { algorithms: ['ES256'] } }, { dpop_signing_alg_values_supported: ['ES256'] }],
    [
      'DPoP, required',
      { dpop: { algorithms: ['ES256', 'EdDSA'], required: true } },
      { dpop_signing_alg_values_supported: ['ES256', 'EdDSA'], dpop_bound_access_tokens_required: true },
    ],
    ['certificates', { mtls: {} }, { tls_client_certificate_bound_access_tokens: true }],
    [
      'both required, of which one is enough',
      { dpop: { algorithms: ['ES256'], required: true }, mtls: { required: true } },
      { dpop_signing_alg_values_supported: ['ES256'], tls_client_certificate_bound_access_tokens: true },
    ],
  ])('R02 the fields about bound tokens come from the verifiers: %s', (_what, { dpop, mtls }: BoundBy, members) => {
    const bound = accessTokens({
      issuer: ISSUER,
      audience: RESOURCE,
      ...(dpop && { dpop: { origin: 'https://api.example.com', ...dpop } }),
      ...(mtls && { mtls }),
    });
    const { resource, authorization_servers, bearer_methods_supported, ...rest } = make(RESOURCE, {
      accept: [bound, keys],
    }).document;
    expect(rest).toEqual(members);
  });

  it('R02 DPoP is not required if a second verifier accepts other tokens', () => {
    const dpop = { origin: 'https://api.example.com', required: true };
    const bound = accessTokens({ issuer: 'https://id.example', audience: RESOURCE, dpop });
    const { document } = make(RESOURCE, { accept: [bound, tokens] });
    expect(document).not.toHaveProperty('dpop_bound_access_tokens_required');
    expect(document.dpop_signing_alg_values_supported).toContain('ES256');
  });

  it('R02 the middleware lists its URL and its document', () => {
    expect(Object.entries(make(RESOURCE)).slice(0, 2)).toEqual([
      ['url', 'https://api.example.com/.well-known/oauth-protected-resource/mcp'],
      ['document', make(RESOURCE).document],
    ]);
  });

  it('R02 the smallest document has no scopes and no links', () => {
    expect(make(RESOURCE).document).toEqual({
      resource: RESOURCE,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
    });
  });

  it.each([['/mcp'], ['/'], ['/a/b/']])(
    'R02 oauth4webapi finds and validates the document of a resource at %s',
    async (path) => {
      const app = express();
      const { port, close } = await serve(app);
      const resource = new URL(path, `http://127.0.0.1:${port}`);
      app.use(make(resource.href, { scopes: ['mcp:tools'] }));
      const response = await oauth.resourceDiscoveryRequest(resource, { [oauth.allowInsecureRequests]: true });
      const found = await oauth.processResourceDiscoveryResponse(resource, response);
      expect(found.authorization_servers).toEqual([ISSUER]);
      await close();
    },
  );

  it('R02 a gate and metadata that name different issuers: TypeError', () => {
    const metadata = make(RESOURCE, { accept: [tokens] });
    const other = tokensOf(RESOURCE, 'https://id.example');
    const gate =
      (...accept: readonly CredentialVerifier[]) =>
      () =>
        requireBearer({ accept: [...accept], resourceMetadata: metadata });
    expect(gate(tokens, other)).toThrow(
      new TypeError(
        'requireBearer: the issuer https://id.example is in the option "accept" but not in the option "resourceMetadata"; pass the same verifiers to requireBearer and resourceMetadata',
      ),
    );
    const both = make(RESOURCE, { accept: [tokens, other] });
    expect(() => requireBearer({ accept: [tokens], resourceMetadata: both })).toThrow(
      'requireBearer: the issuer https://id.example is in the option "resourceMetadata" but not in the option "accept"; pass the same verifiers to requireBearer and resourceMetadata',
    );
    expect(gate(tokens, keys)).not.toThrow();
    expect(gate(keys)).toThrow('requireBearer: option "accept" has no verifier for access tokens');
    expect(gate(tokensOf('https://elsewhere.example'))).toThrow(
      'requireBearer: every access token verifier in "accept" must accept the value of the option "resource" of resourceMetadata() as an audience',
    );
  });

  it.each([{}, 'urn:example:metadata', 'http://api.example.com/x', () => {}, ''])(
    'a gate throws for a value that is neither metadata nor a URL: %p',
    (value) => {
      const gate = () => requireBearer({ accept: [tokens], resourceMetadata: value as never });
      expect(gate).toThrow(TypeError);
      expect(gate).toThrow(
        'requireBearer: option "resourceMetadata" must be the result of resourceMetadata(), or an https URL',
      );
    },
  );

  describe('answers', () => {
    const app = served((made) => made.use(make(RESOURCE)).use((_req, res) => res.sendStatus(418)));
    const path = '/.well-known/oauth-protected-resource/mcp';
    const CACHED = 'public, max-age=3600';

    it('R03 GET with Origin: 200, to every origin, cached', async () => {
      const { headers } = await request(app).get(path).set('Origin', 'https://app.example').expect(200);
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': CACHED,
        'content-type': 'application/json',
      });
    });

    it('R03 HEAD with Origin: the headers of GET without a body', async () => {
      const get = await request(app).get(path);
      const head = await request(app).head(path).set('Origin', 'https://app.example').expect(200);
      expect(head.text).toBeUndefined();
      for (const name of ['content-length', 'content-type', 'cache-control', 'access-control-allow-origin']) {
        expect(head.headers[name]).toBe(get.headers[name]);
      }
    });

    it('R03 HEAD on a server that refuses to write a body: the same', async () => {
      const server = createServer({ rejectNonStandardBodyWrites: true }, app);
      const { headers } = await request(server).head(path).expect(200);
      expect(headers['content-length']).toBe(String(JSON.stringify(make(RESOURCE).document).length));
    });

    it('R03 OPTIONS with Origin: 204, which allows the headers that MCP clients send', async () => {
      const { headers, text } = await request(app)
        .options(path)
        .set({ Origin: 'https://app.example', 'Access-Control-Request-Method': 'GET' })
        .expect(204);
      expect(text).toBe('');
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'authorization, dpop, mcp-protocol-version',
        'access-control-max-age': '86400',
      });
    });

    it.each(['post', 'put', 'delete', 'patch'] as const)('R03 %s: 405 with Allow', async (method) => {
      const { headers } = await request(app)[method](path).set('Origin', 'https://app.example').expect(405);
      expect(headers).toMatchObject({ allow: 'GET, HEAD, OPTIONS', 'access-control-allow-origin': '*' });
    });

    it('R03 any other path goes to the next handler', async () => {
      for (const other of ['/', `${path}/deeper`]) expect((await request(app).get(other)).status).toBe(418);
    });

    it('R03 without Express: the path of the request, and no path is another one', () => {
      const answered = (url: string | undefined) => {
        const req = Object.assign(requestOf(), { url });
        const res = new ServerResponse(req);
        let passed = false;
        make(RESOURCE)(req, res, () => {
          passed = true;
        });
        return [passed, res.writableEnded];
      };
      expect([path, '/other', undefined].map(answered)).toEqual([
        [false, true],
        [true, false],
        [true, false],
      ]);
    });

    it('R03 in a router below the root it still uses the path that the client sent', async () => {
      const below = served((made) => made.use('/.well-known', express.Router().use(make(RESOURCE))));
      expect((await request(below).get(path)).status).toBe(200);
    });
  });

  it.each([
    ['another audience alone', ['https://api.example.com/other']],
    ['the same with a slash at its end', [`${RESOURCE}/`]],
    ['the same in other letters', ['https://api.example.com/MCP']],
    ['its origin', ['https://api.example.com']],
  ])('R04 a verifier that has %s: TypeError', (_what, audience) => {
    const message =
      'resourceMetadata: every access token verifier in "accept" must accept the value of the option "resource" of ' +
      'resourceMetadata() as an audience (RFC 8707 section 2); add this value to the option "audience" of accessTokens()';
    const accept = [tokens, tokensOf(audience, 'https://id.example')];
    expect(() => make(RESOURCE, { accept })).toThrow(new TypeError(message));
  });

  it('R04 a verifier that has it among others is accepted', () => {
    expect(() => make(RESOURCE, { accept: [tokensOf(['https://x.example', RESOURCE])] })).not.toThrow();
  });

  it.each([
    ['no verifier at all', [], 'option "accept" must be'],
    ['keys alone', [keys], 'option "accept" has no verifier for access tokens'],
    [
      'a verifier that does not say',
      [{ verify: tokens.verify }],
      'the verifier "accept[0]" does not declare which access tokens',
    ],
    [
      'one of tokens that does not say which',
      [tokens, { kinds: ['access'], verify: tokens.verify }],
      'the verifier "accept[1]" does not declare',
    ],
  ])('R04 %s: TypeError', (_what, accept, message) => {
    expect(() => make(RESOURCE, { accept: accept as never })).toThrow(TypeError);
    expect(() => make(RESOURCE, { accept: accept as never })).toThrow(`resourceMetadata: ${message}`);
  });

  it('R04 a custom verifier names its tokens, and a wrapper keeps those of the wrapped one', () => {
    const own = { verify: tokens.verify, tokens: { issuer: ISSUER, audiences: [RESOURCE] } };
    for (const verifier of [own, { ...tokens }]) {
      expect(make(RESOURCE, { accept: [verifier] }).document.authorization_servers).toEqual([ISSUER]);
    }
  });

  it.each(['login', 'urn:x', 'https://id.example/?a=1', 'https://id.example/#a', 'ftp://id.example'])(
    'an issuer whose metadata clients cannot fetch: TypeError (%s)',
    (issuer) => {
      const accept = [{ verify: tokens.verify, tokens: { issuer, audiences: [RESOURCE] } }];
      expect(() => make(RESOURCE, { accept })).toThrow(
        'resourceMetadata: the issuer of every access token verifier in "accept" must be an https URL',
      );
    },
  );

  it.each([
    ['scopes', []],
    ['scopes', ['a b']],
    ['scopes', 'a'],
    ['name', ''],
    ['documentation', 'http://api.example.com/docs'],
    ['policy', 'javascript:alert(1)'],
    ['termsOfService', 7],
    ['jwks', 'https://api.example.com/jwks'],
  ])('throws at the start for %s: %j', (name, value) => {
    expect(() => make(RESOURCE, { [name]: value } as never)).toThrow(TypeError);
    expect(() => make(RESOURCE, { [name]: value } as never)).toThrow(`option "${name}"`);
  });

  it.each([
    ['resource', 'http://api.example.com/mcp'],
    ['documentation', 'http://api.example.com/docs'],
  ])('says which URLs the option %s may have', (name, value) => {
    expect(() => make(RESOURCE, { [name]: value })).toThrow(
      new TypeError(
        `resourceMetadata: option "${name}" must be an https URL (http only for a loopback host) without a user name, password or fragment${name === 'resource' ? ', and contain only ASCII characters and no spaces' : ''}, got an invalid string`,
      ),
    );
  });
});

describe('a gate with resource metadata', () => {
  const metadata = make(RESOURCE, { accept: [tokens], scopes: ['mcp:tools'] });
  const url = 'https://api.example.com/.well-known/oauth-protected-resource/mcp';
  const app = served((made) => {
    made.use(metadata);
    made.use('/mcp', requireBearer({ accept: [tokens], scopes: ['mcp:tools'], resourceMetadata: metadata }));
    made.get('/mcp', handler);
    made.use(bearerErrors());
  });

  it('R05 no credential: the challenge names resource_metadata and scope, and no error', async () => {
    const challenge = `${U0.challenge}, scope="mcp:tools", resource_metadata="${url}"`;
    expect(answerOf(await request(app).get('/mcp'))).toEqual({ status: 401, challenge });
  });

  it('R05 an invalid credential: the same with the error', async () => {
    const challenge = `${T1.challenge}, scope="mcp:tools", resource_metadata="${url}"`;
    expect(answerOf(await request(app).get('/mcp').set('Authorization', 'Bearer x'))).toEqual({
      status: 401,
      challenge,
    });
  });

  it('R05 a URL instead of the metadata is named unchanged', async () => {
    const gate = requireBearer({ accept: [keys], resourceMetadata: 'https://cdn.example/metadata' });
    const { headers } = await request(served((made) => made.get('/', gate, handler).use(bearerErrors()))).get('/');
    expect(headers['www-authenticate']).toBe('Bearer realm="api", resource_metadata="https://cdn.example/metadata"');
  });

  it('is recognized by the route audit, and the metadata before it needs no exception', () => {
    expect(() => assertGuarded(app)).not.toThrow();
    expect(auditRoutes(app)).toMatchObject([{ method: 'GET', path: '/mcp', open: false }]);
  });
});
