import { describe, expect, it } from '@jest/globals';
import { requireApi, requireBearer } from 'keyward';
import { GATE, gateFactsOf } from '../../lib/express/gate.js';
import { DECLINING } from '../support/stub-verifier.js';

describe('gateFactsOf', () => {
  it('reads what a gate says of itself', () => {
    const gate = requireBearer({
      accept: [{ ...DECLINING, kinds: ['access'] }],
      realm: 'pay',
      optional: true,
      bareKeys: true,
      resourceMetadata: 'https://api.test/m',
    });
    const facts = gateFactsOf(gate);
    expect(facts).toEqual({
      challenge: { realm: 'pay', resourceMetadata: 'https://api.test/m' },
      plainChallenges: expect.objectContaining({
        credential_missing: 'Bearer realm="pay", resource_metadata="https://api.test/m"',
      }),
      kinds: ['access'],
      optional: true,
      bareKeys: true,
    });
    for (const part of [facts, facts?.challenge, facts?.plainChallenges, facts?.kinds])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it('reads the gates of another copy of keyward', () => {
    expect(GATE).toBe(Symbol.for('keyward.gate'));
  });

  it('does not take a wrapper for a gate onto which the properties of one were copied', () => {
    const gate = requireBearer({ accept: [DECLINING] });
    const wrapper = Object.assign(() => {}, gate);
    expect(gateFactsOf(wrapper)).toBeUndefined();
    expect(gateFactsOf(gate)).toBeDefined();
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a function', () => {}],
    ['a guard', requireApi('payments')],
    ['an object', { [GATE]: {} }],
  ])('finds none on %s', (_name, handle) => {
    expect(gateFactsOf(handle)).toBeUndefined();
  });
});
