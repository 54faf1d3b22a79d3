import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { digestOf } from '../../lib/credentials/digest.js';
import { createIssuer } from '../../lib/issuer/create-issuer.js';
import { memorySigningKeys } from '../../lib/issuer/signing-keys/memory-signing-keys.js';
import { eavesdrop } from '../support/eavesdrop.js';

const record = {
  ...{ id: 'ack_one', account: 'acme', environment: 'live' as const },
  ...{ secrets: [{ digest: digestOf('good') }, { digest: digestOf('newer') }] },
  ...{ scopes: ['payments'], defaultScopes: ['payments'] },
};

function issuerThat(recordUse?: (digest: string, from: string | undefined) => void) {
  const accessKeys = { resolveAccessKey: () => record, ...(recordUse && { recordUse }) };
  const named = { issuer: 'http://127.0.0.1', audience: 'api', signingKeys: memorySigningKeys() };
  const app = express()
    .set('trust proxy', 'loopback')
    .use(createIssuer({ ...named, accessKeys, algorithm: 'ES256' }));
  return (secret: string) =>
    request(app)
      .post('/connect/token')
      .set('X-Forwarded-For', '203.0.113.9')
      .type('form')
      .send({ grant_type: 'client_credentials', client_id: 'ack_one', client_secret: secret });
}

describe('recordUse', () => {
  it('gets the secret and address of each issued token, but not of refusals', async () => {
    const heard: unknown[] = [];
    const obtainToken = issuerThat((...use) => void heard.push(use));
    await obtainToken('good').expect(200);
    await obtainToken('wrong').expect(401);
    await obtainToken('newer').expect(200);
    expect(heard).toEqual([
      [digestOf('good'), '203.0.113.9'],
      [digestOf('newer'), '203.0.113.9'],
    ]);
  });

  it('does not affect the client when it throws, which an event reports', async () => {
    const events = eavesdrop();
    const obtainToken = issuerThat(() => {
      throw new Error('disk full');
    });
    expect((await obtainToken('good')).status).toBe(200);
    events.stop();
    expect(events.heard('keyward:callback-failure')).toMatchObject([
      { of: 'issuer', callback: 'recordUse', reason: 'threw' },
    ]);
  });

  it('is optional', async () => {
    const events = eavesdrop();
    expect((await issuerThat()('good')).status).toBe(200);
    events.stop();
    expect(events.heard('keyward:callback-failure')).toEqual([]);
  });
});
