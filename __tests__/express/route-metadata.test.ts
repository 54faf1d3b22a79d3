import { describe, expect, it } from '@jest/globals';
import { copiedMarkOf, mark, markOf, ownEndpoint } from '../../lib/express/route-metadata.js';

const VALUE = { name: 'a gate' };

describe('a mark of keyward', () => {
  const marked = mark(() => {}, 'keyward.gate', VALUE);
  const wrapper = Object.assign(() => {}, marked);

  it('is read from the marked function, which stays extensible', () => {
    expect([markOf(marked, 'keyward.gate'), markOf(marked, 'keyward.guard')]).toEqual([VALUE, undefined]);
    expect(Object.isExtensible(marked)).toBe(true);
  });

  it('is copied to a wrapper with the enumerable properties, but is then only a copied mark', () => {
    expect(Object.keys(marked)).toEqual(['keyward.gate']);
    expect([markOf(wrapper, 'keyward.gate'), copiedMarkOf(wrapper, 'keyward.gate')]).toEqual([undefined, VALUE]);
  });

  it('cannot be changed', () => {
    for (const key of ['keyward.gate', Symbol.for('keyward.gate')]) {
      expect(Object.getOwnPropertyDescriptor(marked, key)).toMatchObject({ writable: false, configurable: false });
    }
  });

  it.each([[undefined], [null], ['keyward.gate'], [{ 'keyward.gate': VALUE, [Symbol.for('keyward.gate')]: VALUE }]])(
    'is not read from %p, because only a function can be mounted',
    (value) => {
      expect([markOf(value, 'keyward.gate'), copiedMarkOf(value, 'keyward.gate')]).toEqual([undefined, undefined]);
    },
  );

  it('names an endpoint of keyward', () => {
    const endpoint = ownEndpoint(() => {});
    expect([markOf(endpoint, 'keyward.ownEndpoint'), copiedMarkOf(endpoint, 'keyward.ownEndpoint')]).toEqual([{}, {}]);
  });
});
