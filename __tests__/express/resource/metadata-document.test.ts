import { describe, expect, it } from '@jest/globals';
import type { CredentialVerifier } from 'keyward';
import { boundTokenMembers, metadataUrl } from '../../../lib/express/resource/metadata-document.js';
import { DECLINING } from '../../support/stub-verifier.js';

type Confirmation = CredentialVerifier['confirmation'];

const tokens = { issuer: 'https://login.example', audiences: ['https://api.example.com'] };
const verifierOf = (confirmation: Confirmation): CredentialVerifier => ({ ...DECLINING, tokens, confirmation });
const keys: CredentialVerifier = DECLINING;
const dpop = (required: boolean, ...algorithms: string[]) => ({ dpop: { algorithms, required } });

const ALGORITHMS = { dpop_signing_alg_values_supported: ['ES256'] };
const DPOP_REQUIRED = { dpop_bound_access_tokens_required: true };
const CERTIFICATES = { tls_client_certificate_bound_access_tokens: true };

describe('the members about bound tokens', () => {
  it.each<[string, Confirmation[], object]>([
    ['no method', [undefined], {}],
    ['no method of several', [{}, undefined], {}],
    ['DPoP', [dpop(false, 'ES256')], ALGORITHMS],
    ['DPoP, required', [dpop(true, 'ES256')], { ...ALGORITHMS, ...DPOP_REQUIRED }],
    ['DPoP, required by each', [dpop(true, 'ES256'), dpop(true, 'ES256')], { ...ALGORITHMS, ...DPOP_REQUIRED }],
    ['DPoP, required by the first alone', [dpop(true, 'ES256'), undefined], ALGORITHMS],
    ['DPoP, required by the second alone', [dpop(false, 'ES256'), dpop(true, 'ES256')], ALGORITHMS],
    [
      'different algorithms, each once',
      [dpop(false, 'ES256', 'EdDSA'), dpop(false, 'PS256', 'ES256')],
      { dpop_signing_alg_values_supported: ['ES256', 'EdDSA', 'PS256'] },
    ],
    ['certificates', [{ mtls: { required: false } }], CERTIFICATES],
    ['certificates of one of several', [undefined, { mtls: { required: true } }], CERTIFICATES],
    [
      'certificates too, but only DPoP is required',
      [{ ...dpop(true, 'ES256'), mtls: { required: false } }],
      { ...ALGORITHMS, ...DPOP_REQUIRED, ...CERTIFICATES },
    ],
    [
      'both required, of which one is enough',
      [{ ...dpop(true, 'ES256'), mtls: { required: true } }],
      { ...ALGORITHMS, ...CERTIFICATES },
    ],
  ])('for %s', (_name, confirmations, members) => {
    expect(boundTokenMembers(confirmations.map(verifierOf))).toEqual(members);
  });

  it('do not depend on a verifier that does not accept tokens', () => {
    expect(boundTokenMembers([verifierOf(dpop(true, 'ES256')), keys])).toEqual({ ...ALGORITHMS, ...DPOP_REQUIRED });
    const bound = { ...keys, confirmation: { ...dpop(true, 'ES256'), mtls: { required: false } } };
    expect(boundTokenMembers([bound, verifierOf(undefined)])).toEqual({});
  });
});

it.each([
  ['https://api.example.com', 'https://api.example.com/.well-known/oauth-protected-resource'],
  ['https://api.example.com/', 'https://api.example.com/.well-known/oauth-protected-resource'],
  ['https://api.example.com/mcp', 'https://api.example.com/.well-known/oauth-protected-resource/mcp'],
  ['https://api.example.com/mcp/', 'https://api.example.com/.well-known/oauth-protected-resource/mcp/'],
  ['https://h.example:8443/a?b=1', 'https://h.example:8443/.well-known/oauth-protected-resource/a?b=1'],
  ['https://h.example?b=1', 'https://h.example/.well-known/oauth-protected-resource?b=1'],
])('the metadata of %s is at %s', (resource, url) => {
  expect(metadataUrl(new URL(resource)).href).toBe(url);
});
