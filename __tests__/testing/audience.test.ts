import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { decodeJwt } from 'jose';
import { bearerErrors, requireBearer, resourceMetadata } from 'keyward';
import { mcpAuth, requireToolScopes } from 'keyward/mcp';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';

describe('the audience of a test kit', () => {
  it('is https://api.keyward.test by default', async () => {
    const kit = createTestKit();
    expect([kit.audience, decodeJwt(await kit.accessToken()).aud]).toEqual([
      'https://api.keyward.test',
      'https://api.keyward.test',
    ]);
  });

  it('is the resource of an MCP server under test', async () => {
    const kit = createTestKit({ audience: 'https://api.example.com/mcp' });
    const app = express();
    app.use(express.json());
    app.use(mcpAuth({ resource: kit.audience, scopes: ['notes:read'], accept: kit.accept }));
    app.post('/mcp', requireToolScopes({ list_notes: [], add_note: ['notes:write'] }), (_req, res) => {
      res.json({});
    });
    app.use(bearerErrors());
    const call = (name: string, credential?: string) => {
      const asked = request(app).post('/mcp');
      if (credential !== undefined) asked.set('Authorization', `Bearer ${credential}`);
      return asked.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
    };

    const anonymous = await call('list_notes');
    expect([anonymous.status, anonymous.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('https://api.example.com/.well-known/oauth-protected-resource/mcp'),
    ]);
    const token = await kit.accessToken({ scopes: ['notes:read'] });
    expect((await call('list_notes', token)).status).toBe(200);
    expect((await call('add_note', token)).status).toBe(403);
    expect((await call('add_note', await kit.accessToken({ scopes: ['notes:read', 'notes:write'] }))).status).toBe(200);
    expect((await call('add_note', kit.secretKey())).status).toBe(200);
    expect((await call('list_notes', await createTestKit().accessToken({ scopes: ['notes:read'] }))).status).toBe(401);
  });

  it('is the resource of an app with metadata and opaque tokens under test', async () => {
    const kit = createTestKit({ audience: 'https://api.example.com' });
    const opaque = kit.introspection();
    const accept = [...kit.accept, opaque.verifier];
    const metadata = resourceMetadata({ resource: kit.audience, accept });
    const app = express();
    app.use(metadata);
    app.use(requireBearer({ accept, resourceMetadata: metadata }), (_req, res) => void res.sendStatus(204));
    app.use(bearerErrors());
    const published = await request(app).get('/.well-known/oauth-protected-resource');
    expect(published.body).toMatchObject({ resource: kit.audience, authorization_servers: [kit.issuer] });
    for (const credential of [await kit.accessToken(), opaque.token()]) {
      expect((await request(app).get('/').set('Authorization', `Bearer ${credential}`)).status).toBe(204);
    }
  });

  it.each([
    ['', 'a non-empty string'],
    [['https://api.example.com'], 'a non-empty string'],
  ])('is not %j', (audience, expected) => {
    expect(() => createTestKit({ audience } as never)).toThrow(`createTestKit: option "audience" must be ${expected}`);
  });
});
