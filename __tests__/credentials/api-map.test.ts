import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ApiMap, apiMap, scopePrefixes } from '../../lib/credentials/api-map.js';
import { law } from '../support/law.js';

const untyped = apiMap as (scopesByApi: unknown) => ApiMap;

describe('scopePrefixes', () => {
  it.each([
    ['payments', ['payments']],
    ['payments:refund', ['payments']],
    ['payments:refund:all', ['payments']],
    ['payments:', ['payments']],
    ['Payments', ['Payments']],
    ['gateway.payment', ['gateway.payment']],
    [':x', ['']],
    ['__proto__:x', ['__proto__']],
  ])('maps %s to %j', (scope, apis) => {
    expect(scopePrefixes.apisOf(scope)).toEqual(apis);
  });

  law('names the text before the first colon, whatever stands behind it', () => {
    const api = fc.string({ minLength: 1 }).filter((text) => !text.includes(':'));
    return fc.property(api, fc.string(), (name, rest) => {
      expect(scopePrefixes.apisOf(`${name}:${rest}`)).toEqual([name]);
      expect(scopePrefixes.apisOf(name)).toEqual([name]);
    });
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(scopePrefixes)).toBe(true);
  });
});

describe('apiMap', () => {
  const map = apiMap({
    payments: ['gateway', 'gateway:payment'],
    disputes: ['gateway', 'disputes:view'],
    toString: ['vault'],
  });

  it.each([
    ['gateway', ['payments', 'disputes']],
    ['gateway:payment', ['payments']],
    ['disputes:view', ['disputes']],
    ['vault', ['toString']],
    ['payments', []],
    ['payments:refund', []],
    ['gateway:payment:x', []],
    ['Gateway', []],
    ['', []],
    ['toString', []],
    ['constructor', []],
    ['__proto__', []],
  ])('maps %j to %j', (scope, apis) => {
    expect(map.apisOf(scope)).toEqual(apis);
  });

  it('returns an API once if it lists a scope twice', () => {
    expect(apiMap({ payments: ['gateway', 'gateway'] }).apisOf('gateway')).toEqual(['payments']);
  });

  it('accepts an API called __proto__', () => {
    expect(untyped(JSON.parse('{"__proto__":["a"]}')).apisOf('a')).toEqual(['__proto__']);
  });

  it('is not affected by later changes of its argument', () => {
    const payments = ['gateway'];
    const kept = apiMap({ payments });
    payments.push('vault');
    expect(kept.apisOf('vault')).toEqual([]);
  });

  it('cannot be changed', () => {
    expect(Object.isFrozen(map)).toBe(true);
  });

  it.each([[undefined], [null], ['payments'], [1], [() => ({})], [['payments']], [[]]])(
    'refuses %p, which is not an object',
    (value) => {
      expect(() => untyped(value)).toThrow(
        new TypeError('apiMap: expected an object that lists the scopes of each API'),
      );
    },
  );

  it.each([[{}], [new Map([['payments', ['a']]])]])('refuses %p, which names no API', (value) => {
    expect(() => untyped(value)).toThrow(new TypeError('apiMap: expected an object with at least one API'));
  });

  it('refuses an API without a name', () => {
    expect(() => apiMap({ payments: ['a'], '': ['b'] })).toThrow(
      new TypeError('apiMap: the name of an API must not be empty'),
    );
  });

  it.each([
    [[]],
    [['a', '']],
    [Array(1)],
    [['a b']],
    [['a"']],
    [[1]],
    ['gateway'],
    [null],
    [undefined],
    [{ 0: 'a', length: 1 }],
  ])('refuses an API whose scopes are %j', (scopes) => {
    expect(() => untyped({ disputes: ['a'], payments: scopes })).toThrow(
      new TypeError(
        'apiMap: API "payments" must list one or more scopes that consist of ASCII characters other than spaces, double quotes and backslashes (RFC 6749 section 3.3)',
      ),
    );
  });
});

it('names itself in the error for an unknown option', () => {
  expect(() => apiMap({ files: ['files:read'] }, { imply: {} } as never)).toThrow(/^apiMap: .*"imply"/);
});
