import { describe, expect, it } from '@jest/globals';
import type { CredentialVerifier } from 'keyward';
import { tokensFor } from '../../../lib/express/resource/accepted-tokens.js';
import { DECLINING } from '../../support/stub-verifier.js';

const RESOURCE = 'https://api.example.com/mcp';
const tokensOf = (issuer: string, audiences = [RESOURCE]): CredentialVerifier => ({
  ...DECLINING,
  tokens: { issuer, audiences },
});
const keys: CredentialVerifier = { ...DECLINING, kinds: ['secret', 'public'] };
const [first, second] = [tokensOf('https://login.example'), tokensOf('http://localhost:8080/tenant')];
const read = (...accept: CredentialVerifier[]) => tokensFor('aFactory', RESOURCE, accept);

describe('the access tokens that are accepted for a resource', () => {
  it('are those of each verifier, in order, without verifiers of keys', () => {
    expect(read(first, keys, second)).toEqual([first.tokens, second.tokens]);
  });

  it('are those that a verifier declares, also if it accepts keys too', () => {
    const both = { ...tokensOf('https://id.example', ['other', RESOURCE]), kinds: ['access', 'secret'] as const };
    expect(read(both)).toEqual([both.tokens]);
  });

  it.each<[string, CredentialVerifier[], string]>([
    [
      'no verifier for access tokens',
      [keys],
      'option "accept" has no verifier for access tokens; add one, such as accessTokens()',
    ],
    [
      'a verifier that declares nothing',
      [first, DECLINING],
      'the verifier "accept[1]" does not declare which access tokens it accepts; set its property "tokens", or ' +
        'set its property "kinds" if it accepts only API keys',
    ],
    [
      'a verifier that declares only that it accepts access tokens',
      [{ ...DECLINING, kinds: ['access'] }],
      'the verifier "accept[0]" does not declare which access tokens it accepts; set its property "tokens", or ' +
        'set its property "kinds" if it accepts only API keys',
    ],
    [
      'an audience that is not the resource',
      [first, tokensOf('https://id.example', [`${RESOURCE}/`])],
      'every access token verifier in "accept" must accept the value of the option "resource" of resourceMetadata() as an ' +
        'audience (RFC 8707 section 2); add this value to the option "audience" of accessTokens()',
    ],
  ])('are an error of the factory: %s', (_name, accept, message) => {
    expect(() => read(...accept)).toThrow(new TypeError(`aFactory: ${message}`));
  });

  it.each([
    ['a name', 'login'],
    ['a query', 'https://id.example/?a=1'],
    ['a fragment', 'https://id.example/#a'],
    ['a scheme that is not http', 'ftp://id.example'],
    ['a scheme before the URL', 'view:https://id.example'],
    ['a host that is none', 'https://['],
  ])('are an error for an issuer with %s', (_name, issuer) => {
    expect(() => read(first, tokensOf(issuer))).toThrow(
      new TypeError(
        'aFactory: the issuer of every access token verifier in "accept" must be an https URL (http only for a loopback host, or with "allowHttp") ' +
          'without a query or fragment (RFC 8414 section 2)',
      ),
    );
  });
});
