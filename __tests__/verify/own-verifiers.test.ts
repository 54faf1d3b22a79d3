import { describe, expect, it } from '@jest/globals';
import { isOwnVerifier, ownVerifier } from '../../lib/verify/own-verifiers.js';
import { DECLINING } from '../support/stub-verifier.js';

describe('a verifier of ours', () => {
  const ours = ownVerifier({ ...DECLINING });

  it('is known for one, and can be changed by nobody', () => {
    expect(isOwnVerifier(ours)).toBe(true);
    expect(Object.isFrozen(ours)).toBe(true);
  });

  it.each([
    ['what has the same methods', { ...DECLINING }],
    ['a copy of it', { ...ours }],
    ['what inherits from it', Object.create(ours)],
    ['what is wrapped around it', new Proxy(ours, {})],
  ])('is not %s', (_what, other) => {
    expect(isOwnVerifier(other)).toBe(false);
  });
});
