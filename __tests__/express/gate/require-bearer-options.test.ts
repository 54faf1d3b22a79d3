import { describe, expect, it } from '@jest/globals';
import {
  accessTokens,
  apiKeys,
  type CredentialVerifier,
  type RequireBearerOptions,
  requireBearer,
  resourceMetadata,
} from 'keyward';
import { createTestKit } from 'keyward/testing';
import { gateMetadataOf } from '../../../lib/express/gate/gate-type.js';
import { bearing, pass, requestOf } from '../../support/passage.js';
import { keyPrincipal } from '../../support/principals.js';
import { acceptingVerifier, DECLINING } from '../../support/stub-verifier.js';

const kit = createTestKit();
const make = (options: unknown) => () => requireBearer(options as RequireBearerOptions);
const withAccept = (options: object) => make({ accept: [DECLINING], ...options });
const liveKeys = (...kinds: ('secret' | 'public')[]) =>
  apiKeys({ resolver: () => null, kinds: kinds.length > 0 ? kinds : ['secret'], environment: 'live' });

const ACCEPT = 'option "accept" must be a list of one or more verifiers, such as accessTokens() and apiKeys()';

const verifierAt = (index: number) =>
  `option "accept[${index}]" must be a verifier, such as the result of accessTokens() or apiKeys()`;

describe('a mistake in the options of requireBearer throws', () => {
  it.each([
    ['no options', undefined, 'expected an options object, got undefined'],
    ['null in place of options', null, 'expected an options object, got null'],
    [
      'no accept',
      {},
      'the options do not name the credentials to accept; set "accept" to a list of verifiers, or set "issuer" and "audience"',
    ],
    [
      'a verifier in place of options',
      liveKeys(),
      'expected options such as { accept: [verifier] }, got the verifier itself',
    ],
    ['an empty accept', { accept: [] }, `${ACCEPT}, got an empty array`],
    ['a verifier by itself', { accept: DECLINING }, `${ACCEPT}, got an object`],
    ['null among the verifiers', { accept: [DECLINING, null] }, `${verifierAt(1)}, got null`],
    ['an object that cannot verify', { accept: [{ verify: true }] }, `${verifierAt(0)}, got an object`],
    ['a factory that was not called', { accept: [DECLINING, apiKeys] }, `${verifierAt(1)}, got a function`],
    ['a gap in the list', { accept: new Array(1) }, `${verifierAt(0)}, got undefined`],
    [
      'an unknown option',
      { accept: [DECLINING], kinds: 'x' },
      'unknown option "kinds"; the options are accept, realm, optional, scopes, allowSchemeless, browserOrigin, resourceMetadata, issuer, audience',
    ],
    [
      'an option of the short form in another case',
      { Issuer: 'https://issuer.test' },
      'unknown option "Issuer"; the options are accept, realm, optional, scopes, allowSchemeless, browserOrigin, resourceMetadata, issuer, audience',
    ],
  ])('%s', (_name, options, message) => {
    expect(make(options)).toThrow(TypeError);
    expect(make(options)).toThrow(new TypeError(`requireBearer: ${message}`));
  });

  it.each([
    ['realm', '', 'a non-empty string, got an empty string'],
    ['realm', 1, 'a non-empty string, got a number'],
    ['realm', 'caf\u00e9', 'a string of printable ASCII characters, got an invalid string'],
    ['realm', 'a\nb', 'a string of printable ASCII characters, got an invalid string'],
    ['optional', 'yes', 'a boolean, got a string'],
    ['allowSchemeless', 1, 'a boolean, got a number'],
    ['browserOrigin', 'deny', "'report' or 'refuse', got an invalid string"],
    [
      'resourceMetadata',
      new URL('https://api.test/m'),
      'the result of resourceMetadata(), or an https URL, got an object',
    ],
    ['resourceMetadata', '', 'the result of resourceMetadata(), or an https URL, got an empty string'],
    [
      'resourceMetadata',
      'http://api.test/metadata',
      'the result of resourceMetadata(), or an https URL, got an invalid string',
    ],
    ['resourceMetadata', '/metadata', 'the result of resourceMetadata(), or an https URL, got an invalid string'],
    [
      'resourceMetadata',
      'https://api.test/m\u00e9tadata',
      'the result of resourceMetadata(), or an https URL, got an invalid string',
    ],
  ])('%s: %j', (name, value, expected) => {
    expect(withAccept({ [name]: value })).toThrow(new TypeError(`requireBearer: option "${name}" must be ${expected}`));
  });

  it.each([
    ['keys of one kind', () => [liveKeys('secret'), liveKeys('public', 'secret')], 'live secret keys'],
    ['one verifier twice', () => [kit.tokens, kit.tokens], `access tokens issued by ${kit.issuer}`],
    [
      'tokens of one issuer',
      () => [kit.tokens, accessTokens({ issuer: kit.issuer, audience: 'other' })],
      `access tokens issued by ${kit.issuer}`,
    ],
  ])('two verifiers that both claim %s', (_name, accept, what) => {
    expect(make({ accept: accept() })).toThrow(
      new TypeError(
        `requireBearer: two verifiers in "accept" are for the same credentials: ${what}; remove one of them`,
      ),
    );
  });
});

describe('the short form', () => {
  const issuer = 'https://issuer.test';

  it.each([
    ['no audience', { issuer }, 'accessTokens: option "audience" must be'],
    ['no issuer', { audience: 'api' }, 'accessTokens: option "issuer" must be'],
    ['an issuer and verifiers', { accept: [DECLINING], issuer }, 'requireBearer: "issuer" and "audience" cannot be'],
    ['an audience and verifiers', { accept: [DECLINING], audience: 'api' }, 'requireBearer: "issuer" and "audience"'],
  ])('with %s is refused', (_name, options, message) => {
    expect(make(options)).toThrow(message);
  });
});

describe('valid options of requireBearer', () => {
  const format = { read: () => undefined };
  it.each<[string, CredentialVerifier[]]>([
    ['keys of two kinds', [liveKeys('secret'), liveKeys('public')]],
    ['tokens of two issuers', [kit.tokens, accessTokens({ issuer: 'https://other.test', audience: 'x' })]],
    [
      'keys of two formats',
      [liveKeys(), apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live', format })],
    ],
    ['two verifiers that claim nothing', [DECLINING, DECLINING]],
  ])('%s', (_name, accept) => {
    expect(make({ accept })).not.toThrow();
  });

  it('which are optional have defaults', () => {
    const made = gateMetadataOf(requireBearer({ accept: [DECLINING] }));
    expect(made).toMatchObject({ allowSchemeless: false, optional: false, scopes: [], resource: undefined });
    expect(made?.challenge.resourceMetadata).toBeUndefined();
  });

  it.each([
    ['a realm of several words', { realm: 'payments API' }],
    ['metadata on this machine, over http', { resourceMetadata: 'http://localhost:3000/metadata' }],
    ['options that are undefined', { realm: undefined, optional: undefined, resourceMetadata: undefined }],
  ])('%s', (_name, options) => {
    expect(withAccept(options)).not.toThrow();
  });
});

describe('the option resourceMetadata', () => {
  const resource = 'https://api.test/mcp';
  const tokensOf = (issuer: string) => accessTokens({ issuer, audience: resource });
  const [one, other] = [tokensOf('https://one.test'), tokensOf('https://other.test')];
  const metadataOf = (...accept: CredentialVerifier[]) => resourceMetadata({ resource, accept });

  it('is the metadata of the resource, or its URL', () => {
    const metadata = metadataOf(one, liveKeys());
    const url = 'https://api.test/.well-known/oauth-protected-resource/mcp';
    const made = gateMetadataOf(requireBearer({ accept: [one, liveKeys()], resourceMetadata: metadata }));
    expect([made?.resource, made?.challenge.resourceMetadata]).toEqual([metadata.document, url]);
    const named = gateMetadataOf(requireBearer({ accept: [one], resourceMetadata: url }));
    expect([named?.resource, named?.challenge.resourceMetadata]).toEqual([undefined, url]);
  });

  it('is accepted if the verifiers are in another order', () => {
    expect(make({ accept: [other, one], resourceMetadata: metadataOf(one, other) })).not.toThrow();
  });

  it.each([
    ['the gate accepts more', [one, other], [one], 'https://other.test', 'accept', 'resourceMetadata'],
    ['the metadata names more', [one], [one, other], 'https://other.test', 'resourceMetadata', 'accept'],
    ['they have no issuer in common', [one], [other], 'https://one.test', 'accept', 'resourceMetadata'],
  ])('is refused if %s', (_name, accept, published, issuer, option, missingIn) => {
    expect(make({ accept, resourceMetadata: metadataOf(...published) })).toThrow(
      new TypeError(
        `requireBearer: the issuer ${issuer} is in the option "${option}" but not in the option "${missingIn}"; pass the same verifiers to requireBearer and resourceMetadata`,
      ),
    );
  });

  it('is refused for a gate without verifiers of access tokens', () => {
    expect(make({ accept: [liveKeys()], resourceMetadata: metadataOf(one) })).toThrow(
      new TypeError(
        'requireBearer: option "accept" has no verifier for access tokens; add one, such as accessTokens()',
      ),
    );
  });
});

describe('a gate', () => {
  it('is named by all credentials that it accepts', () => {
    const gate = requireBearer({ accept: [liveKeys('secret', 'public'), DECLINING] });
    expect(gateMetadataOf(gate)?.name).toBe(
      'requireBearer for live secret keys, live public keys, credentials checked by a custom verifier',
    );
  });

  it('can be extended, as instrumentation does', () => {
    expect(Object.isExtensible(requireBearer({ accept: [DECLINING] }))).toBe(true);
  });

  it('is not affected by later changes of its options', async () => {
    const accept: CredentialVerifier[] = [DECLINING];
    const options = { accept, optional: false };
    const gate = requireBearer(options);
    accept.unshift(acceptingVerifier(keyPrincipal()));
    options.optional = true;
    expect((await pass(bearing('abc'), gate)).passed).toBe(false);
    expect((await pass(requestOf(), gate)).passed).toBe(false);
  });
});
