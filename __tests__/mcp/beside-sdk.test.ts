/** The same requests to keyward and to the middleware of both versions of the MCP SDK; docs/mcp.md has the table. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as sdk2 from '@modelcontextprotocol/express';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server';
import express, { type Express, type RequestHandler } from 'express';
import { createLocalJWKSet, createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { apiMap, bearerErrors, requireScopes } from 'keyward';
import { mcpAuth } from 'keyward/mcp';
import { createManualClock, START } from '../support/manual-clock.js';
import { getRaw, type Served, serve } from '../support/raw-http.js';
import { createKey, forge, ISSUER, jwksOf, NOW } from '../support/token-forge.js';

const RESOURCE = 'https://api.example.com/mcp';
const AT_ROOT = 'https://api.example.com';
/** Nobody listens there. */
const UNREACHABLE = 'http://127.0.0.1:1/jwks';
const key = createKey('ES256');
const LATER = NOW + 315_360_000;
const token = (scope: string, claims: Record<string, unknown> = {}) =>
  forge(key, { aud: RESOURCE, scope, exp: LATER, ...claims });

const ok: RequestHandler = (_req, res) => void res.json({});

const scopes = ['mcp:tools'];
const apis = apiMap({ mcp: ['mcp:all', 'mcp:tools'] }, { implies: { 'mcp:all': ['mcp:tools'] } });
const clock = createManualClock();

/** A server for each of the two resources, and a route whose keys cannot be fetched. */
interface Side {
  readonly atPath: Express;
  readonly atRoot: Express;
  readonly down: Express;
}

function keyward(): Side {
  const common = { issuer: ISSUER, scopes, clock, apis };
  const make = (resource: string, jwks: ReturnType<typeof jwksOf> | string) => {
    const app = express().use(mcpAuth({ ...common, resource, jwks }));
    app.get('/mcp', ok).get('/mcp/write', requireScopes('notes:write'), ok);
    return app.use(bearerErrors());
  };
  return { atPath: make(RESOURCE, jwksOf(key)), atRoot: make(AT_ROOT, jwksOf(key)), down: make(RESOURCE, UNREACHABLE) };
}

/** What both versions of the SDK have, by different types. */
interface Sdk {
  requireBearerAuth(options: object): RequestHandler;
  mcpAuthMetadataRouter(options: object): RequestHandler;
  invalidToken(): Error;
}

const SDK_1: Sdk = {
  requireBearerAuth: requireBearerAuth as never,
  mcpAuthMetadataRouter: mcpAuthMetadataRouter as never,
  invalidToken: () => new InvalidTokenError('Invalid token'),
};
const SDK_2: Sdk = {
  requireBearerAuth: sdk2.requireBearerAuth as never,
  mcpAuthMetadataRouter: sdk2.mcpAuthMetadataRouter as never,
  invalidToken: () => new OAuthError(OAuthErrorCode.InvalidToken, 'Invalid token'),
};

/** A verifier as strict as keyward's: signature, type, issuer, audience, times. */
const verifierOf = ({ invalidToken }: Sdk, keys: JWTVerifyGetKey) => ({
  async verifyAccessToken(text: string) {
    const options = { issuer: ISSUER, audience: RESOURCE, typ: 'at+jwt', currentDate: new Date(START) };
    const { payload } = await jwtVerify(text, keys, options).catch((error) => {
      throw /^ERR_J/.test(error.code) ? invalidToken() : error;
    });
    const granted = String(payload.scope).split(' ');
    return {
      token: text,
      clientId: String(payload.client_id),
      scopes: granted,
      expiresAt: payload.exp,
      resource: new URL(RESOURCE),
    };
  },
});

function ofSdk(sdk: Sdk): Side {
  const make = (resource: string, keys: JWTVerifyGetKey) => {
    const verifier = verifierOf(sdk, keys);
    const resourceMetadataUrl = 'https://api.example.com/.well-known/oauth-protected-resource/mcp';
    const requiring = (...requiredScopes: string[]) =>
      sdk.requireBearerAuth({ verifier, requiredScopes, resourceMetadataUrl });
    const oauthMetadata = {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      response_types_supported: ['code'],
    };
    const app = express();
    app.use(
      sdk.mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl: new URL(resource), scopesSupported: scopes }),
    );
    app.use('/mcp', requiring('mcp:tools'));
    return app.get('/mcp', ok).get('/mcp/write', requiring('notes:write'), ok);
  };
  const local = createLocalJWKSet(jwksOf(key));
  const remote = createRemoteJWKSet(new URL(UNREACHABLE), { timeoutDuration: 500 });
  return { atPath: make(RESOURCE, local), atRoot: make(AT_ROOT, local), down: make(RESOURCE, remote) };
}

const bearer = (text: string) => `Authorization: Bearer ${text}`;
const good = token('mcp:tools');

interface Row {
  readonly request: string;
  /** The right answer, and where it is written. */
  readonly right: string;
  readonly source: string;
  readonly send: readonly string[];
  readonly path?: string;
  readonly side?: keyof Side;
  readonly method?: string;
}

const ROWS: readonly Row[] = [
  { request: 'no credential', right: '401', source: 'RFC 6750 3.1: no error code', send: [] },
  {
    request: '`Basic` in place of `Bearer`',
    right: '401',
    source: 'RFC 6750 3.1: no error code',
    send: ['Authorization: Basic dTpw'],
  },
  { request: 'a valid token', right: '200', source: 'RFC 6750 2.1', send: [bearer(good)] },
  {
    request: 'an expired token',
    right: '401 invalid_token',
    source: 'RFC 6750 3.1',
    send: [bearer(token('mcp:tools', { iat: NOW - 60, exp: NOW - 1 }))],
  },
  {
    request: 'a token for another resource',
    right: '401 invalid_token',
    source: 'RFC 9068 4',
    send: [bearer(token('mcp:tools', { aud: `${AT_ROOT}/other` }))],
  },
  {
    request: 'a token without the scope',
    right: '403 mcp:tools',
    source: 'RFC 6750 3.1',
    send: [bearer(token('x'))],
  },
  {
    request: 'a token without two scopes, asked at two places',
    right: '403 mcp:tools notes:write',
    source: 'MCP, Scope Challenge Handling: all in one challenge',
    send: [bearer(token('x'))],
    path: '/mcp/write',
  },
  {
    request: 'a token with a broader scope',
    right: '200',
    source: 'MCP, Step-Up Authorization Flow: hierarchies',
    send: [bearer(token('mcp:all'))],
  },
  {
    request: 'two `Authorization` fields',
    right: '400 invalid_request',
    source: 'RFC 6750 3.1, RFC 9110 5.3',
    send: [bearer(good), bearer('other')],
  },
  {
    request: 'a token in the header, another in the query',
    right: '400 invalid_request',
    source: 'RFC 6750 2: one method',
    send: [bearer(good)],
    path: '/mcp?access_token=other',
  },
  { request: '`Bearer` and two spaces', right: '200', source: 'RFC 6750 2.1: `1*SP`', send: [bearer(` ${good}`)] },
  {
    request: 'a token and a further word',
    right: '400 invalid_request',
    source: 'RFC 6750 2.1: one b64token',
    send: [bearer(`${good} other`)],
  },
  {
    request: 'the keys of the issuer cannot be fetched',
    right: '503, Retry-After',
    source: 'RFC 9110 15.6.4',
    send: [bearer(good)],
    side: 'down',
  },
  {
    request: 'the metadata of `https://api.example.com`',
    right: '200 https://api.example.com',
    source: 'RFC 9728 3.3: identical',
    send: [],
    path: '/.well-known/oauth-protected-resource',
    side: 'atRoot',
  },
  {
    request: 'HEAD of the metadata',
    right: '200',
    source: 'RFC 9110 9.1: GET and HEAD',
    send: [],
    path: '/.well-known/oauth-protected-resource/mcp',
    method: 'HEAD',
  },
];

/** In short: the status, with the error of a 400 or 401, the scopes of a 403, the resource of a document. */
function inShort({ status, headers, body }: Awaited<ReturnType<typeof getRaw>>): string {
  const challenge = headers['www-authenticate'] ?? '';
  const [, error] = / error="([^"]*)"/.exec(challenge) ?? [];
  const [, scope] = / scope="([^"]*)"/.exec(challenge) ?? [];
  if (status === 503) return `503${'retry-after' in headers ? ', Retry-After' : ''}`;
  if (status === 200) {
    const [, resource] = /"resource":"([^"]*)"/.exec(body) ?? [];
    return resource === undefined ? '200' : `200 ${resource}`;
  }
  const detail = status === 403 ? scope : error;
  return detail === undefined ? String(status) : `${status} ${detail}`;
}

describe('keyward compared with the middleware of the MCP SDK', () => {
  const sides: Record<string, Side> = { keyward: keyward(), 'SDK 1': ofSdk(SDK_1), 'SDK 2': ofSdk(SDK_2) };
  const served = new Map<Express, Served>();
  const answers = new Map<string, string>();

  beforeAll(async () => {
    for (const side of Object.values(sides)) {
      for (const app of Object.values<Express>({ ...side })) served.set(app, await serve(app));
    }
    for (const [name, side] of Object.entries(sides)) {
      for (const { request, send, path = '/mcp', side: which = 'atPath', method } of ROWS) {
        const { port } = served.get(side[which]) as Served;
        answers.set(`${name}: ${request}`, inShort(await getRaw(port, send, path, method)));
      }
    }
  });
  afterAll(() => Promise.all([...served.values()].map(({ close }) => close())));

  it('there are 15 requests', () => {
    expect(ROWS).toHaveLength(15);
  });

  it.each(ROWS)('keyward gives the expected response: $request', ({ request, right }) => {
    expect(answers.get(`keyward: ${request}`)).toBe(right);
  });

  it('the table of docs/mcp.md has the responses of both', () => {
    const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8');
    const shown = /<!-- comparison: start .*-->\n\n(.*?)\n\n<!-- comparison: end -->/s.exec(page)?.[1];
    expect(shown).toBe(table());
  });

  function table(): string {
    const names = Object.keys(sides);
    const cell = (name: string, { request, right }: Row) => {
      const answer = answers.get(`${name}: ${request}`) ?? '';
      return answer === right ? '✓' : answer;
    };
    const rows = ROWS.map((row) => [row.request, row.right, row.source, ...names.map((name) => cell(name, row))]);
    const head = ['request', 'right answer', 'by', ...names];
    return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  }
});
