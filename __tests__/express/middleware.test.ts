import { describe, expect, it } from '@jest/globals';
import { fail } from '../../lib/express/middleware.js';

describe('fail passes a thrown value on', () => {
  const failed = (thrown: unknown) => {
    const told: unknown[] = [];
    fail((error) => told.push(error), thrown);
    return told;
  };

  it.each([
    ['an error', new RangeError('x')],
    ['an object with a status', { status: 418 }],
  ])('%s unchanged', (_name, thrown) => {
    const [told] = failed(thrown);
    expect(told).toBe(thrown);
  });

  it.each([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'object'],
    ['an empty string', '', 'string'],
    ["'route'", 'route', 'string'],
    ["'router'", 'router', 'string'],
    ['false', false, 'boolean'],
  ])('%s as an error that stops a router', (_name, thrown, type) => {
    expect(failed(thrown)).toEqual([new Error(`keyward: a thrown ${type}`)]);
  });
});
