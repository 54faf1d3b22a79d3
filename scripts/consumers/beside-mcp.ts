import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js';
import express from 'express';
import { authOf, requireBearer } from 'keyward';
import { mcpAuth, mcpAuthInfo } from 'keyward/mcp';
import { createTestKit } from 'keyward/testing';

const app = express();
const verifier = { verifyAccessToken: (): Promise<AuthInfo> => Promise.reject(new Error('never')) };
app.get('/mcp', requireBearerAuth({ verifier }), (req, res) => {
  res.json(req.auth?.clientId);
});
const auth = mcpAuth({ resource: 'https://api.example/mcp', issuer: 'https://login.example', scopes: ['mcp'] });
app.get('/guarded', auth.gate, (req, res) => {
  const info: AuthInfo = mcpAuthInfo(req);
  req.auth = info;
  res.json([info.clientId, auth.gate.principal(req).clientId]);
});
app.get('/new', requireBearer({ accept: createTestKit().accept }), (req, res) => {
  res.json(authOf(req).keyId);
});
