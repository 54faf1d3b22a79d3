import { describe, expect, it } from '@jest/globals';
import express from 'express';
import type { AccessKeyRecord } from 'keyward';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import { type AssertionTraits, createTestKit } from 'keyward/testing';
import request from 'supertest';
import { eavesdrop } from '../support/eavesdrop.js';

const ISSUER = 'https://issuer.test';
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

describe.each(['ES256', 'RS256', 'EdDSA'] as const)('kit.assertion by %s', (algorithm) => {
  const kit = createTestKit();
  const client = kit.assertion({ clientId: 'ack_1', algorithm });
  const record: AccessKeyRecord = {
    ...{ id: 'ack_1', account: 'acc_1', environment: 'live', secrets: [], scopes: ['payments'] },
    ...{ defaultScopes: ['payments'], channels: 'all', publicKeys: client.publicKeys },
  };
  const issuer = createIssuer({
    ...{ issuer: ISSUER, audience: 'https://api.test', clock: kit.clock, signingKeys: memorySigningKeys() },
    accessKeys: { resolveAccessKey: async (id) => (id === record.id ? record : undefined) },
  });
  const app = express().use(issuer);
  const send = (client_assertion: string) =>
    request(app)
      .post('/connect/token')
      .type('form')
      .send({ grant_type: 'client_credentials', client_assertion_type: TYPE, client_assertion });

  it.each<[string, AssertionTraits]>([
    ['the issuer', { audience: ISSUER }],
    ['its token endpoint', { audience: `${ISSUER}/connect/token` }],
    ['both', { audience: [ISSUER, `${ISSUER}/connect/token`] }],
  ])('signs one for %s, which is accepted once', async (_audience, traits) => {
    const assertion = await client.sign(traits);
    const { status, body } = await send(assertion);
    expect([status, body.scope]).toEqual([200, 'payments']);
    const again = await send(assertion);
    expect([again.status, again.body.error]).toEqual([401, 'invalid_client']);
  });

  it.each<[string, Partial<AssertionTraits>]>([
    ['expired', { expired: true }],
    ['foreign', { foreign: true }],
    ['for another server', { audience: 'https://other.test' }],
    ['valid for too long', { expiresIn: 600 }],
    ['of another client', { claims: { iss: 'ack_2' } }],
    ['without jti', { claims: { jti: undefined } }],
  ])('signs one that is %s, and it is refused', async (_what, traits) => {
    const { status, body } = await send(await client.sign({ audience: ISSUER, ...traits }));
    expect([status, body.error]).toEqual([401, 'invalid_client']);
  });

  it('signs a foreign one that names the key of the client: its signature is invalid', async () => {
    const events = eavesdrop();
    await send(await client.sign({ audience: ISSUER, foreign: true }));
    events.stop();
    expect(events.heard('keyward:token')).toMatchObject([{ outcome: 'refused', reason: 'assertion_signature' }]);
  });

  it('gives the private key to a client of its own', () => {
    expect(client.privateKey).toMatchObject({ kid: client.publicKeys[0]?.kid, alg: algorithm, d: expect.any(String) });
    expect(client.publicKeys[0]).not.toHaveProperty('d');
  });
});

describe('kit.assertion', () => {
  const kit = createTestKit();

  it('has a client ID of its own, each time', () => {
    expect(kit.assertion().clientId).not.toBe(kit.assertion().clientId);
  });

  it.each<[object, string]>([
    [{}, 'sign: option "audience" must be a string or a list of strings, got undefined'],
    [{ audience: ISSUER, aud: 'x' }, 'sign: unknown option "aud"'],
    [
      { audience: ISSUER, expiresIn: '60' },
      'sign: option "expiresIn" must be a number from -1000000000 to 1000000000, got',
    ],
  ])('says which trait is wrong: %j', async (traits, message) => {
    await expect(kit.assertion().sign(traits as AssertionTraits)).rejects.toThrow(message);
  });

  it('says which option is wrong', () => {
    expect(() => kit.assertion({ algorithm: 'HS256' as 'ES256' })).toThrow('assertion: option "algorithm" must be');
    expect(() => kit.assertion({ clientId: '' })).toThrow('assertion: option "clientId" must be a non-empty string');
  });
});
