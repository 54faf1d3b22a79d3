import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { clockOption } from '../../lib/contracts/clock-option.js';
import { ENTRY } from '../../lib/contracts/credential-verifier.js';
import { type CredentialRequest, PresentedCredential } from '../../lib/http/presented-credential.js';
import { readTable } from '../../lib/options/option-table.js';
import {
  type BoundKeys,
  CONFIRMATION_OPTIONS,
  type Confirmation,
  createConfirmation,
} from '../../lib/tokens/confirmation.js';
import { athOf, createDpopClient, ORIGIN } from '../support/dpop-client.js';
import { createManualClock } from '../support/manual-clock.js';
import { tokenPrincipal } from '../support/principals.js';
import { createKey, type Members } from '../support/token-forge.js';

const client = await createDpopClient(createKey('ES256'));
const TOKEN = 'token';
const DER = Buffer.from('a certificate');
const jkt = client.thumbprint;
const x5t = createHash('sha256').update(DER).digest('base64url');
const principal = tokenPrincipal();

const dpop = { origin: ORIGIN };
const mtls = { certificateOf: () => DER };

function confirmationOf(members: Members): Confirmation {
  const table = { ...CONFIRMATION_OPTIONS, clock: clockOption };
  const options = readTable('accessTokens', { ...members, clock: createManualClock() }, table);
  const confirmation = createConfirmation(options.dpop, options.mtls);
  if (confirmation === undefined) throw new Error('no confirmation');
  return confirmation;
}

const refused = (reason: string) => ({ outcome: 'refused', reason, keyId: 'ack_1' });
const accepted = { outcome: 'accepted', principal, [ENTRY]: expect.objectContaining({ principal }) };

describe('the options', () => {
  it('may be absent', () => {
    expect(createConfirmation(undefined, undefined)).toBeUndefined();
  });

  it('give the methods for challenges', () => {
    const algorithms = ['ES256'];
    const [both, one] = [
      confirmationOf({ dpop: { ...dpop, algorithms, required: true }, mtls: { required: false } }),
      confirmationOf({ mtls: { required: true } }),
    ];
    expect(both.methods).toEqual({ dpop: { algorithms, required: true }, mtls: { required: false } });
    expect(one.methods).toEqual({ dpop: undefined, mtls: { required: true } });
    expect(confirmationOf({ dpop }).methods).toMatchObject({ dpop: { required: false }, mtls: undefined });
    expect([both.methods, both.methods.dpop, both.methods.mtls].every(Object.isFrozen)).toBe(true);
  });

  it('name the factory in errors', () => {
    expect(() => confirmationOf({ dpop: true })).toThrow('accessTokens: option "dpop" must be an options object');
    expect(() => confirmationOf({ mtls: true })).toThrow('accessTokens: option "mtls" must be an options object');
  });
});

describe('the claim cnf', () => {
  const both = confirmationOf({ dpop, mtls });

  it.each<[Members, Partial<BoundKeys>]>([
    [{ jkt }, { jkt }],
    [{ 'x5t#S256': x5t }, { x5t }],
    [
      { jkt, 'x5t#S256': x5t },
      { jkt, x5t },
    ],
  ])('%j', (cnf, keys) => {
    expect(both.readBoundKeys(cnf)).toEqual(keys);
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a string', jkt],
    ['a list', [jkt]],
    ['a list with a member', Object.assign([], { jkt })],
    ['a function', Object.assign(() => {}, { jkt })],
    ['no member', {}],
    ['a member that is not known', { jkt, kid: 'x' }],
    ['only a member that is not known', { jwk: {} }],
    ['a thumbprint that is too short', { jkt: jkt.slice(1) }],
    ['a thumbprint that is undefined', { jkt: undefined }],
    ['a thumbprint of a certificate that is too short', { jkt, 'x5t#S256': x5t.slice(1) }],
    ['a thumbprint of a certificate that is undefined', { jkt, 'x5t#S256': undefined }],
  ])('is refused: %s', (_name, cnf) => {
    expect(both.readBoundKeys(cnf)).toBeUndefined();
  });

  it('is refused if its key cannot be checked', () => {
    const both = { jkt, 'x5t#S256': x5t };
    expect([{ 'x5t#S256': x5t }, both].map((cnf) => confirmationOf({ dpop }).readBoundKeys(cnf))).toEqual([
      undefined,
      undefined,
    ]);
    expect([{ jkt }, both].map((cnf) => confirmationOf({ mtls }).readBoundKeys(cnf))).toEqual([undefined, undefined]);
  });
});

describe('a request', () => {
  const proof = (members: Members = {}): CredentialRequest => ({
    ...{ method: 'GET', url: '/', headers: { dpop: client.proof(TOKEN, { ath: athOf(TOKEN), ...members }) } },
  });
  const confirm = (
    options: Members,
    boundKeys: Partial<BoundKeys> | undefined,
    scheme: 'Bearer' | 'DPoP',
    request?: CredentialRequest,
  ) => {
    const keys = boundKeys && { jkt: undefined, x5t: undefined, ...boundKeys };
    const credential = new PresentedCredential(TOKEN, request, undefined, scheme);
    const entry = { principal, gate: undefined, boundKeys: keys };
    return confirmationOf(options).confirm(credential, { outcome: 'accepted', principal, [ENTRY]: entry });
  };
  const [required, dpopRequired, mtlsRequired] = [
    { dpop: { ...dpop, required: true }, mtls: { ...mtls, required: true } },
    { dpop: { ...dpop, required: true }, mtls },
    { dpop, mtls: { ...mtls, required: true } },
  ];

  it.each<[string, Members, Partial<BoundKeys> | undefined, 'Bearer' | 'DPoP', object]>([
    ['without a bound token', { dpop, mtls }, undefined, 'Bearer', accepted],
    ['without a bound token, in the scheme DPoP', { dpop, mtls }, undefined, 'DPoP', refused('cnf_scheme')],
    ['bound to a key, in the scheme Bearer', { dpop, mtls }, { jkt }, 'Bearer', refused('cnf_scheme')],
    ['bound to a certificate, in the scheme DPoP', { dpop, mtls }, { x5t }, 'DPoP', refused('cnf_scheme')],
    ['unbound, where one of both is required', required, undefined, 'Bearer', refused('cnf_missing')],
    ['bound to a certificate, where one of both is required', required, { x5t }, 'Bearer', accepted],
    ['bound to a certificate, where DPoP is required', dpopRequired, { x5t }, 'Bearer', refused('cnf_missing')],
    ['bound to a certificate, where it is required', mtlsRequired, { x5t }, 'Bearer', accepted],
    ['unbound, where a certificate is required', mtlsRequired, undefined, 'Bearer', refused('cnf_missing')],
    ['bound to a key, where a certificate is required', mtlsRequired, { jkt }, 'DPoP', refused('cnf_missing')],
    ['bound to a certificate, where only mtls is given', { mtls }, { x5t }, 'Bearer', accepted],
  ])('%s', (_name, options, boundKeys, scheme, expected) => {
    expect(confirm(options, boundKeys, scheme)).toEqual(expected);
  });

  it.each<[string, Members, Partial<BoundKeys>]>([
    ['a key', { dpop }, { jkt }],
    ['a key, where it is required', { dpop: { ...dpop, required: true } }, { jkt }],
    ['a key, where one of both is required', required, { jkt }],
    ['both', { dpop, mtls }, { jkt, x5t }],
  ])('with a proof for a token that is bound to %s', (_name, options, boundKeys) => {
    expect(confirm(options, boundKeys, 'DPoP', proof())).toEqual(accepted);
  });

  it.each<[string, () => unknown, object]>([
    ['another certificate', () => Buffer.from('another'), refused('certificate_other')],
    ['no certificate', () => undefined, refused('certificate_missing')],
    ['a text', () => 'x', { outcome: 'unavailable', reason: 'certificate_unreadable' }],
  ])('with %s', (_name, certificateOf, expected) => {
    expect(confirm({ dpop, mtls: { certificateOf } }, { x5t }, 'Bearer')).toEqual(expected);
    expect(confirm({ dpop, mtls: { certificateOf } }, { jkt, x5t }, 'DPoP', proof())).toEqual(expected);
  });

  it.each<[string, CredentialRequest | undefined, string, string]>([
    ['no request', undefined, 'dpop_missing', 'invalid_dpop_proof'],
    ['no proof', { method: 'GET', url: '/', headers: {} }, 'dpop_missing', 'invalid_dpop_proof'],
    ['a proof for another token', proof({ ath: athOf('other') }), 'dpop_ath', 'invalid_dpop_proof'],
  ])('with %s', (_name, request, reason, code) => {
    const expected = { ...refused(reason), code, dpopNonce: undefined };
    expect(confirm({ dpop }, { jkt }, 'DPoP', request)).toEqual(expected);
  });

  it('with the proof of another key', () => {
    const bound = { jkt: createHash('sha256').update('other').digest('base64url') };
    const expected = { ...refused('dpop_thumbprint'), code: 'invalid_token', dpopNonce: undefined };
    expect(confirm({ dpop }, bound, 'DPoP', proof())).toEqual(expected);
  });

  it('gets the nonce that the client must use', () => {
    const secret = 's'.repeat(32);
    const outcome = confirm({ dpop: { ...dpop, nonce: { secret } } }, { jkt }, 'DPoP', proof());
    expect(outcome).toEqual({
      ...{ ...refused('dpop_nonce'), code: 'use_dpop_nonce' },
      dpopNonce: expect.stringMatching(/^[\w-]{28}$/),
    });
  });

  it.each<[string, () => unknown, object]>([
    ['accepts it', async () => true, accepted],
    [
      'has seen it',
      async () => false,
      { ...refused('dpop_replayed'), code: 'invalid_dpop_proof', dpopNonce: undefined },
    ],
    ['fails', async () => 'x', { outcome: 'unavailable', reason: 'replay_cache' }],
  ])('is decided later if the replay cache answers later: it %s', async (_name, firstUse, expected) => {
    const outcome = confirm({ dpop: { ...dpop, replay: { firstUse } } }, { jkt }, 'DPoP', proof());
    expect(outcome).toBeInstanceOf(Promise);
    expect(await outcome).toEqual(expected);
  });
});
