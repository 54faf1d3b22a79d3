import { describe, expect, it } from '@jest/globals';
import { fail } from '../../lib/express/middleware.js';

describe('fail passes a thrown value on', () => {
  const failed = (thrown: unknown) => {
    const reported: unknown[] = [];
    fail((error) => reported.push(error), thrown);
    return reported;
  };

  it.each([
    ['an error', new RangeError('x')],
    ['an object with a status', { status: 418 }],
  ])('%s unchanged', (_name, thrown) => {
    const [reported] = failed(thrown);
    expect(reported).toBe(thrown);
  });

  it.each([
    ['undefined', undefined, 'a value of type undefined'],
    ['null', null, 'null'],
    ['an empty string', '', 'a value of type string'],
    ["'route'", 'route', 'a value of type string'],
    ["'router'", 'router', 'a value of type string'],
    ['false', false, 'a value of type boolean'],
  ])('%s as an error that stops a router', (_name, thrown, what) => {
    expect(failed(thrown)).toEqual([new Error(`keyward: a callback threw ${what}; throw an Error instead`)]);
  });
});
