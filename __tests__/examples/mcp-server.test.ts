/** The example `examples/mcp-server`, called by the clients of both versions of the MCP SDK. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  Client as ClientOfV2,
  InsufficientScopeError,
  ClientCredentialsProvider as ProviderOfV2,
  StreamableHTTPClientTransport as TransportOfV2,
} from '@modelcontextprotocol/client';
import { ClientCredentialsProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Express } from 'express';
import { digestOf } from 'keyward';
import * as oauth from 'oauth4webapi';
import { createApp } from '../../examples/mcp-server/src/app.js';
import { type Served, serve } from '../support/raw-http.js';

const CLIENT_ID = 'ack_notes';
const SCOPES = ['notes:read', 'notes:write'];
const insecure = { [oauth.allowInsecureRequests]: true };

/** What a client asked, and what it was answered. */
interface Exchange {
  readonly request: string;
  readonly status: number;
  readonly challenge: string | null;
  /** The scope that a token request asked for; `null` where it named none. */
  readonly scope?: string | null;
}

describe('the example of an MCP server', () => {
  const clientSecret = randomBytes(32).toString('base64url');
  let served: Served;
  let baseUrl: string;
  let exchanges: Exchange[];

  /** The example on a port of its own, as its `main.ts` starts it. */
  async function start(defaultScopes: readonly string[]): Promise<Served> {
    let app: Express | undefined;
    const started = await serve((req, res) => app?.(req, res));
    const secrets = [{ digest: digestOf(clientSecret) }];
    const record = { id: CLIENT_ID, account: 'acme', environment: 'live' as const, secrets, scopes: SCOPES };
    app = createApp(`http://127.0.0.1:${started.port}`, { ...record, defaultScopes });
    return started;
  }

  beforeEach(async () => {
    served = await start(['notes:read']);
    baseUrl = `http://127.0.0.1:${served.port}`;
    exchanges = [];
  });
  afterEach(() => served.close());

  /** Notes each request of a client. */
  const noting = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    const body = init?.body instanceof URLSearchParams ? { scope: init.body.get('scope') } : {};
    const request = `${init?.method ?? 'GET'} ${pathname}`;
    exchanges.push({ request, status: response.status, challenge: response.headers.get('www-authenticate'), ...body });
    return response;
  };
  const steps = () => exchanges.map(({ request, status }) => `${request} ${status}`);
  const credentials = () => ({ clientId: CLIENT_ID, clientSecret, expectedIssuer: baseUrl });
  const metadataUrl = () => `${baseUrl}/.well-known/oauth-protected-resource/mcp`;

  const DISCOVERY = [
    'POST /mcp 401',
    'GET /.well-known/oauth-protected-resource/mcp 200',
    'GET /.well-known/oauth-authorization-server 200',
    'POST /connect/token 200',
    'POST /mcp 200',
  ];
  const NEEDED = 'scope="notes:read notes:write"';

  it('R11 the client of SDK 2: discovers, obtains a token, calls a tool, steps up by the 403 that names all scopes', async () => {
    const provider = new ProviderOfV2(credentials());
    const transport = new TransportOfV2(new URL(`${baseUrl}/mcp`), { authProvider: provider, fetch: noting });
    const client = new ClientOfV2({ name: 'test', version: '1.0.0' });
    await client.connect(transport);
    expect(steps().slice(0, DISCOVERY.length)).toEqual(DISCOVERY);
    expect(exchanges[0]?.challenge).toBe(
      `Bearer realm="api", scope="notes:read", resource_metadata="${metadataUrl()}"`,
    );
    expect(exchanges.find(({ request }) => request === 'POST /connect/token')?.scope).toBe('notes:read');

    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['list_notes', 'add_note']);
    expect(await client.callTool({ name: 'list_notes', arguments: {} })).toMatchObject({ content: [] });

    exchanges = [];
    const added = await client.callTool({ name: 'add_note', arguments: { text: 'Hello' } });
    expect(added).toMatchObject({ content: [{ type: 'text', text: 'Added' }] });
    expect(
      exchanges.map(({ request, status }) => `${request} ${status}`).filter((step) => step.startsWith('POST')),
    ).toEqual(['POST /mcp 403', 'POST /connect/token 200', 'POST /mcp 200']);
    expect(exchanges[0]?.challenge).toContain(NEEDED);
    expect(exchanges.find(({ request }) => request === 'POST /connect/token')?.scope).toBe('notes:read notes:write');
    expect(await client.callTool({ name: 'list_notes', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: `Hello (${CLIENT_ID})` }],
    });
    await client.close();
  });

  it('R11 the client of SDK 2 that decides by itself: an error that names all scopes', async () => {
    const authProvider = new ProviderOfV2(credentials());
    const options = { authProvider, fetch: noting, onInsufficientScope: 'throw' } as const;
    const client = new ClientOfV2({ name: 'test', version: '1.0.0' });
    await client.connect(new TransportOfV2(new URL(`${baseUrl}/mcp`), options));
    const error = await client.callTool({ name: 'add_note', arguments: { text: 'x' } }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(InsufficientScopeError);
    expect((error as InsufficientScopeError).requiredScope).toBe('notes:read notes:write');
    await client.close();
  });

  /** SDK 1 asks for the configured scopes alone: this one takes those of the challenge. */
  class SteppingUp extends ClientCredentialsProvider {
    override get clientMetadata() {
      const challenge = exchanges.findLast(({ status }) => status === 403)?.challenge ?? '';
      const scope = /scope="([^"]*)"/.exec(challenge)?.[1];
      return { ...super.clientMetadata, scope };
    }
  }

  it('R11 the client of SDK 1: the same, with a provider that takes the scopes of the challenge', async () => {
    const authProvider = new SteppingUp(credentials());
    const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { authProvider, fetch: noting });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(transport as never);
    expect(steps().slice(0, DISCOVERY.length)).toEqual(DISCOVERY);
    expect((await client.listTools()).tools).toHaveLength(2);
    expect(await client.callTool({ name: 'list_notes', arguments: {} })).toMatchObject({ content: [] });
    exchanges = [];
    expect(await client.callTool({ name: 'add_note', arguments: { text: 'Hello' } })).toMatchObject({
      content: [{ type: 'text', text: 'Added' }],
    });
    expect(steps().filter((step) => step.startsWith('POST'))).toEqual([
      'POST /mcp 403',
      'POST /connect/token 200',
      'POST /mcp 200',
    ]);
    expect(exchanges[0]?.challenge).toContain(NEEDED);
    await client.close();
  });

  const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_notes', arguments: {} } };
  const call = (token?: string, message: object = LIST) =>
    fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(message),
    });

  /** A token of the issuer that the metadata name, as oauth4webapi finds and asks it. */
  async function tokenBy(at: string, scope: string): Promise<string> {
    const resource = new URL(`${at}/mcp`);
    const found = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    );
    const issuer = new URL(found.authorization_servers?.[0] ?? '');
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, response);
    const client = { client_id: CLIENT_ID };
    const asked = oauth.clientCredentialsGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(clientSecret),
      { scope },
      insecure,
    );
    return (await oauth.processClientCredentialsResponse(server, client, await asked)).access_token;
  }

  it('R11 oauth4webapi discovers, obtains a token and calls a tool', async () => {
    expect((await call(await tokenBy(baseUrl, 'notes:read'))).status).toBe(200);
  });

  it('R11 no token: 401 without an error', async () => {
    const response = await call();
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).not.toContain('error');
  });

  it('R11 a token for another resource, of a client of the same name: 401', async () => {
    const other = await start(SCOPES);
    const url = `http://127.0.0.1:${other.port}`;
    const response = await call(await tokenBy(url, 'notes:read'));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    await other.close();
  });

  it.each(['notes:read', 'notes:write'])(
    'R11 a missing scope: 403 that names all, with a token for %s alone',
    async (scope) => {
      const message = { ...LIST, params: { name: 'add_note', arguments: { text: 'x' } } };
      const response = await call(await tokenBy(baseUrl, scope), message);
      expect(response.status).toBe(403);
      expect(response.headers.get('www-authenticate')).toContain(NEEDED);
    },
  );
});
