/** An MCP server behind keyward's gate, and keyward's issuer beside it. */
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import express, { type Express, type Request } from 'express';
import { type AccessKeyRecord, type AccessKeyResolver, assertGuarded, bearerErrors } from 'keyward';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import { mcpAuth, requireToolScopes } from 'keyward/mcp';
import { notesServer, TOOL_SCOPES } from './notes.js';

/**
 * @param baseUrl - The URL of the service: that of the issuer. The MCP server is at `/mcp` below it.
 * @param accessKey - The client that may obtain tokens.
 */
export function createApp(baseUrl: string, accessKey: AccessKeyRecord): Express {
  const resource = `${baseUrl}/mcp`;
  const accessKeys: AccessKeyResolver = {
    resolveAccessKey: (id) => (id === accessKey.id ? accessKey : undefined),
  };
  const issuer = createIssuer({ issuer: baseUrl, audience: resource, accessKeys, signingKeys: memorySigningKeys() });
  const auth = mcpAuth({ resource, issuer: baseUrl, accessKeys, scopes: ['notes:read'], name: 'Notes' });
  const serveMcp = toNodeHandler(createMcpHandler(notesServer()));

  const app = express().disable('x-powered-by');
  app.use(issuer);
  // Before the gate, so that its challenge names the scopes of the tool too.
  app.use('/mcp', express.json({ limit: '100kb' }));
  app.use(auth);
  app.all('/mcp', requireToolScopes(TOOL_SCOPES), (req: Omit<Request, 'auth'>, res, next) => {
    // GET has no body; Express 4 calls that `{}`.
    serveMcp(req, res, req.method === 'POST' ? req.body : undefined).catch(next);
  });
  app.use(bearerErrors());

  assertGuarded(app);
  return app;
}
