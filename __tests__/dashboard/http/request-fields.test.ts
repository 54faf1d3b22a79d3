import { describe, expect, it } from '@jest/globals';
import { HttpError } from '../../../lib/dashboard/http/http-error.js';
import { Fields } from '../../../lib/dashboard/http/request-fields.js';

const COUNT = 2_000;
const PAIRS = Array.from({ length: COUNT }, (_, i) => ['apis', `api_${i}`] as const);

/** Counts the elements of arrays that are read one after the other while `work` runs, as a copy of an array does. */
function elementsReadBy(work: () => void): number {
  const iterator = Object.getPrototypeOf([].values());
  const { next } = iterator;
  let count = 0;
  iterator.next = function step(this: unknown) {
    count += 1;
    return next.call(this);
  };
  try {
    work();
  } finally {
    iterator.next = next;
  }
  return count;
}

describe('the fields of a form', () => {
  it('have all values of a repeated field, in order', () => {
    const fields = new Fields([...PAIRS, ['apis', ''], ['apis', 'api_0']], ['apis']);
    expect(fields.all('apis')).toEqual(PAIRS.map(([, value]) => value));
    expect(fields.has('apis')).toBe(true);
  });

  it('are read with a number of steps that is proportional to the number of values', () => {
    expect(elementsReadBy(() => [...PAIRS])).toBeGreaterThan(COUNT);
    const steps = elementsReadBy(() => {
      const fields = new Fields(PAIRS, ['apis']);
      expect(() => fields.one('apis')).toThrow(HttpError);
      fields.all('apis');
    });
    expect(steps).toBeLessThan(20 * COUNT);
  });

  it.each([
    ['a', '', 'The field "a" was sent more than once.'],
    ['', '', 'The field "a" was sent more than once.'],
  ])('refuse a field with the values %j and %j if it must have one', (first, second, message) => {
    const fields = new Fields(
      [
        ['a', first],
        ['a', second],
      ],
      ['a'],
    );
    expect(() => fields.one('a')).toThrow(message);
  });
});
