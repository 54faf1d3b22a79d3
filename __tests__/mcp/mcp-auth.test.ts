import { describe, expect, it } from '@jest/globals';
import type { AuthInfo as AuthInfoOfV1 } from '@modelcontextprotocol/sdk/server/auth/types.js';
import type { AuthInfo as AuthInfoOfV2 } from '@modelcontextprotocol/server';
import express, { type Express, type RequestHandler } from 'express';
import {
  accessTokens,
  assertGuarded,
  auditRoutes,
  bearerErrors,
  requireBearer,
  requireScopes,
  resourceMetadata,
} from 'keyward';
import { mcpAuth, mcpAuthInfo } from 'keyward/mcp';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';
import { createManualClock } from '../support/manual-clock.js';
import { tokenPrincipal } from '../support/principals.js';
import { acceptingVerifier } from '../support/stub-verifier.js';
import { createKey, forge, ISSUER, jwksOf, NOW } from '../support/token-forge.js';

const RESOURCE = 'https://api.example.com/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource/mcp';
const CHALLENGE = `Bearer realm="api", scope="mcp:tools", resource_metadata="https://api.example.com${WELL_KNOWN}"`;
const key = createKey('ES256');
const short = { issuer: ISSUER, jwks: jwksOf(key), clock: createManualClock() };
const options = { resource: RESOURCE, scopes: ['mcp:tools'], ...short };
const token = forge(key, { aud: RESOURCE, scope: 'mcp:tools other' });

/** What the SDK reads. */
const authInfoOf = (req: object) => (req as { auth?: unknown }).auth as ReturnType<typeof mcpAuthInfo> | undefined;
const whoCalls: RequestHandler = (req, res) => {
  const { clientId, scopes } = authInfoOf(req) ?? {};
  res.json({ clientId, scopes });
};
const served = (mount: (app: Express) => unknown) => {
  const app = express();
  mount(app);
  return app.use(bearerErrors());
};
const ask = (app: Express, path: string, credential = token) =>
  request(app).get(path).set('Authorization', `Bearer ${credential}`);

describe('mcpAuth', () => {
  const app = served((made) => {
    made.use(mcpAuth(options));
    made.get('/mcp', whoCalls).get('/mcp/deep', whoCalls).get('/mcpx', whoCalls).get('/', whoCalls);
  });

  it('publishes metadata with the issuer and scopes of the gate', async () => {
    const { body } = await request(app).get(WELL_KNOWN).expect(200);
    expect(body).toEqual({
      resource: RESOURCE,
      authorization_servers: [ISSUER],
      bearer_methods_supported: ['header'],
      scopes_supported: ['mcp:tools'],
    });
  });

  it.each(['/mcp', '/mcp/', '/MCP', '/mcp?x=1', '/mcp/deep'])('protects the path of the resource: %s', async (path) => {
    const { headers } = await request(app).get(path).expect(401);
    expect(headers['www-authenticate']).toBe(CHALLENGE);
    const { body } = await ask(app, path).expect(200);
    expect(body).toMatchObject({ clientId: 'ack_forged', scopes: ['mcp:tools', 'other'] });
  });

  it.each(['/api/mcp', '/api//mcp', '/API//mcp/', '//api///mcp', '/api//mcp//deep', '/api/mcp//deep'])(
    'protects the path of a router, however many slashes it has: %s',
    async (path) => {
      const nested = served((made) => {
        made.use(mcpAuth({ ...options, resource: 'https://api.example.com/api/mcp' }));
        made.use('/api', express.Router().use('/mcp', whoCalls));
        made.use(whoCalls);
      });
      await request(nested).get(path).expect(401);
      const good = forge(key, { aud: 'https://api.example.com/api/mcp', scope: 'mcp:tools' });
      expect((await ask(nested, path, good).expect(200)).body).toMatchObject({ clientId: 'ack_forged' });
    },
  );

  it.each(['/a.b/mcp', '/a-b/mcpx', '/x//a-b/mcp', '/a-b'])(
    'protects no other path beside a router: %s',
    async (path) => {
      const nested = served((made) => {
        made.use(mcpAuth({ ...options, resource: 'https://api.example.com/a-b/mcp' })).use(whoCalls);
      });
      expect((await request(nested).get(path)).status).toBe(200);
    },
  );

  it.each(['/', '/mcpx'])('protects nothing else: %s', async (path) => {
    expect((await request(app).get(path)).status).toBe(200);
  });

  it('protects every path of a resource at the root, except the metadata', async () => {
    const root = served((made) => {
      made.use(mcpAuth({ ...options, resource: 'https://api.example.com' })).get('/x', whoCalls);
    });
    const statusOf = async (path: string) => (await request(root).get(path)).status;
    expect(await statusOf('/.well-known/oauth-protected-resource')).toBe(200);
    for (const path of ['/', '/x', '/nowhere']) expect(await statusOf(path)).toBe(401);
    const token = forge(key, { aud: 'https://api.example.com', scope: 'mcp:tools' });
    expect((await ask(root, '/x', token)).status).toBe(200);
  });

  it('passes its options on: the realm to the gate, texts and links to the metadata', async () => {
    const links = { documentation: 'https://a.example/docs', policy: 'https://a.example/policy' };
    const own = { ...options, ...links, realm: 'notes', name: 'Notes', termsOfService: 'https://a.example/terms' };
    const named = served((made) => made.use(mcpAuth(own)).get('/mcp', whoCalls));
    expect((await request(named).get('/mcp').expect(401)).headers['www-authenticate']).toMatch(/^Bearer realm="notes"/);
    expect((await request(named).get(WELL_KNOWN).expect(200)).body).toMatchObject({
      resource_name: 'Notes',
      resource_documentation: links.documentation,
      resource_policy_uri: links.policy,
      resource_tos_uri: 'https://a.example/terms',
    });
  });

  it('passes the option browserOrigin on to the gate', async () => {
    const kit = createTestKit();
    const accept = [accessTokens({ ...short, audience: RESOURCE }), kit.keys('secret')];
    const statusWith = async (browserOrigin: 'refuse' | undefined) => {
      const own = { resource: RESOURCE, scopes: ['mcp:tools'], accept, browserOrigin };
      const app = served((made) => made.use(mcpAuth(own)).get('/mcp', whoCalls));
      return (await ask(app, '/mcp', kit.secretKey()).set('Origin', 'https://app.example')).status;
    };
    expect([await statusWith('refuse'), await statusWith(undefined)]).toEqual([403, 200]);
  });

  it('lets a later handler replace req.auth', async () => {
    const replacing = served((made) => {
      made.use(mcpAuth(options)).get('/mcp', (req, res) => {
        (req as { auth?: unknown }).auth = { clientId: 'other' };
        res.json(authInfoOf(req));
      });
    });
    expect((await ask(replacing, '/mcp').expect(200)).body).toEqual({ clientId: 'other' });
  });

  it('has a gate that does the same on a custom route', async () => {
    const auth = mcpAuth(options);
    const own = served((made) => {
      made.use(auth.metadata).get('/elsewhere', auth.gate, (req, res) => {
        res.json([auth.gate.principal(req).clientId, authInfoOf(req)?.clientId]);
      });
    });
    expect((await request(own).get('/elsewhere').expect(401)).headers['www-authenticate']).toBe(CHALLENGE);
    expect((await ask(own, '/elsewhere').expect(200)).body).toEqual(['ack_forged', 'ack_forged']);
    await request(own).get(WELL_KNOWN).expect(200);
  });

  it('is recognized by the audit: only the routes at its path are guarded', () => {
    expect(auditRoutes(app).map(({ path, open }) => [path, open])).toEqual([
      ['/mcp', false],
      ['/mcp/deep', false],
      ['/mcpx', true],
      ['/', true],
    ]);
    const guarded = served((made) => made.use(mcpAuth(options)).get('/mcp', whoCalls));
    expect(() => assertGuarded(guarded)).not.toThrow();
    const router = express.Router().use(mcpAuth(options)).post('/mcp', whoCalls);
    expect(() => assertGuarded(router)).not.toThrow();
    const resource = 'https://api.example.com/~me/mcp';
    const tilde = served((made) => made.use(mcpAuth({ ...options, resource })).get('/~me/mcp', whoCalls));
    expect(() => assertGuarded(tilde)).not.toThrow();
  });

  it.each([
    ['a path', (made: Express) => made.use('/mcp', mcpAuth(options)).get('/mcp', whoCalls)],
    ['an app below a path', (made: Express) => made.use('/mcp', express().use(mcpAuth(options)).get('/', whoCalls))],
  ])('mounted at %s it lets no request pass, not even with a token', async (_what, mount) => {
    const wrong = express();
    mount(wrong);
    wrong.use(((error, _req, res, _next) => void res.status(500).send(error.message)) as express.ErrorRequestHandler);
    expect((await ask(wrong, '/mcp').expect(500)).text).toBe(
      'keyward: mcpAuth is mounted at a path; mount it at the root of the app: app.use(auth)',
    );
  });

  it('refuses a token for another resource, and one without a scope, whose 403 also names scopes of guards', async () => {
    const scoped = served((made) => made.use(mcpAuth(options)).get('/mcp', requireScopes('notes:write'), whoCalls));
    await ask(scoped, '/mcp', forge(key, { aud: 'https://api.example.com/other', scope: 'mcp:tools' })).expect(401);
    for (const scope of ['x', 'mcp:tools', 'notes:write']) {
      const { headers } = await ask(scoped, '/mcp', forge(key, { aud: RESOURCE, scope })).expect(403);
      expect(headers['www-authenticate']).toContain('scope="mcp:tools notes:write"');
    }
  });

  it.each([
    ['no options', undefined, 'mcpAuth: expected an options object'],
    ['no scopes', { ...options, scopes: undefined }, 'mcpAuth: option "scopes" must be'],
    ['an empty list of scopes', { ...options, scopes: [] }, 'mcpAuth: option "scopes" must be'],
    ['offline_access', { ...options, scopes: ['a', 'offline_access'] }, 'must not be "offline_access"'],
    ['no resource', { ...options, resource: undefined }, 'option "resource"'],
    [
      'an audience',
      { ...options, audience: RESOURCE },
      'mcpAuth: there is no option "audience", because the audience is the value of "resource"',
    ],
    ['an unknown option', { ...options, scop: [] }, 'unknown option "scop"'],
    [
      'an option of tokens beside accept',
      { ...options, accept: [] },
      'mcpAuth: option "issuer" cannot be combined with "accept"',
    ],
    ['optional', { ...options, optional: true }, 'unknown option "optional"'],
    [
      'a path with a pattern',
      { ...options, resource: 'https://api.example.com/:id' },
      'mcpAuth: the path of "resource"',
    ],
    [
      'keys alone',
      { resource: RESOURCE, scopes: ['a'], accept: [createTestKit().keys('secret')] },
      'no verifier for access tokens',
    ],
  ])('throws at the start: %s', (_what, given, message) => {
    expect(() => mcpAuth(given as never)).toThrow(TypeError);
    expect(() => mcpAuth(given as never)).toThrow(message);
  });
});

describe('mcpAuthInfo', () => {
  const tokens = accessTokens({ ...short, audience: RESOURCE });

  const seen: ReturnType<typeof mcpAuthInfo>[] = [];
  const note: RequestHandler = (req, res) => {
    seen.push(mcpAuthInfo(req));
    res.json({ same: JSON.stringify(authInfoOf(req)) === JSON.stringify(mcpAuthInfo(req)) });
  };
  const last = () => seen.at(-1) as ReturnType<typeof mcpAuthInfo>;

  it('R12 for a token: token, clientId, scopes, expiresAt and resource', async () => {
    const app = served((made) => made.use(mcpAuth(options)).get('/mcp', note));
    expect((await ask(app, '/mcp').expect(200)).body).toEqual({ same: true });
    expect(last()).toMatchObject({
      clientId: 'ack_forged',
      scopes: ['mcp:tools', 'other'],
      expiresAt: NOW + 3_600,
      resource: new URL(RESOURCE),
      extra: { principal: { kind: 'access', clientId: 'ack_forged' } },
    });
    expect(last().token).toBe(token);
  });

  it('R12 for a key with all scopes: clientId is its id, scopes is the list of known scopes, never all', async () => {
    const kit = createTestKit();
    const secret = kit.secretKey({});
    const accept = [tokens, kit.keys('secret')];
    const app = served((made) =>
      made.use(mcpAuth({ resource: RESOURCE, scopes: ['mcp:tools'], accept })).get('/mcp', note),
    );
    await ask(app, '/mcp', secret).expect(200);
    const { clientId, scopes, extra } = last();
    expect(clientId).toBe(extra.principal.keyId);
    expect(scopes).toEqual(['mcp:tools']);
    expect(last().token).toBe(secret);
    expect(last()).not.toHaveProperty('resource');
    expect(last()).not.toHaveProperty('expiresAt');
  });

  it('has no expiresAt for an opaque token without exp', async () => {
    const principal = tokenPrincipal({ expiresAt: Number.POSITIVE_INFINITY });
    const gate = requireBearer({ accept: [acceptingVerifier(principal)] });
    const app = served((made) => made.get('/mcp', gate, note));
    await ask(app, '/mcp', 'opaque').expect(200);
    expect(last()).not.toHaveProperty('expiresAt');
  });

  it('for a key with all scopes, the list has those of the gate and of its metadata, each once', async () => {
    const kit = createTestKit();
    const accept = [tokens, kit.keys('secret')];
    const metadata = resourceMetadata({ resource: RESOURCE, scopes: ['a', 'b'], accept });
    const gate = requireBearer({ accept, scopes: ['a'], resourceMetadata: metadata });
    const app = served((made) => made.use(metadata).get('/mcp', gate, note));
    await ask(app, '/mcp', kit.secretKey({})).expect(200);
    expect(last().scopes).toEqual(['a', 'b']);
  });

  it('for a key with all scopes of some APIs, the list has only scopes of these, and the end of the key', async () => {
    const kit = createTestKit();
    const accept = [tokens, kit.keys('secret')];
    const metadata = resourceMetadata({ resource: RESOURCE, scopes: ['notes:read', 'files:read', 'notes'], accept });
    const gate = requireBearer({ accept, resourceMetadata: metadata });
    const app = served((made) => made.use(metadata).get('/mcp', gate, note));
    const expiresAt = new Date(kit.clock.now() + 60_000);
    await ask(app, '/mcp', kit.secretKey({ apis: ['notes'], expiresAt })).expect(200);
    expect(last().scopes).toEqual(['notes:read', 'notes']);
    expect(last().expiresAt).toBe(expiresAt.getTime() / 1_000);
  });

  it('R12 an own list: a tool that adds to it affects no other request', async () => {
    const app = served((made) => made.use(mcpAuth(options)).get('/mcp', note));
    await ask(app, '/mcp');
    last().scopes.push('admin');
    await ask(app, '/mcp');
    expect(last().scopes).toEqual(['mcp:tools', 'other']);
  });

  it('R12 it is the AuthInfo of both versions of the SDK, by its type too', async () => {
    const app = served((made) => made.use(mcpAuth(options)).get('/mcp', note));
    await ask(app, '/mcp');
    const [first, second]: [AuthInfoOfV1, AuthInfoOfV2] = [last(), last()];
    expect([first.clientId, second.clientId]).toEqual(['ack_forged', 'ack_forged']);
  });

  it('R12 it is printed without the token: in JSON, in a log, in a copy', async () => {
    const app = served((made) => made.use(mcpAuth(options)).get('/mcp', note));
    await ask(app, '/mcp');
    const { inspect } = await import('node:util');
    expect(JSON.stringify(last()) + inspect(last(), { depth: 9 }) + JSON.stringify({ ...last() })).not.toContain(token);
  });

  it('R12 works behind an ordinary gate too; without a gate it throws', async () => {
    const gate = requireBearer({ accept: [tokens] });
    const plain = served((made) => made.get('/', gate, (req, res) => void res.json(mcpAuthInfo(req))));
    expect((await ask(plain, '/').expect(200)).body).toMatchObject({
      clientId: 'ack_forged',
      scopes: ['mcp:tools', 'other'],
    });
    expect(() => mcpAuthInfo({ headers: {} } as never)).toThrow(/requireBearer has not accepted this request/);
  });
});
