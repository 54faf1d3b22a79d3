import { describe, expect, it } from '@jest/globals';
import { requireApi, requireBearer } from 'keyward';
import { gateMetadataOf } from '../../../lib/express/gate/gate-type.js';
import { DECLINING } from '../../support/stub-verifier.js';

describe('gateMetadataOf', () => {
  it('reads the metadata of a gate', () => {
    const gate = requireBearer({
      accept: [{ ...DECLINING, kinds: ['access'] }],
      realm: 'pay',
      optional: true,
      allowSchemeless: true,
      resourceMetadata: 'https://api.test/m',
    });
    const facts = gateMetadataOf(gate);
    expect(facts).toEqual({
      name: 'requireBearer for credentials checked by a custom verifier',
      scopes: [],
      resource: undefined,
      challenge: { realm: 'pay', resourceMetadata: 'https://api.test/m', schemes: ['Bearer'] },
      plainChallenges: expect.objectContaining({
        credential_missing: 'Bearer realm="pay", resource_metadata="https://api.test/m"',
      }),
      kinds: ['access'],
      accept: [expect.objectContaining({ kinds: ['access'] })],
      optional: true,
      allowSchemeless: true,
    });
    for (const part of [facts, facts?.challenge, facts?.plainChallenges, facts?.kinds])
      expect(Object.isFrozen(part)).toBe(true);
  });

  it('reads the gates of another copy of keyward', () => {
    const wrapper = Object.defineProperty(() => {}, Symbol.for('keyward.gate'), { value: { optional: true } });
    expect(gateMetadataOf(wrapper)).toEqual({ optional: true });
  });

  it('does not accept a wrapper with copied properties as a gate', () => {
    const gate = requireBearer({ accept: [DECLINING] });
    const wrapper = Object.assign(() => {}, gate);
    expect(gateMetadataOf(wrapper)).toBeUndefined();
    expect(gateMetadataOf(gate)).toBeDefined();
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a function', () => {}],
    ['a guard', requireApi('payments')],
    ['an object', { [Symbol.for('keyward.gate')]: {} }],
  ])('finds none on %s', (_name, handle) => {
    expect(gateMetadataOf(handle)).toBeUndefined();
  });
});
