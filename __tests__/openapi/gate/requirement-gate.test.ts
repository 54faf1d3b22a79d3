/** The answers to DPoP clients, if the alternatives of an operation differ. */
import { describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import type { BearerError } from 'keyward';
import { openApiGate } from 'keyward/openapi';
import { createTestKit } from 'keyward/testing';
import request from 'supertest';
import { START } from '../../support/manual-clock.js';
import { asking, documentOf, SCHEMES } from '../../support/openapi.js';

const ORIGIN = 'https://api.test';
const DIFFERENT = [{ accessToken: ['pets'] }, { secretKey: [] }];
const EQUAL = [{ accessToken: ['pets'] }, { secretKey: ['pets'] }];
const mutual = { components: { securitySchemes: { ...SCHEMES, mtls: { type: 'mutualTLS' } } } };

/** A client with a key pair, and an app whose operations differ only in their security. */
function setUp(nonce?: { secret: string }) {
  const kit = createTestKit({
    ...{ now: new Date(START), mtls: { certificateOf: () => undefined } },
    dpop: { origin: ORIGIN, nonce, algorithms: ['ES256'] },
  });
  const client = kit.dpop();
  const errors: BearerError[] = [];
  const onError: ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error);
    res.status(error.status).json({ code: error.code });
  };
  const paths = {
    '/different': { get: asking(DIFFERENT) },
    '/equal': { get: asking(EQUAL) },
    '/mutual': { get: asking([{ accessToken: ['pets'], mtls: [] }]) },
  };
  const schemes = { accessToken: kit.tokens, secretKey: kit.keys('secret'), mtls: 'mutualTLS' } as const;
  const app = express().use(openApiGate(documentOf(paths, mutual), { schemes }));
  app.use((_req, res) => void res.json({}));
  app.use(onError);

  /** Sends a token with a proof; `altered` is sent in place of the token. */
  const send = async (path: string, token: string, more: { nonce?: string | undefined; altered?: string } = {}) => {
    const proof = await client.proof({ method: 'GET', url: `${ORIGIN}${path}`, token, nonce: more.nonce });
    return request(app)
      .get(path)
      .set('Authorization', `DPoP ${more.altered ?? token}`)
      .set('DPoP', proof);
  };
  return { app, client, errors, send };
}

/** The challenges of a 401 to a client that used DPoP; `description` is the one of the error. */
const refused = (code: string, description: string, scope = ', scope="pets"') =>
  `Bearer realm="api"${scope}, DPoP realm="api", error="${code}", error_description="${description}"${scope}, algs="ES256"`;
const INVALID = ['invalid_token', 'The credential is invalid, expired or revoked'] as const;

describe.each(['/different', '/equal'])('a DPoP client at %s', (path) => {
  it('gets a nonce, and is accepted with it', async () => {
    const { client, errors, send } = setUp({ secret: 'x'.repeat(40) });
    const token = await client.token({ scopes: ['pets'] });
    const first = await send(path, token);
    const nonce = first.headers['dpop-nonce'];
    expect([first.status, first.body]).toEqual([401, { code: 'use_dpop_nonce' }]);
    expect(first.headers['www-authenticate']).toMatch(
      /^Bearer realm="api", scope="pets", DPoP realm="api", error="use_dpop_nonce", .*, scope="pets", algs="ES256"$/,
    );
    expect(errors[0]?.headers).toMatchObject({
      'DPoP-Nonce': nonce,
      'WWW-Authenticate': first.headers['www-authenticate'],
    });
    expect((await send(path, token, { nonce })).status).toBe(200);
  });

  it('reads the error of an invalid token in the DPoP challenge', async () => {
    const { client, send } = setUp();
    const token = await client.token({ scopes: ['pets'] });
    const response = await send(path, token, { altered: `${token.slice(0, -4)}AAAA` });
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, refused(...INVALID)]);
    expect(response.headers['dpop-nonce']).toBeUndefined();
  });

  it('reads which scopes its token lacks in a DPoP challenge', async () => {
    const { client, send } = setUp();
    const response = await send(path, await client.token({ scopes: ['other'] }));
    expect([response.status, response.headers['www-authenticate']]).toEqual([
      403,
      'DPoP realm="api", error="insufficient_scope", error_description="The credential does not give access to this resource", scope="pets", algs="ES256"',
    ]);
  });

  it('gets the error in the Bearer challenge if it sends the token as Bearer', async () => {
    const { app, client } = setUp();
    const token = await client.token({ scopes: ['pets'] });
    const response = await request(app).get(path).set('Authorization', `Bearer ${token}`);
    expect([response.status, response.headers['www-authenticate']]).toEqual([
      401,
      `Bearer realm="api", error="${INVALID[0]}", error_description="${INVALID[1]}", scope="pets", DPoP realm="api", scope="pets", algs="ES256"`,
    ]);
  });
});

describe('a DPoP client without the required client certificate', () => {
  it('reads the error in the DPoP challenge', async () => {
    const { client, send } = setUp();
    const response = await send('/mutual', await client.token({ scopes: ['pets'] }));
    expect([response.status, response.headers['www-authenticate']]).toEqual([401, refused(...INVALID, '')]);
  });
});
