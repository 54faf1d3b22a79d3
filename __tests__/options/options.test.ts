import { describe, expect, it } from '@jest/globals';
import { kindOf, namesOf, Options, quotedList } from '../../lib/options/options.js';

const NAMES = ['one', 'two'];
const of = (one: unknown) => new Options('factory', { one }, NAMES);
const NONE = new Options('factory', {}, NAMES);

/** The error for a value of the option "one". */
const got = (value: unknown, expected: string, describe = kindOf) =>
  new TypeError(`factory: option "one" must be ${expected}, got ${describe(value)}`);
const kindOrNumber = (value: unknown) => (typeof value === 'number' ? String(value) : kindOf(value));

describe('new Options', () => {
  it.each([
    [undefined, 'undefined'],
    [null, 'null'],
    ['one', 'a string'],
    ['', 'an empty string'],
    [1, 'a number'],
    [true, 'a boolean'],
    [() => ({}), 'a function'],
    [[], 'an empty array'],
    [[{}], 'an array'],
  ])('refuses %p: not an object of options', (options, kind) => {
    expect(() => new Options('factory', options, NAMES)).toThrow(
      new TypeError(`factory: expected an options object, got ${kind}`),
    );
  });

  it.each([
    ['a misspelling', { one: 1, tow: 2 }, 'tow'],
    ['another case', { One: 1 }, 'One'],
    ['an unknown one that is undefined', { three: undefined }, 'three'],
    ['an empty name', { '': 1 }, ''],
    ['__proto__', JSON.parse('{"__proto__":1}'), '__proto__'],
  ])('refuses an unknown option: %s', (_name, options, unknown) => {
    expect(() => new Options('factory', options, NAMES)).toThrow(
      new TypeError(`factory: unknown option "${unknown}"; the options are one, two`),
    );
  });

  it('names the option that must have an object of options', () => {
    expect(() => new Options('factory: option "inner"', 1, NAMES)).toThrow(
      new TypeError('factory: option "inner" must be an options object, got a number'),
    );
  });

  it('throws TypeErrors', () => {
    expect(() => new Options('factory', undefined, NAMES)).toThrow(TypeError);
    expect(() => new Options('factory', { three: 1 }, NAMES)).toThrow(TypeError);
  });

  it('accepts all options, some and none', () => {
    for (const options of [{ one: 1, two: 2 }, { two: 2 }, {}, Object.create(null)]) {
      expect(new Options('factory', options, NAMES)).toBeInstanceOf(Options);
    }
  });

  it('is not affected by later changes of its argument', () => {
    const given = { one: 1 };
    const options = new Options('factory', given, NAMES);
    given.one = 2;
    expect(options.raw('one')).toBe(1);
  });
});

describe('has and raw', () => {
  it.each([[null], [''], [0], [false], ['text'], [[]]])('%p is given', (value) => {
    expect(of(value).has('one')).toBe(true);
    expect(of(value).raw('one')).toBe(value);
  });

  it('has no option of a polluted Object.prototype', () => {
    Object.defineProperty(Object.prototype, 'one', { value: 1, configurable: true, enumerable: true });
    try {
      const options = new Options('factory', {}, NAMES);
      expect([options.has('one'), options.raw('one'), options.number('one', 5, 0, 9)]).toEqual([false, undefined, 5]);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'one');
    }
  });

  it('undefined counts as not given', () => {
    expect(of(undefined).has('one')).toBe(false);
    expect(NONE.has('one')).toBe(false);
    expect(NONE.raw('one')).toBeUndefined();
  });
});

describe('mistake', () => {
  it('creates the error for an option without throwing it', () => {
    const error = of('secret').mistake('one', 'something else');
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe('factory: option "one" must be something else, got a string');
  });
});

describe('wrongText', () => {
  it.each([
    ['secret', undefined, 'an invalid string'],
    ['secret', 'or leave it out', 'an invalid string; or leave it out'],
    [1, undefined, 'a number'],
    [1, 'or leave it out', 'a number; or leave it out'],
  ])('describes %p with the remedy %p', (value, remedy, described) => {
    const error = of(value).wrongText('one', 'a URL', remedy);
    expect(error.message).toBe(`factory: option "one" must be a URL, got ${described}`);
  });
});

describe('wrongList', () => {
  it.each([
    [['secret'], 'an invalid list'],
    [[], 'an empty array'],
    ['secret', 'a string'],
  ])('describes %j', (value, described) => {
    const error = of(value).wrongList('one', 'a list');
    expect(error.message).toBe(`factory: option "one" must be a list, got ${described}`);
  });
});

describe('text', () => {
  it.each(['a', ' ', 'undefined'])('accepts %j', (value) => {
    expect(of(value).text('one')).toBe(value);
  });

  it.each([[''], [undefined], [null], [1], [['a']], [Object('a')]])('refuses %p', (value) => {
    expect(() => of(value).text('one')).toThrow(got(value, 'a non-empty string'));
  });
});

describe('flag', () => {
  it.each([true, false])('accepts %p with any default', (value) => {
    expect(of(value).flag('one', true)).toBe(value);
    expect(of(value).flag('one', false)).toBe(value);
  });

  it.each([true, false])('returns the default %p if it is not given', (fallback) => {
    expect(NONE.flag('one', fallback)).toBe(fallback);
    expect(of(undefined).flag('one', fallback)).toBe(fallback);
  });

  it.each([[null], [0], [1], ['true'], [''], [{}]])('refuses %p', (value) => {
    expect(() => of(value).flag('one', true)).toThrow(got(value, 'a boolean'));
  });
});

describe('number', () => {
  it.each([3, 3.5, 7])('accepts %d, of 3 to 7', (value) => {
    expect(of(value).number('one', 5, 3, 7)).toBe(value);
  });

  it('accepts 0 as a given number', () => {
    expect(of(0).number('one', 5, 0, 7)).toBe(0);
  });

  it('returns the default if it is not given', () => {
    expect(NONE.number('one', 5, 3, 7)).toBe(5);
    expect(of(undefined).number('one', 5, 3, 7)).toBe(5);
  });

  it.each([
    [2.999_999],
    [7.000_001],
    [-5],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [Number.NEGATIVE_INFINITY],
    ['5'],
    [''],
    [null],
    [5n],
    [Object(5)],
    [[5]],
    [new Date(5)],
  ])('refuses %p, of 3 to 7', (value) => {
    expect(() => of(value).number('one', 5, 3, 7)).toThrow(got(value, 'a number from 3 to 7', kindOrNumber));
  });
});

describe('integer', () => {
  it.each([3, 5, 7])('accepts %d, of 3 to 7', (value) => {
    expect(of(value).integer('one', 4, 3, 7)).toBe(value);
  });

  it('returns the default if it is not given', () => {
    expect(NONE.integer('one', 4, 3, 7)).toBe(4);
  });

  it.each([3.5, 6.999])('refuses %d, which is not a whole number', (value) => {
    expect(() => of(value).integer('one', 4, 3, 7)).toThrow(got(value, 'a whole number from 3 to 7', kindOrNumber));
  });

  it.each([[2], [8], [Number.NaN], ['5'], [null]])('refuses %p, of 3 to 7', (value) => {
    expect(() => of(value).integer('one', 4, 3, 7)).toThrow(got(value, 'a whole number from 3 to 7', kindOrNumber));
  });
});

describe('oneOf', () => {
  it.each(['live', 'sandbox', 'any'] as const)('accepts %s', (value) => {
    expect(of(value).oneOf('one', ['live', 'sandbox', 'any'])).toBe(value);
  });

  it.each([['Live'], ['liv'], [''], [undefined], [null], [0], [['live']], [Object('live')]])('refuses %p', (value) => {
    expect(() => of(value).oneOf('one', ['live', 'sandbox'])).toThrow(
      value === 'Live' || value === 'liv'
        ? new TypeError(`factory: option "one" must be 'live' or 'sandbox', got an invalid string`)
        : got(value, "'live' or 'sandbox'"),
    );
  });
});

describe('method', () => {
  it('accepts a function', () => {
    const value = () => 1;
    expect(of(value).method('one')).toBe(value);
  });

  it.each([[undefined], [null], [{}], ['f'], [[() => 1]]])('refuses %p', (value) => {
    expect(() => of(value).method('one')).toThrow(got(value, 'a function'));
  });
});

describe('object', () => {
  class Inherited {
    now() {
      return 1;
    }
  }

  it.each([
    ['of its own', { now: () => 1 }],
    ['inherited', new Inherited()],
    ['among others', { now: () => 1, later: 2 }],
  ])('accepts an object whose method is %s', (_name, value) => {
    expect(of(value).object<{ now(): number }>('one', ['now'])).toBe(value);
  });

  it('accepts any object if no method is required', () => {
    const value = {};
    expect(of(value).object('one', [])).toBe(value);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'clock'],
    ['a function', () => 1],
    ['an object without the method', {}],
    ['one that is no function', { now: 1, monotonic: () => 1 }],
    ['the first of two alone', { now: () => 1 }],
    ['the second of two alone', { monotonic: () => 1 }],
  ])('refuses %s', (_name, value) => {
    expect(() => of(value).object<{ now(): number; monotonic(): number }>('one', ['now', 'monotonic'])).toThrow(
      got(value, 'an object with now() and monotonic()'),
    );
  });
});

describe('namesOf', () => {
  it.each([[['a']], [['a', 'b']], [['b', 'a', 'a']]])('accepts %j', (values) => {
    const names = namesOf('factory', values);
    expect(names).toEqual(values);
    expect(names).not.toBe(values);
    expect(Object.isFrozen(names)).toBe(true);
  });

  it('accepts allowed names, in the given order', () => {
    expect(namesOf('factory', ['b', 'a'], ['a', 'b', 'c'])).toEqual(['b', 'a']);
  });

  it('refuses an empty list', () => {
    const error = new TypeError('factory: expected one or more values');
    expect(() => namesOf('factory', [])).toThrow(error);
    expect(() => namesOf('factory', [], ['a'])).toThrow(error);
  });

  it.each([[''], [undefined], [null], [1], [['a']], [Object('a')]])('refuses %p, first and last', (value) => {
    const hint = Array.isArray(value) ? '; do not wrap the values in an array' : '';
    const error = new TypeError(`factory: each value must be a non-empty string, got ${kindOf(value)}${hint}`);
    expect(() => namesOf('factory', [value, 'a'])).toThrow(error);
    expect(() => namesOf('factory', ['a', value])).toThrow(error);
  });

  it.each([
    ['c', 'an invalid string'],
    ['A', 'an invalid string'],
    ['', 'an empty string'],
    [undefined, 'undefined'],
    [1, 'a number'],
  ])('refuses %p if others are allowed', (value, kind) => {
    const error = new TypeError(`factory: each value must be 'a' or 'b', got ${kind}`);
    expect(() => namesOf('factory', ['a', value], ['a', 'b'])).toThrow(error);
  });

  it('refuses an empty string even if it is allowed', () => {
    expect(() => namesOf('factory', [''], [''])).toThrow(TypeError);
  });
});

describe('kindOf', () => {
  it.each([
    [null, 'null'],
    [undefined, 'undefined'],
    [[], 'an empty array'],
    [[undefined], 'an array'],
    ['', 'an empty string'],
    ['secret', 'a string'],
    [Number.NaN, 'NaN'],
    [Promise.resolve(), 'a promise'],
    [0, 'a number'],
    [false, 'a boolean'],
    [1n, 'a bigint'],
    [Symbol('s'), 'a symbol'],
    [{}, 'an object'],
    [() => 1, 'a function'],
  ])('describes %p as %s', (value, kind) => {
    expect(kindOf(value)).toBe(kind);
  });
});

describe('quotedList', () => {
  it.each([
    [['a'], "'a'"],
    [['a', 'b'], "'a' or 'b'"],
    [['a', 'b', 'c'], "'a', 'b' or 'c'"],
  ])('of %j', (names, text) => {
    expect(quotedList(names, 'or')).toBe(text);
    expect(quotedList(names, 'and')).toBe(text.replace('or', 'and'));
  });
});
