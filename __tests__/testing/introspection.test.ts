import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { bearerErrors, requireBearer, requireScopes } from 'keyward';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';

describe('kit.introspection', () => {
  const kit = createTestKit();
  const opaque = kit.introspection();
  const app = express();
  app.use(requireBearer({ accept: [...kit.accept, opaque.verifier] }), requireScopes('payments'));
  app.get('/', (req, res) => void res.json({ auth: (req as { auth?: unknown }).auth }));
  app.use(bearerErrors());
  const get = (credential: string) => request(app).get('/').set('Authorization', `Bearer ${credential}`);

  it('creates opaque tokens that the real verifier accepts', async () => {
    const token = opaque.token({ scopes: ['payments'], clientId: 'ack_1', claims: { username: 'ada' } });
    const { status, body } = await get(token);
    expect([status, body.auth]).toMatchObject([200, { clientId: 'ack_1', payload: { username: 'ada' } }]);
    expect((await get(opaque.token())).status).toBe(403);
  });

  it.each([
    ['expired', { expired: true }],
    ['expired for some time', { expiresIn: -10 }],
    ['revoked', { revoked: true }],
    ['foreign', { foreign: true }],
    ['for another API', { claims: { aud: 'https://other.example' } }],
    ['without audience', { claims: { aud: undefined } }],
  ])('creates one that is %s, and it is refused', async (_what, traits) => {
    expect((await get(opaque.token({ scopes: ['payments'], ...traits }))).status).toBe(401);
  });

  it('accepts the other credentials of the kit beside them', async () => {
    expect((await get(kit.secretKey())).status).toBe(200);
    expect((await get(await kit.accessToken({ scopes: ['payments'] }))).status).toBe(200);
  });

  it('revokes: the next request is refused', async () => {
    const token = opaque.token({ scopes: ['payments'] });
    expect((await get(token)).status).toBe(200);
    kit.revoke(token);
    expect((await get(token)).status).toBe(401);
  });

  it('has the outage of the kit: 503, for a cached token after 5 s', async () => {
    const token = opaque.token({ scopes: ['payments'] });
    await get(token);
    kit.outage(true);
    expect((await get(opaque.token({ scopes: ['payments'] }))).status).toBe(503);
    expect((await get(token)).status).toBe(200);
    kit.clock.advance(5_000);
    expect((await get(token)).status).toBe(503);
    kit.outage(false);
    kit.clock.advance(1_000);
    expect((await get(token)).status).toBe(200);
  });

  it('is the same for every call, and says which trait is wrong', () => {
    expect(kit.introspection()).toBe(opaque);
    expect(() => opaque.token({ account: 'a' } as object)).toThrow('token: unknown option "account"');
  });
});
