import { hash, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import type { IssuerOptions } from '../../lib/issuer/index.js';
import { assertionBody, clientKeyPair, signAssertion } from '../support/client-assertion.js';
import { createDpopClient, type DpopClient } from '../support/dpop-client.js';
import { eavesdrop } from '../support/eavesdrop.js';
import { START } from '../support/manual-clock.js';
import { createKey, type Members } from '../support/token-forge.js';
import { basic, GRANT, ID, record, SECRET, type TokenService, tokenService } from '../support/token-service.js';

const CERTIFICATE = Buffer.from('a certificate in DER form');
const X5T = hash('sha256', CERTIFICATE, 'base64url');
const NONCE_SECRET = 'n'.repeat(32);

const events = eavesdrop();
let client: DpopClient;
const started: TokenService[] = [];

beforeAll(async () => {
  client = await createDpopClient(createKey('ES256'));
});
beforeEach(() => events.clear());
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.close()));
});
afterAll(() => events.stop());

async function start(options: Partial<IssuerOptions>): Promise<TokenService> {
  const service = await tokenService(options);
  started.push(service);
  return service;
}

/** A proof for the token endpoint; no `ath`, since there is no token. */
const proofFor = ({ url }: TokenService, claims: Members = {}, header: Members = {}) =>
  client.proof('', { ath: undefined, htm: 'POST', htu: `${url}/connect/token`, jti: randomUUID(), ...claims }, header);

async function obtain(service: TokenService, headers: Record<string, string> = {}, body = GRANT) {
  const response = await service.post(body, { ...basic(ID, SECRET), ...headers });
  const answer = (await response.json()) as { access_token?: string; token_type?: string; error?: string };
  const [event] = events.heard<{ reason?: string }>('keyward:token').slice(-1);
  return {
    status: response.status,
    type: answer.token_type,
    cnf: answer.access_token === undefined ? undefined : decodeJwt(answer.access_token).cnf,
    error: answer.error,
    reason: event?.reason,
    nonce: response.headers.get('dpop-nonce'),
  };
}

const NOTHING = { type: undefined, cnf: undefined, error: undefined, reason: undefined, nonce: null };
const issued = (type: string, cnf?: object) => ({ ...NOTHING, status: 200, type, cnf });
const refusedBy = (error: string, reason: string) => ({ ...NOTHING, status: 400, error, reason });

describe('DPoP at the token endpoint', () => {
  it('D31 a valid proof: token_type DPoP and cnf.jkt; without one a Bearer token', async () => {
    const service = await start({ dpop: {} });
    expect(await obtain(service, { dpop: proofFor(service) })).toEqual(issued('DPoP', { jkt: client.thumbprint }));
    expect(await obtain(service)).toEqual(issued('Bearer'));
  });

  it('D31 without the option a proof is ignored', async () => {
    const service = await start({});
    expect(await obtain(service, { dpop: proofFor(service) })).toEqual(issued('Bearer'));
  });

  it('D31 origin and path are those of the issuer, even if a proxy changes the path', async () => {
    const issuer = 'https://access.example/auth';
    const service = await start({ dpop: {}, issuer });
    const dpop = proofFor(service, { htu: `${issuer}/connect/token` });
    expect(await obtain(service, { dpop })).toEqual(issued('DPoP', { jkt: client.thumbprint }));
    expect(await obtain(service, { dpop: proofFor(service) })).toEqual(refusedBy('invalid_dpop_proof', 'dpop_htu'));
  });

  it.each<[string, string, Members, Members]>([
    ['of another method', 'dpop_htm', { htm: 'GET' }, {}],
    ['for another path', 'dpop_htu', { htu: 'http://127.0.0.1/connect/other' }, {}],
    ['too old', 'dpop_iat', { iat: START / 1_000 - 61 }, {}],
    ['without a jti', 'dpop_jti', { jti: undefined }, {}],
    ['of another type', 'dpop_typ', {}, { typ: 'jwt' }],
    ['by no algorithm', 'dpop_alg', {}, { alg: 'none' }],
    ['without its key', 'dpop_jwk', {}, { jwk: undefined }],
  ])('D32 a proof %s: 400 invalid_dpop_proof', async (_what, reason, claims, header) => {
    const service = await start({ dpop: {} });
    const answer = await obtain(service, { dpop: proofFor(service, claims, header) });
    expect(answer).toEqual(refusedBy('invalid_dpop_proof', reason));
  });

  it('D32 two proofs in one field, an empty one: 400 invalid_dpop_proof', async () => {
    const service = await start({ dpop: {} });
    const two = `${proofFor(service)}, ${proofFor(service)}`;
    expect(await obtain(service, { dpop: two })).toEqual(refusedBy('invalid_dpop_proof', 'dpop_malformed'));
    expect(await obtain(service, { dpop: '' })).toEqual(refusedBy('invalid_dpop_proof', 'dpop_missing'));
  });

  it('D32 a parameter dpop_jkt binds nothing', async () => {
    const service = await start({ dpop: {} });
    expect(await obtain(service, {}, `${GRANT}&dpop_jkt=${client.thumbprint}`)).toEqual(issued('Bearer'));
  });

  it('D32 a replayed proof: 400 invalid_dpop_proof; 20 concurrent requests: one token', async () => {
    const service = await start({ dpop: {} });
    const dpop = proofFor(service);
    expect((await obtain(service, { dpop })).status).toBe(200);
    expect(await obtain(service, { dpop })).toEqual(refusedBy('invalid_dpop_proof', 'dpop_replayed'));
    const another = proofFor(service);
    const answers = await Promise.all(Array.from({ length: 20 }, () => obtain(service, { dpop: another })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('the clock of the issuer decides how long a used proof is stored', async () => {
    const service = await start({ dpop: {} });
    const dpop = proofFor(service);
    expect((await obtain(service, { dpop })).status).toBe(200);
    const machine = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000);
    const answer = await obtain(service, { dpop });
    machine.mockRestore();
    expect(answer).toEqual(refusedBy('invalid_dpop_proof', 'dpop_replayed'));
  });

  it('access keys whose firstUse is no method are not used as the replay cache', async () => {
    const accessKeys = { resolveAccessKey: () => record(), firstUse: true };
    const service = await start({ dpop: {}, accessKeys });
    expect(await obtain(service, { dpop: proofFor(service) })).toMatchObject({ status: 200, type: 'DPoP' });
  });

  it('D32 a proof is not used up by a request that is refused for another reason', async () => {
    const service = await start({ dpop: {} });
    const dpop = proofFor(service);
    expect((await obtain(service, { dpop, ...basic(ID, 'wrong') })).status).toBe(401);
    expect((await obtain(service, { dpop }, `${GRANT}&scope=other`)).error).toBe('invalid_scope');
    expect((await obtain(service, { dpop })).status).toBe(200);
  });

  it('D32 a nonce is required: 400 use_dpop_nonce with the field, then accepted', async () => {
    const service = await start({ dpop: { nonce: { secret: NONCE_SECRET, maxAge: 300 } } });
    const { nonce, ...asked } = await obtain(service, { dpop: proofFor(service) });
    expect({ ...asked, nonce: null }).toEqual(refusedBy('use_dpop_nonce', 'dpop_nonce'));
    const accepted = await obtain(service, { dpop: proofFor(service, { nonce }) });
    expect(accepted).toEqual(issued('DPoP', { jkt: client.thumbprint }));
    service.clock.advance(200_000);
    const late = await obtain(service, { dpop: proofFor(service, { nonce, iat: START / 1_000 + 200 }) });
    expect([late.status, late.nonce]).toEqual([200, expect.stringMatching(/^[\w-]{28}$/)]);
    expect(late.nonce).not.toBe(nonce);
  });

  it('D32 a replay cache that fails: 503', async () => {
    const service = await start({ dpop: {}, replay: { firstUse: () => Promise.reject(new Error('away')) } });
    const answer = await obtain(service, { dpop: proofFor(service) });
    expect(answer).toMatchObject({ status: 503, error: 'temporarily_unavailable', reason: 'replay_cache' });
  });

  it('a replay cache that fails is an outage, and may be retried after a second', async () => {
    const replay = { firstUse: () => Promise.reject(new Error('away')) };
    const service = await start({ dpop: {}, replay });
    const response = await service.post(GRANT, { ...basic(ID, SECRET), dpop: proofFor(service) });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('works together with private_key_jwt, each with its own key', async () => {
    const service = await start({ dpop: {} });
    const pair = await clientKeyPair('EdDSA');
    service.table.set(ID, record({ secrets: [], publicKeys: [pair.publicJwk] }));
    const body = assertionBody(await signAssertion(pair, service.url));
    const response = await service.post(body, { dpop: proofFor(service) });
    expect(await response.json()).toMatchObject({ token_type: 'DPoP' });
  });
});

describe('an access key with requireConfirmation', () => {
  const methods = { dpop: {}, mtls: { certificateOf: (req: { headers: object }) => certificateIn(req) } };
  const certificateIn = ({ headers }: { headers: { 'x-certificate'?: string } }) =>
    headers['x-certificate'] === undefined ? undefined : CERTIFICATE;
  const ways = {
    nothing: () => ({}),
    proof: (service: TokenService) => ({ dpop: proofFor(service) }),
    certificate: () => ({ 'x-certificate': 'yes' }),
    both: (service: TokenService) => ({ dpop: proofFor(service), 'x-certificate': 'yes' }),
  };
  type Way = keyof typeof ways;

  it.each<['dpop' | 'mtls' | true, Way, boolean]>([
    ['dpop', 'nothing', false],
    ['dpop', 'proof', true],
    ['dpop', 'certificate', false],
    ['dpop', 'both', true],
    ['mtls', 'nothing', false],
    ['mtls', 'proof', false],
    ['mtls', 'certificate', true],
    ['mtls', 'both', true],
    [true, 'nothing', false],
    [true, 'proof', true],
    [true, 'certificate', true],
  ])('D33 %s and %s: a token is issued: %s', async (requireConfirmation, way, isIssued) => {
    const service = await start(methods as never);
    service.table.set(ID, record({ requireConfirmation }));
    const answer = await obtain(service, ways[way](service));
    if (isIssued) expect(answer.status).toBe(200);
    else expect(answer).toEqual(refusedBy('invalid_client', 'confirmation_required'));
  });

  it('D33 and an invalid proof: invalid_dpop_proof', async () => {
    const service = await start(methods as never);
    service.table.set(ID, record({ requireConfirmation: 'dpop' }));
    const answer = await obtain(service, { dpop: proofFor(service, { htm: 'GET' }) });
    expect(answer).toEqual(refusedBy('invalid_dpop_proof', 'dpop_htm'));
  });

  it('D33 obtains nothing at an issuer without dpop and mtls', async () => {
    const service = await start({});
    service.table.set(ID, record({ requireConfirmation: true }));
    const answer = await obtain(service, { dpop: proofFor(service) });
    expect(answer).toEqual(refusedBy('invalid_client', 'confirmation_required'));
  });

  it('is unavailable if the record has another value', async () => {
    const service = await start(methods as never);
    service.table.set(ID, record({ requireConfirmation: 'both' as never }));
    expect((await obtain(service)).status).toBe(503);
  });
});

describe('a certificate at the token endpoint', () => {
  it('together with a proof binds the token to both', async () => {
    const service = await start({ dpop: {}, mtls: { certificateOf: () => CERTIFICATE } });
    expect(await obtain(service)).toEqual(issued('Bearer', { 'x5t#S256': X5T }));
    const both = { jkt: client.thumbprint, 'x5t#S256': X5T };
    expect(await obtain(service, { dpop: proofFor(service) })).toEqual(issued('DPoP', both));
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no field');
      },
    ],
    ['returns a text', () => 'certificate' as never],
  ])('is unavailable if certificateOf %s', async (_what, certificateOf) => {
    const service = await start({ mtls: { certificateOf } });
    expect(await obtain(service)).toMatchObject({ status: 503, reason: 'certificate' });
  });

  it('that cannot be read is an outage, and may be retried after a second', async () => {
    const service = await start({ mtls: { certificateOf: () => 'certificate' as never } });
    const response = await service.post(GRANT, basic(ID, SECRET));
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('is ignored without mtls', async () => {
    const service = await start({ dpop: {} });
    expect(await obtain(service)).toEqual(issued('Bearer'));
  });
});

describe('the metadata', () => {
  const metadataOf = async ({ url }: TokenService) =>
    (await (await fetch(`${url}/.well-known/oauth-authorization-server`)).json()) as Record<string, unknown>;

  it('D34 names the algorithms of proofs and certificate-bound tokens', async () => {
    const metadata = await metadataOf(await start({ dpop: { algorithms: ['ES256', 'EdDSA'] }, mtls: {} }));
    expect(metadata).toMatchObject({
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
      tls_client_certificate_bound_access_tokens: true,
    });
  });

  it('names neither without the options', async () => {
    const names = Object.keys(await metadataOf(await start({})));
    expect(names.filter((name) => /dpop|tls/.test(name))).toEqual([]);
  });
});
