import { describe, expect, it } from '@jest/globals';
import type { CredentialVerifier } from 'keyward';
import { kindsOf, proofAlgorithmsOf, readAccept, schemesOf } from '../../lib/express/accepted-verifiers.js';
import { Options } from '../../lib/options/options.js';
import { answering } from '../support/stub-verifier.js';

const verifier = (facts: Partial<CredentialVerifier> = {}) => answering({ outcome: 'declined' }, facts);
const read = (accept: unknown) => readAccept(new Options('factory', { accept }, ['accept']));

describe('the option accept', () => {
  it('is copied and frozen', () => {
    const accept = [verifier(), verifier({ claimsRest: true })];
    const verifiers = read(accept);
    expect(verifiers).toEqual(accept);
    expect([verifiers === accept, Object.isFrozen(verifiers)]).toEqual([false, true]);
  });

  it.each<[string, unknown, string]>([
    [
      'nothing',
      undefined,
      'option "accept" must be a list of one or more verifiers, such as accessTokens() and apiKeys(), got undefined',
    ],
    [
      'one verifier',
      verifier(),
      'option "accept" must be a list of one or more verifiers, such as accessTokens() and apiKeys(), got an object',
    ],
    [
      'no verifiers',
      [],
      'option "accept" must be a list of one or more verifiers, such as accessTokens() and apiKeys(), got an empty array',
    ],
    [
      'null in the list',
      [verifier(), null],
      'option "accept[1]" must be a verifier, such as the result of accessTokens() or apiKeys(), got null',
    ],
    [
      'a list with a hole',
      Array(1),
      'option "accept[0]" must be a verifier, such as the result of accessTokens() or apiKeys(), got undefined',
    ],
    [
      'an object without verify()',
      [{}],
      'option "accept[0]" must be a verifier, such as the result of accessTokens() or apiKeys(), got an object',
    ],
    [
      'a verifier of all credentials before another',
      [verifier(), verifier({ claimsRest: true }), verifier()],
      'option "accept[1]" handles every credential, so it must be the last verifier in "accept"',
    ],
  ])('is refused: %s', (_name, accept, message) => {
    expect(() => read(accept)).toThrow(new TypeError(`factory: ${message}`));
  });

  const claiming = (of: unknown, what: string) => verifier({ claims: [{ of, what }] });
  it('has no two verifiers for the same credentials', () => {
    const issuer = {};
    expect(() => read([claiming(issuer, 'tokens'), verifier(), claiming(issuer, 'tokens')])).toThrow(
      new TypeError('factory: two verifiers in "accept" are for the same credentials: tokens; remove one of them'),
    );
    expect(read([claiming(issuer, 'tokens'), claiming({}, 'tokens'), claiming(issuer, 'keys')])).toHaveLength(3);
  });
});

describe('the kinds', () => {
  it('are those of all verifiers, each once', () => {
    const kinds = kindsOf([verifier({ kinds: ['secret', 'access'] }), verifier({ kinds: ['access', 'public'] })]);
    expect(kinds).toEqual(['secret', 'access', 'public']);
    expect(Object.isFrozen(kinds)).toBe(true);
  });

  it('are not known if a verifier does not name its own', () => {
    expect(kindsOf([verifier({ kinds: ['secret'] }), verifier()])).toBeUndefined();
  });
});

describe('the schemes', () => {
  const dpop = (required: boolean) => ({ dpop: { algorithms: ['ES256'], required } });
  const mtls = (required: boolean) => ({ mtls: { required } });

  it.each<[string, CredentialVerifier['confirmation'][], readonly string[]]>([
    ['a verifier of Bearer tokens', [undefined], ['Bearer']],
    ['one with certificates', [mtls(true)], ['Bearer']],
    ['one with proofs', [dpop(false)], ['Bearer', 'DPoP']],
    ['one that requires proofs', [dpop(true)], ['DPoP']],
    ['one that requires a proof or a certificate', [{ ...dpop(true), ...mtls(true) }], ['Bearer', 'DPoP']],
    ['one that requires proofs and accepts certificates', [{ ...dpop(true), ...mtls(false) }], ['DPoP']],
    ['one that requires proofs, and one of Bearer tokens', [dpop(true), undefined], ['Bearer', 'DPoP']],
  ])('of %s', (_name, confirmations, expected) => {
    const schemes = schemesOf(confirmations.map((confirmation) => verifier({ confirmation })));
    expect([schemes, Object.isFrozen(schemes)]).toEqual([expected, true]);
  });
});

describe('the algorithms of proofs', () => {
  const signing = (...algorithms: readonly string[]) =>
    verifier({ confirmation: { dpop: { algorithms, required: false } } });

  it('are those of all verifiers, each once', () => {
    const algorithms = proofAlgorithmsOf([verifier(), signing('ES256', 'EdDSA'), signing('RS256', 'ES256')]);
    expect([algorithms, Object.isFrozen(algorithms)]).toEqual([['ES256', 'EdDSA', 'RS256'], true]);
  });

  it('are absent if no verifier checks proofs', () => {
    expect(proofAlgorithmsOf([verifier(), verifier({ confirmation: { mtls: { required: true } } })])).toBeUndefined();
  });
});
