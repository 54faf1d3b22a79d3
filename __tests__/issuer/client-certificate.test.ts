import { createHash, X509Certificate } from 'node:crypto';
import { createServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { decodeJwt, type JSONWebKeySet } from 'jose';
import { accessTokens, requireBearer } from 'keyward';
import { createIssuer, memorySigningKeys } from '../../lib/issuer/index.js';
import { selfSigned } from '../../lib/testing/self-signed.js';
import { AUDIENCE, basic, GRANT, ID, record, SECRET } from '../support/token-service.js';

const server = selfSigned('localhost');
const ours = selfSigned('client.example');
const thief = selfSigned('thief.example');
const x5t = createHash('sha256').update(new X509Certificate(ours.cert).raw).digest('base64url');

describe('an issuer over TLS, with a client certificate', () => {
  let port: number;
  let close: () => Promise<unknown>;

  beforeAll(async () => {
    const app = express();
    const https = createServer({ ...server, requestCert: true, rejectUnauthorized: false }, app);
    await new Promise<void>((resolve) => https.listen(0, '127.0.0.1', resolve));
    port = (https.address() as AddressInfo).port;
    close = () => new Promise((resolve) => https.close(resolve));
    const issuer = `https://localhost:${port}`;
    const accessKeys = { resolveAccessKey: () => record({ requireConfirmation: 'mtls' }) };
    app.use(createIssuer({ issuer, audience: AUDIENCE, accessKeys, signingKeys: memorySigningKeys(), mtls: {} }));
    const { keys } = JSON.parse((await send('/.well-known/jwks.json')).body) as JSONWebKeySet;
    const tokens = accessTokens({ issuer, audience: AUDIENCE, jwks: { keys }, mtls: {} });
    app.get('/api', requireBearer({ accept: [tokens] }), (_req, res) => void res.json('in'));
    app.use((error: { status?: number }, _req: unknown, res: express.Response, _next: unknown) => {
      res.status(error.status ?? 500).end();
    });
  });
  afterAll(() => close());

  function send(path: string, headers: Record<string, string> = {}, certificate?: typeof ours, body?: string) {
    const options = { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false, ...certificate };
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const req = request({ ...options, method: body === undefined ? 'GET' : 'POST' }, (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => resolve({ status: res.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      req.on('error', reject).end(body);
    });
  }

  const obtain = (certificate?: typeof ours) =>
    send(
      '/connect/token',
      { 'content-type': 'application/x-www-form-urlencoded', ...basic(ID, SECRET) },
      certificate,
      GRANT,
    );

  it('D34 binds the token to the certificate, and a gate accepts it only with this certificate', async () => {
    const { access_token: token, token_type: type } = JSON.parse((await obtain(ours)).body);
    expect([type, decodeJwt(token).cnf]).toEqual(['Bearer', { 'x5t#S256': x5t }]);
    const headers = { authorization: `Bearer ${token}` };
    expect((await send('/api', headers, ours)).status).toBe(200);
    expect((await send('/api', headers, thief)).status).toBe(401);
    expect((await send('/api', headers)).status).toBe(401);
  });

  it('D34 without a certificate an access key that requires one obtains nothing', async () => {
    expect(await obtain()).toEqual({ status: 400, body: '{"error":"invalid_client"}' });
  });
});
