/**
 * The MUST and SHOULD for servers of the authorization pages of MCP 2026-07-28, each by its heading and its words. Those for
 * clients are not here, nor those for authorization servers about authorization codes, redirects and registration, which
 * keyward's issuer does not have.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import express, { type Express, type RequestHandler } from 'express';
import { apiMap, bearerErrors } from 'keyward';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import { mcpAuth, mcpAuthInfo, requireToolScopes } from 'keyward/mcp';
import request from 'supertest';
import { parameterOf, readChallenge } from '../support/challenge.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { createManualClock } from '../support/manual-clock.js';
import { getRaw, type Served, serve } from '../support/raw-http.js';
import { createKey, forge, ISSUER, jwksOf, NOW } from '../support/token-forge.js';
import { basic, GRANT, ID, SECRET, tokenService } from '../support/token-service.js';

const RESOURCE = 'https://mcp.example.com/server/mcp';
const WELL_KNOWN = '/.well-known/oauth-protected-resource/server/mcp';
const key = createKey('ES256');
const stranger = createKey('ES256', 'stranger');
const apis = apiMap(
  { files: ['files:read', 'files:write', 'files:admin'] },
  { implies: { 'files:admin': ['files:write'], 'files:write': ['files:read'] } },
);
const options = {
  resource: RESOURCE,
  issuer: ISSUER,
  jwks: jwksOf(key),
  clock: createManualClock(),
  scopes: ['files:read'],
  apis,
};
const token = (claims: Record<string, unknown> = {}, by = key) =>
  forge(by, { aud: RESOURCE, scope: 'files:read', ...claims });
const callOf = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });

let handled = 0;
const handle: RequestHandler = (req, res) => {
  handled += 1;
  res.setHeader('Mcp-Session-Id', 'session-1');
  res.json({ secret: 'data', scopes: mcpAuthInfo(req).scopes });
};

const app = express();
app.use(express.json(), mcpAuth(options));
const tools = { read: [], write: ['files:write'], purge: ['files:write', 'files:admin'] };
app.all('/server/mcp', requireToolScopes(tools), handle);
app.use(bearerErrors());

const post = (credential?: string, body: object = callOf('read'), path = '/server/mcp') => {
  const asked = request(app).post(path).send(body);
  return credential === undefined ? asked : asked.set('Authorization', `Bearer ${credential}`);
};
async function challengeOf(asked: ReturnType<typeof post>) {
  const { status, headers } = await asked;
  const challenge = readChallenge(headers['www-authenticate']);
  const of = (name: string) => parameterOf(challenge, name);
  return {
    status,
    scheme: challenge.scheme,
    error: of('error'),
    scope: of('scope'),
    metadata: of('resource_metadata'),
  };
}
const document = async (of: Express = app, path = WELL_KNOWN) => (await request(of).get(path)).body;

describe('the authorization pages of MCP 2026-07-28', () => {
  let served: Served;
  beforeAll(async () => {
    served = await serve(app);
  });
  afterAll(() => served.close());
  beforeEach(() => {
    handled = 0;
  });

  describe('Overview', () => {
    it('R13 4: "MCP servers MUST implement OAuth 2.0 Protected Resource Metadata"', async () => {
      expect(await document()).toMatchObject({ resource: RESOURCE, authorization_servers: [ISSUER] });
    });

    it('R13 5: "MCP authorization servers MUST provide at least one of the following discovery mechanisms"', async () => {
      const service = await tokenService();
      for (const name of ['oauth-authorization-server', 'openid-configuration']) {
        const found = await (await fetch(`${service.url}/.well-known/${name}`)).json();
        expect(found).toMatchObject({ issuer: service.url, token_endpoint: `${service.url}/connect/token` });
      }
      await service.close();
    });
  });

  describe('Authorization Server Location', () => {
    it('R13 "MCP servers MUST implement the OAuth 2.0 Protected Resource Metadata specification to indicate the locations of authorization servers"', async () => {
      const { authorization_servers: servers } = await document();
      expect(servers.map((url: string) => new URL(url).protocol)).toEqual(['https:']);
    });

    it('R13 "MUST include the authorization_servers field containing at least one authorization server"', async () => {
      expect((await document()).authorization_servers).toHaveLength(1);
      expect(() => mcpAuth({ resource: RESOURCE, scopes: ['a'], accept: [] })).toThrow(TypeError);
    });
  });

  describe('Protected Resource Metadata Discovery Requirements', () => {
    it('R13 "MCP servers MUST implement one of the following discovery mechanisms": 1, WWW-Authenticate Header', async () => {
      const { status, metadata } = await challengeOf(post());
      expect([status, metadata]).toEqual([401, `https://mcp.example.com${WELL_KNOWN}`]);
    });

    it('R13 "MCP servers MUST implement one of the following discovery mechanisms": 2, Well-Known URI, at the path', async () => {
      expect((await document()).resource).toBe(RESOURCE);
    });

    it('R13 "MCP servers MUST implement one of the following discovery mechanisms": 2, Well-Known URI, at the root', async () => {
      const root = express().use(mcpAuth({ ...options, resource: 'https://mcp.example.com' }));
      const found = await document(root, '/.well-known/oauth-protected-resource');
      expect(found.resource).toBe('https://mcp.example.com');
    });
  });

  describe('Scope Selection Strategy', () => {
    it('R13 "MCP servers SHOULD include a scope parameter in the WWW-Authenticate header"', async () => {
      expect(await challengeOf(post())).toMatchObject({ status: 401, error: undefined, scope: 'files:read' });
      expect(await challengeOf(post(token({ exp: NOW - 1 })))).toMatchObject({ status: 401, scope: 'files:read' });
    });

    it('R13 "Servers SHOULD strive for consistency in how they construct scope sets"', async () => {
      const { scope } = await challengeOf(post());
      expect((await challengeOf(post(undefined, callOf('purge')))).scope).toBe(scope);
      expect((await document()).scopes_supported.join(' ')).toBe(scope);
    });
  });

  describe('Canonical Server URI', () => {
    it('R13 "implementations SHOULD accept uppercase scheme and host components"', async () => {
      const resource = 'HTTPS://MCP.example.com/server/mcp';
      const upper = express().use(mcpAuth({ ...options, resource }));
      expect((await document(upper)).resource).toBe(resource);
    });

    it('R13 "implementations SHOULD consistently use the form without the trailing slash"', async () => {
      const root = express().use(mcpAuth({ ...options, resource: 'https://mcp.example.com' }));
      expect((await document(root, '/.well-known/oauth-protected-resource')).resource).toBe('https://mcp.example.com');
      expect((await document()).resource.endsWith('/')).toBe(false);
    });
  });

  describe('Token Requirements', () => {
    it('R13 "MUST conform to the requirements defined in OAuth 2.1 Section 5": the Authorization request header field', async () => {
      expect((await post(token())).status).toBe(200);
      for (const field of ['X-Api-Key', 'Cookie', 'Proxy-Authorization']) {
        expect((await post().set(field, `Bearer ${token()}`)).status).toBe(401);
      }
    });

    it('R13 "authorization MUST be included in every HTTP request from client to server"', async () => {
      const { headers } = await post(token());
      const session = { 'Mcp-Session-Id': headers['mcp-session-id'] ?? '' };
      expect((await post().set(session)).status).toBe(401);
      for (const method of ['get', 'delete'] as const) {
        expect((await request(app)[method]('/server/mcp').set(session)).status).toBe(401);
      }
      expect(handled).toBe(1);
    });

    it('R13 "Access tokens MUST NOT be included in the URI query string"', async () => {
      expect((await post(undefined, callOf('read'), `/server/mcp?access_token=${token()}`)).status).toBe(401);
      expect((await post(token(), callOf('read'), '/server/mcp?access_token=x')).status).toBe(400);
      expect(handled).toBe(0);
    });
  });

  describe('Token Handling', () => {
    it.each([
      ['a signature of another key', token({}, stranger)],
      ['another issuer', token({ iss: 'https://elsewhere.example' })],
      ['no expiry', token({ exp: undefined })],
      ['not yet valid', token({ nbf: NOW + 60 })],
      ['no JWT', 'opaque'],
    ])(
      'R13 "MCP servers MUST validate access tokens as described in OAuth 2.1 Section 5.2": %s',
      async (_what, bad) => {
        expect(await challengeOf(post(bad))).toMatchObject({ status: 401, error: 'invalid_token' });
        expect(handled).toBe(0);
      },
    );

    it('R13 "MUST validate that access tokens were issued specifically for them as the intended audience"', async () => {
      for (const aud of ['https://mcp.example.com', `${RESOURCE}/`, 'https://mcp.example.com/server', [], undefined]) {
        expect(await challengeOf(post(token({ aud })))).toMatchObject({ status: 401, error: 'invalid_token' });
      }
      expect((await post(token({ aud: ['https://other.example', RESOURCE] }))).status).toBe(200);
    });

    it('R13 "If validation fails, servers MUST respond according to OAuth 2.1 Section 5.3"', async () => {
      const { body, headers } = await post(token({ exp: NOW - 1 }));
      expect(headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
      expect(body).toMatchObject({ error: 'invalid_token' });
    });

    it.each([
      ['invalid', token({}, stranger)],
      ['expired', token({ exp: NOW })],
    ])('R13 "Invalid or expired tokens MUST receive a HTTP 401 response": %s', async (_what, bad) => {
      expect((await post(bad)).status).toBe(401);
    });

    it('R13 "MCP servers MUST only accept tokens that are valid for use with their own resources"', async () => {
      expect((await post(token({ aud: 'https://mcp.example.com/other' }))).status).toBe(401);
    });

    it('R13 "MCP servers MUST NOT accept or transit any other tokens"', async () => {
      const id = forge(key, { aud: RESOURCE, scope: 'files:read' }, { typ: 'JWT' });
      expect((await post(id)).status).toBe(401);
      expect(handled).toBe(0);
    });
  });

  describe('Refresh Tokens', () => {
    it('R13 "SHOULD NOT include offline_access in WWW-Authenticate scope or Protected Resource Metadata scopes_supported"', () => {
      expect(() => mcpAuth({ ...options, scopes: ['files:read', 'offline_access'] })).toThrow('offline_access');
      expect(() => requireToolScopes({ read: ['offline_access'] })).toThrow('offline_access');
    });
  });

  describe('Error Handling', () => {
    it.each([
      [401, 'authorization required', []],
      [401, 'token invalid', ['Authorization: Bearer opaque']],
      [403, 'invalid scopes', [`Authorization: Bearer ${token({ scope: 'other' })}`]],
      [400, 'malformed authorization request', ['Authorization: Bearer']],
      [400, 'two tokens', [`Authorization: Bearer ${token()}`, 'Authorization: Bearer x']],
    ] as const)(
      'R13 "Servers MUST return appropriate HTTP status codes for authorization errors": %i, %s',
      async (status, _what, lines) => {
        expect((await getRaw(served.port, lines, '/server/mcp')).status).toBe(status);
      },
    );
  });

  describe('Scope Challenge Handling', () => {
    it('R13 Runtime Insufficient Scope Errors: "the server SHOULD respond with HTTP 403 Forbidden, WWW-Authenticate header"', async () => {
      expect(await challengeOf(post(token(), callOf('write')))).toEqual({
        status: 403,
        scheme: 'Bearer',
        error: 'insufficient_scope',
        scope: 'files:read files:write',
        metadata: `https://mcp.example.com${WELL_KNOWN}`,
      });
    });

    it('R13 "servers SHOULD include the scopes needed to satisfy the current operation in the scope parameter"', async () => {
      expect((await challengeOf(post(token(), callOf('write')))).scope).toContain('files:write');
      expect((await challengeOf(post(token({ scope: 'x' })))).scope).toBe('files:read');
    });

    it('R13 "servers SHOULD include all scopes required for the current operation in a single challenge"', async () => {
      for (const scope of ['x', 'files:read', 'files:write']) {
        const { scope: needed } = await challengeOf(post(token({ scope }), callOf('purge')));
        expect(needed).toBe('files:read files:write files:admin');
      }
    });

    it('R13 "Servers SHOULD be consistent in their scope inclusion strategy"', async () => {
      const first = await challengeOf(post(token({ scope: 'x' }), callOf('write')));
      expect(await challengeOf(post(token({ scope: 'files:read' }), callOf('write')))).toEqual(first);
    });

    it('R13 "Servers SHOULD consider the user experience impact": no scope that the operation does not need', async () => {
      expect((await challengeOf(post(token({ scope: 'x' }), callOf('read')))).scope).toBe('files:read');
      expect((await challengeOf(post(token(), callOf('write')))).scope).not.toContain('files:admin');
    });

    it('R13 Step-Up Authorization Flow: "Servers MUST account for scope hierarchies, where a broader scope implies narrower ones"', async () => {
      expect((await post(token({ scope: 'files:admin' }), callOf('purge'))).status).toBe(200);
      expect((await post(token({ scope: 'files:write' }), callOf('read'))).status).toBe(200);
      expect((await post(token({ scope: 'files:read' }), callOf('write'))).status).toBe(403);
    });
  });

  describe('Security Considerations', () => {
    it('R13 Token Audience Binding: "MCP servers MUST validate that tokens presented to them were specifically issued for their use"', async () => {
      expect((await post(token({ aud: 'https://upstream.example' }))).status).toBe(401);
      expect(() => mcpAuth({ ...options, audience: 'https://upstream.example' } as never)).toThrow(TypeError);
    });

    it('R13 Token Theft: "Clients and servers MUST implement secure token storage": no event, answer or printed AuthInfo has it', async () => {
      const events = eavesdrop();
      const [good, bad] = [token({ jti: 'theft' }), token({ exp: NOW - 1 })];
      const texts = [(await post(good)).text, (await post(bad)).text, JSON.stringify(events.heard('keyward:decision'))];
      events.stop();
      for (const text of texts) expect(text).not.toMatch(new RegExp(`${good.slice(-40)}|${bad.slice(-40)}`));
    });

    it('R13 Token Theft: "Authorization servers SHOULD issue short-lived access tokens"', async () => {
      const service = await tokenService();
      const issued = await (await service.post(GRANT, basic(ID, SECRET))).json();
      expect(issued).toMatchObject({ expires_in: 3_600 });
      expect(issued).not.toHaveProperty('refresh_token');
      await service.close();
    });

    it('R13 Communication Security 1: "All authorization server endpoints MUST be served over HTTPS"', () => {
      const accessKeys = { resolveAccessKey: () => undefined };
      const signingKeys = memorySigningKeys();
      const at = (issuer: string) => createIssuer({ issuer, audience: RESOURCE, accessKeys, signingKeys });
      expect(() => at('http://login.example.com')).toThrow(TypeError);
      expect(() => mcpAuth({ ...options, resource: 'http://mcp.example.com/mcp' })).toThrow(TypeError);
    });

    it('R13 Access Token Privilege Restriction: "MUST validate access tokens before processing the request, ensure no data is returned to unauthorized parties"', async () => {
      for (const bad of ['opaque', token({ aud: 'https://upstream.example' }), token({ scope: 'x' })]) {
        expect((await post(bad)).text).not.toContain('data');
      }
      expect(handled).toBe(0);
    });

    it('R13 Access Token Privilege Restriction: "MUST follow the guidelines in OAuth 2.1 - Section 5.2 to validate inbound tokens"', async () => {
      const good = token();
      expect((await post(good)).status).toBe(200);
      const [header, payload, signature = ''] = good.split('.');
      expect((await post(`${header}.${payload}.${signature.split('').reverse().join('')}`)).status).toBe(401);
      expect((await post(`${header}.${payload}.`)).status).toBe(401);
    });

    it('R13 Access Token Privilege Restriction: "MUST reject tokens that do not include them in the audience claim"', async () => {
      expect((await post(token({ aud: undefined }))).status).toBe(401);
      expect((await post(token({ aud: 'https://mcp.example.com' }))).status).toBe(401);
    });

    it('R13 Access Token Privilege Restriction: "The MCP server MUST NOT pass through the token": a copy of AuthInfo has none', async () => {
      let copied: object | undefined;
      const own = express().use(mcpAuth(options));
      own.get('/server/mcp', (req, res) => {
        copied = { ...mcpAuthInfo(req) };
        res.json(mcpAuthInfo(req));
      });
      const { status, text } = await request(own).get('/server/mcp').set('Authorization', `Bearer ${token()}`);
      expect(status).toBe(200);
      expect(copied).not.toHaveProperty('token');
      expect(text).not.toContain(token().slice(0, 40));
    });
  });
});
