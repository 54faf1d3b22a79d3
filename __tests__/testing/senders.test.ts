import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { bearerErrors, requireBearer, requireConfirmation } from 'keyward';
import { createTestKit, type ProofTraits } from 'keyward/testing';
import request from 'supertest';
import { testCertificateOf } from '../../lib/testing/test-mtls-client.js';

const ORIGIN = 'https://api.test';

type TestKit = ReturnType<typeof createTestKit>;

/** An app whose gate accepts the credentials of a kit, opaque tokens too. */
function appOf(kit: TestKit) {
  const app = express();
  app.use(requireBearer({ accept: [...kit.accept, kit.introspection().verifier] }));
  app.get('/', (req, res) => void res.json({ auth: (req as { auth?: unknown }).auth }));
  app.get('/bound', requireConfirmation('dpop', 'mtls'), (_req, res) => void res.sendStatus(204));
  return app.use(bearerErrors());
}

describe('kit.dpop', () => {
  const kit = createTestKit({ dpop: { origin: ORIGIN } });
  const app = appOf(kit);
  const sender = kit.dpop();
  const get = (token: string, proof: string) =>
    request(app).get('/').set('Authorization', `DPoP ${token}`).set('DPoP', proof);

  it('binds tokens, and its proofs are accepted once', async () => {
    const token = await sender.token({ scopes: ['payments'], clientId: 'ack_1' });
    const proof = await sender.proof({ method: 'GET', url: '/', token });
    const { status, body } = await get(token, proof);
    expect([status, body.auth]).toMatchObject([200, { clientId: 'ack_1', confirmation: 'dpop', scopes: ['payments'] }]);
    const again = await get(token, proof);
    expect([again.status, again.body.error]).toEqual([401, 'invalid_dpop_proof']);
  });

  it('takes the URL of the request too, without its query', async () => {
    const token = await sender.token();
    expect((await get(token, await sender.proof({ method: 'GET', url: `${ORIGIN}/?a=1#b`, token }))).status).toBe(200);
  });

  it.each<[string, string, Partial<ProofTraits>]>([
    ['is expired', 'invalid_dpop_proof', { expired: true }],
    ['is forged', 'invalid_dpop_proof', { forged: true }],
    ['is of another key pair', 'invalid_token', { foreign: true }],
    ['is of another key pair and forged', 'invalid_token', { foreign: true, forged: true }],
    ['is for another method', 'invalid_dpop_proof', { method: 'POST' }],
    ['is for another path', 'invalid_dpop_proof', { url: '/other' }],
    ['is for another token', 'invalid_dpop_proof', { token: 'another' }],
    ['is for no token', 'invalid_dpop_proof', { token: undefined }],
    ['lacks a claim', 'invalid_dpop_proof', { claims: { jti: undefined } }],
  ])('makes a proof that %s, and it is refused', async (_what, error, traits) => {
    const token = await sender.token();
    const { status, body } = await get(token, await sender.proof({ method: 'GET', url: '/', token, ...traits }));
    expect([status, body.error]).toEqual([401, error]);
  });

  it.each<[string, boolean, Partial<ProofTraits>]>([
    ['of another key pair has a valid signature', true, { foreign: true }],
    ['that is forged has an invalid one', false, { forged: true }],
    ['of another key pair that is forged has an invalid one', false, { foreign: true, forged: true }],
  ])('a proof %s', async (_what, isValid, traits) => {
    const proof = await sender.proof({ method: 'GET', url: '/', token: 'any', ...traits });
    const { jwk } = decodeProtectedHeader(proof);
    const verified = compactVerify(proof, await importJWK(jwk as JWK, 'ES256')).then(
      () => true,
      () => false,
    );
    expect(await verified).toBe(isValid);
  });

  it('an expired proof is too old for every maxAge', async () => {
    const lenient = createTestKit({ dpop: { origin: ORIGIN, maxAge: 300 } });
    const { token: bind, proof } = lenient.dpop();
    const token = await bind();
    const ask = async (traits: Partial<ProofTraits>) =>
      (
        await request(appOf(lenient))
          .get('/')
          .set('Authorization', `DPoP ${token}`)
          .set('DPoP', await proof({ method: 'GET', url: '/', token, ...traits }))
      ).status;
    expect([await ask({}), await ask({ expired: true })]).toEqual([200, 401]);
  });

  it('has the traits of other tokens', async () => {
    const token = await sender.token({ revoked: true, claims: { extra: 1 } });
    expect((await get(token, await sender.proof({ method: 'GET', url: '/', token }))).status).toBe(401);
  });

  it('binds opaque tokens', async () => {
    const token = kit.introspection().token({ claims: { cnf: sender.confirmation } });
    const { body } = await get(token, await sender.proof({ method: 'GET', url: '/', token }));
    expect(body.auth.confirmation).toBe('dpop');
  });

  it('signs with the nonce that the API asked for', async () => {
    const nonce = { secret: 'a secret of thirty-two characters' };
    const strict = createTestKit({ dpop: { origin: [ORIGIN, 'https://www.test'], nonce, algorithms: ['PS256'] } });
    const asked = appOf(strict);
    const client = strict.dpop();
    const token = await client.token();
    const send = (proof: string) => request(asked).get('/').set('Authorization', `DPoP ${token}`).set('DPoP', proof);
    const first = await send(await client.proof({ method: 'GET', url: '/', token }));
    expect([first.status, first.body.error]).toEqual([401, 'use_dpop_nonce']);
    const { 'dpop-nonce': given } = first.headers;
    expect((await send(await client.proof({ method: 'GET', url: '/', token, nonce: given }))).status).toBe(200);
  });

  it.each(['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256'])('signs by %s if it is the first', async (alg) => {
    const kitOf = createTestKit({ dpop: { origin: ORIGIN, algorithms: [alg] } });
    const client = kitOf.dpop();
    const token = await client.token();
    const proof = await client.proof({ method: 'GET', url: '/', token });
    const response = await request(appOf(kitOf)).get('/').set('Authorization', `DPoP ${token}`).set('DPoP', proof);
    expect(response.status).toBe(200);
  });

  it.each<[object, string]>([
    [{ url: '/' }, 'proof: option "method" must be a non-empty string'],
    [
      { method: 'GET', url: 'bound' },
      'proof: option "url" must be a URL, or a path that starts with /, got an invalid string',
    ],
    [{ method: 'GET', url: '/', htm: 'GET' }, 'proof: unknown option "htm"'],
    [{ method: 'GET', url: '/', expired: 1 }, 'proof: option "expired" must be a boolean, got a number'],
    [{ method: 'GET', url: '/', claims: 'x' }, 'proof: option "claims" must be an object, got a string'],
  ])('says which trait is wrong: %j', async (traits, message) => {
    await expect(sender.proof(traits as ProofTraits)).rejects.toThrow(message);
  });

  it('needs the option of the kit, which is checked', () => {
    expect(() => createTestKit().dpop()).toThrow(
      new TypeError('kit.dpop: set the option "dpop" of createTestKit first'),
    );
    expect(() => createTestKit({ dpop: { origin: '/' } })).toThrow('createTestKit: option "dpop": option "origin"');
  });
});

describe('kit.certificate', () => {
  const kit = createTestKit({ mtls: {} });
  const app = appOf(kit);
  const client = kit.certificate();
  const get = (token: string, field?: string) => {
    const sent = request(app).get('/bound').set('Authorization', `Bearer ${token}`);
    return field === undefined ? sent : sent.set('Client-Cert', field);
  };

  it('binds tokens to a certificate, which the field Client-Cert presents', async () => {
    const token = await client.token({ scopes: ['payments'] });
    expect((await get(token, client.field)).status).toBe(204);
    expect((await get(token)).status).toBe(401);
    expect((await get(token, kit.certificate().field)).status).toBe(401);
    expect((await get(token, 'no certificate')).status).toBe(401);
    expect((await get(await kit.accessToken(), client.field)).status).toBe(401);
  });

  it('binds opaque tokens', async () => {
    const token = kit.introspection().token({ claims: { cnf: client.confirmation } });
    expect((await get(token, client.field)).status).toBe(204);
    expect((await get(token)).status).toBe(401);
  });

  it('prefers the certificate of the TLS connection to the field', () => {
    const raw = Buffer.from('the certificate of the connection');
    const socket = { getPeerX509Certificate: () => ({ raw }) };
    const headers = { 'client-cert': client.field };
    expect(testCertificateOf({ headers, socket } as never)).toBe(raw);
    expect(testCertificateOf({ headers, socket: {} } as never)).toEqual(
      Buffer.from(client.field.slice(1, -1), 'base64'),
    );
  });

  it('leaves the certificate to the option certificateOf', async () => {
    const proxied = createTestKit({
      mtls: { certificateOf: (req) => Buffer.from(String(req.headers.cert), 'base64') },
    });
    const { token, field } = proxied.certificate();
    const bound = await token();
    const send = (name: string) =>
      request(appOf(proxied)).get('/bound').set('Authorization', `Bearer ${bound}`).set(name, field.slice(1, -1));
    expect((await send('Cert')).status).toBe(204);
    expect((await send('Client-Cert')).status).toBe(401);
  });

  it('needs the option of the kit, which is checked', () => {
    const message = 'kit.certificate: set the option "mtls" of createTestKit first';
    expect(() => createTestKit().certificate()).toThrow(new TypeError(message));
    expect(() => createTestKit({ mtls: { required: 1 } as object })).toThrow('createTestKit: option "mtls": option');
  });
});
