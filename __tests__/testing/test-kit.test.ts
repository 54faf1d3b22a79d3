import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { bearerErrors, requireApi, requireBearer, requireScopes } from 'keyward';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';

describe('createTestKit', () => {
  const kit = createTestKit();
  const app = express();
  app.use('/payments', requireBearer({ accept: kit.accept }), requireApi('payments'));
  app.get('/payments', (req, res) => {
    res.json({ auth: (req as { auth?: unknown }).auth });
  });
  app.post('/payments/refunds', requireScopes('payments:refund'), (_req, res) => {
    res.json({});
  });
  app.use(bearerErrors());
  const get = (credential: string) => request(app).get('/payments').set('Authorization', `Bearer ${credential}`);

  it('mints credentials that the real verifiers take', async () => {
    const first = await get(kit.secretKey({ apis: ['payments'] }));
    expect([first.status, first.body]).toMatchObject([200, { auth: { kind: 'secret', apis: ['payments'] } }]);
    const second = await get(await kit.accessToken({ scopes: ['payments'] }));
    expect([second.status, second.body]).toMatchObject([200, { auth: { kind: 'access', scopes: ['payments'] } }]);
    expect((await get(kit.publicKey({ apis: ['payments'] }))).status).toBe(200);
    expect((await get(kit.publicKey())).status).toBe(403);
  });

  it.each([
    ['expired', { expired: true }],
    ['revoked', { revoked: true }],
    ['disabled', { disabled: true }],
    ['foreign', { foreign: true }],
    ['of the other environment', { otherEnvironment: true }],
  ])('makes one that is %s, and it is refused', async (_name, traits) => {
    for (const credential of [
      kit.secretKey(traits),
      kit.publicKey({ ...traits, apis: ['payments'] }),
      await kit.accessToken({ ...traits, scopes: ['payments'] }),
    ]) {
      const response = await get(credential);
      expect([response.status, response.body.error]).toEqual([401, 'invalid_token']);
    }
  });

  it('revokes: the next request is refused', async () => {
    for (const credential of [kit.secretKey(), await kit.accessToken({ scopes: ['payments'] })]) {
      expect((await get(credential)).status).toBe(200);
      expect((await get(credential)).status).toBe(200);
      kit.revoke(credential);
      expect((await get(credential)).status).toBe(401);
    }
  });

  it('takes the store away: 503, and what is cached lives on for its time', async () => {
    const warm = kit.secretKey();
    await get(warm);
    kit.outage(true);
    expect((await get(warm)).status).toBe(200);
    const cold = await get(kit.secretKey());
    expect([cold.status, cold.headers['retry-after'], cold.headers['www-authenticate']]).toEqual([503, '1', undefined]);
    kit.clock.advance(30_001);
    expect((await get(warm)).status).toBe(503);
    kit.outage(false);
    expect((await get(warm)).status).toBe(200);
  });
});
