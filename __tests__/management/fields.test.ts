import { describe, expect, it } from '@jest/globals';
import {
  readAllOrIds,
  readEnvironment,
  readFlag,
  readFuture,
  readGiven,
  readId,
  readIds,
  readName,
  readOneOf,
  readScopes,
  readText,
  readTime,
} from '../../lib/management/fields.js';
import { readKeyId, subjectOf } from '../../lib/management/keys/read-key-id.js';

const NOW = 1_800_000_000_000;
const invalid = (field: string) => expect.objectContaining({ status: 400, code: 'invalid', field });
const INHERITED = ['__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'valueOf'];

describe('readGiven', () => {
  it('returns the named fields on an object without a prototype', () => {
    const given = readGiven({ name: 'a', apis: 'all' }, ['name', 'apis', 'scopes']);
    expect({ ...given }).toEqual({ name: 'a', apis: 'all' });
    expect(Object.getPrototypeOf(given)).toBeNull();
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a text', 'name'],
    ['a number', 1],
    ['a list', [{ name: 'a' }]],
    ['a function', () => ({ name: 'a' })],
  ])('refuses %s', (_what, value) => {
    expect(() => readGiven(value, ['name'])).toThrow(invalid('request'));
  });

  it.each([...INHERITED, 'nome', 'NAME', ''])('refuses the field %j and names it', (field) => {
    const value = JSON.parse(`{"name":"a",${JSON.stringify(field)}:{"polluted":true}}`);
    expect(() => readGiven(value, ['name'])).toThrow(invalid(field));
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
  });

  it('refuses a symbol', () => {
    expect(() => readGiven({ [Symbol('name')]: 'a' }, ['name'])).toThrow(invalid('Symbol(name)'));
  });

  it('ignores inherited properties', () => {
    expect(readGiven(Object.create({ name: 'a' }), ['name']).name).toBeUndefined();
  });
});

describe('readText', () => {
  it.each(['a', ' ', 'é\n'])('accepts %j', (text) => expect(readText('text', text)).toBe(text));
  it.each([undefined, null, '', 1, ['a'], 'a\u0000b'])('refuses %j', (value) => {
    expect(() => readText('text', value)).toThrow(invalid('text'));
  });
});

describe('readOneOf', () => {
  it('accepts a listed value', () => expect(readOneOf('kind', 'secret', ['secret', 'public'])).toBe('secret'));
  it.each([undefined, null, '', 'Secret', 'access', ['secret'], 0])(
    'refuses %j, and lists the valid values',
    (value) => {
      const expected = expect.objectContaining({ message: 'kind: expected secret or public', status: 400 });
      expect(() => readOneOf('kind', value, ['secret', 'public'])).toThrow(expected);
    },
  );
  it.each([
    [['access'], 'access'],
    [['active', 'disabled', 'expired', 'revoked'], 'active, disabled, expired or revoked'],
  ])('lists %j as a sentence does', (allowed, listed) => {
    expect(() => readOneOf('kind', '', allowed)).toThrow(`kind: expected ${listed}`);
  });
});

describe('readName', () => {
  it.each([
    ...['Shop', 'Größe 2 / Nr. 7', '支払い', 'x'.repeat(100), '<script>', '👍', '{{7*7}}', '\u28c9\u2813'],
    ...['\u2764\ufe0f', 'Shop \u2600\ufe0f', '1\ufe0f\u20e3'],
  ])('accepts %j', (name) => {
    expect(readName('name', name)).toBe(name);
  });

  it.each([undefined, null, ''])('treats %j as no name', (value) => expect(readName('name', value)).toBeNull());

  it.each([
    ['more than 100 characters', 'x'.repeat(101)],
    ['only spaces', '   '],
    ['a NUL', 'a\u0000'],
    ['a line feed', 'a\nb'],
    ['a turned direction', 'a\u202eb'],
    ['a zero-width space', 'a\u200bb'],
    ['half of a character', 'a\ud800'],
    ['a line separator', 'a\u2028b'],
    ['a combining grapheme joiner', 'prod\u034f'],
    ['a variation selector', 'prod\ufe00'],
    ['an emoji variation selector after a letter', 'prod\ufe0f'],
    ['two emoji variation selectors', '\u2764\ufe0f\ufe0f'],
    ['a supplementary variation selector', 'prod\u{e0100}'],
    ['a Mongolian variation selector', 'prod\u180b'],
    ['a Hangul filler', '\u3164'],
    ['a blank Braille pattern', '\u2800'],
    ['a number', 7],
    ['a list', ['a']],
  ])('refuses %s', (_what, value) => {
    expect(() => readName('name', value)).toThrow(invalid('name'));
  });
});

describe('readId', () => {
  it.each(['payments', 'pc_1', 'a', 'A.b:c-d', '7', 'x'.repeat(64)])('accepts %j', (id) => {
    expect(readId('account', id)).toBe(id);
  });

  it.each(INHERITED)('P15 refuses %s', (id) => expect(() => readId('account', id)).toThrow(invalid('account')));

  it.each(['', 'all', '_a', '.a', 'a b', 'a/b', 'é', 'a\n', "a'", 'x'.repeat(65), null, undefined, 7, ['a'], {}])(
    'refuses %j',
    (value) => expect(() => readId('account', value)).toThrow(invalid('account')),
  );
});

describe('lists', () => {
  const names = Array.from({ length: 100 }, (_, at) => `name_${at}`);

  it('have at most 100 entries', () => {
    expect(readIds('apis', names)).toEqual(names);
    expect(() => readIds('apis', [...names, 'more'])).toThrow(invalid('apis'));
  });

  it('may be empty', () => expect(readIds('apis', [])).toEqual([]));

  it('are copies', () => {
    const given = ['payments'];
    const read = readIds('apis', given);
    given.push('disputes');
    expect(read).toEqual(['payments']);
  });

  it.each([
    ['a text', 'payments'],
    ['an object', { 0: 'payments', length: 1 }],
    ['null', null],
    ['undefined', undefined],
    ['one twice', ['payments', 'payments']],
    ['a list in a list', [['payments']]],
    ['a hole', new Array(1)],
    ["'all' among others", ['payments', 'all']],
  ])('refuse %s', (_what, value) => {
    expect(() => readIds('apis', value)).toThrow(invalid('apis'));
  });

  it("accept 'all'", () => {
    expect(readAllOrIds('apis', 'all')).toBe('all');
    expect(readAllOrIds('apis', ['payments'])).toEqual(['payments']);
    for (const value of ['All', '*', ['all'], null]) {
      expect(() => readAllOrIds('apis', value)).toThrow(invalid('apis'));
    }
  });

  it('of scopes accept scope-tokens', () => {
    const scopes = ['payments:refund', 'https://example.com/read', '!#$'];
    expect(readScopes('scopes', scopes)).toEqual(scopes);
  });

  it.each(['a b', '', '"', '\\', 'é', 'a\t', 7, null])('of scopes refuse %j', (scope) => {
    expect(() => readScopes('scopes', ['payments', scope])).toThrow(invalid('scopes'));
  });
});

describe('readFuture', () => {
  it('accepts a Date after now', () => expect(readFuture('expiresAt', new Date(NOW + 1), NOW)).toBe(NOW + 1));
  it.each([undefined, null])('is absent for %p', (value) => {
    expect(readFuture('expiresAt', value, NOW)).toBeNull();
  });

  it.each([
    ['now', new Date(NOW)],
    ['past', new Date(NOW - 1)],
    ['no date', new Date(Number.NaN)],
    ['a number', NOW + 1],
    ['a text', '2040-01-01'],
    ['something like a Date', { getTime: () => NOW + 1 }],
  ])('refuses %s', (_what, value) => {
    expect(() => readFuture('expiresAt', value, NOW)).toThrow(invalid('expiresAt'));
  });
});

describe('readTime', () => {
  const last = Date.UTC(10_000, 0) - 1;

  it.each([0, last])('accepts %d ms', (time) => expect(readTime('createdAt', new Date(time))).toBe(time));
  it.each([-1, last + 1])('refuses %d ms', (time) => {
    expect(() => readTime('createdAt', new Date(time))).toThrow(invalid('createdAt'));
  });
});

describe('readEnvironment', () => {
  it.each([
    [undefined, 'live'],
    ['live', 'live'],
    ['sandbox', 'sandbox'],
  ])('reads %p as %s', (given, environment) => expect(readEnvironment(given)).toBe(environment));
  it.each([null, '', 'any', 'Live'])('refuses %p', (given) => {
    expect(() => readEnvironment(given)).toThrow(invalid('environment'));
  });
});

describe('readFlag', () => {
  it.each([true, false])('accepts %p', (value) => expect(readFlag('disabled', value)).toBe(value));
  it.each(['true', 1, 0, null, undefined, []])('refuses %p', (value) => {
    expect(() => readFlag('disabled', value)).toThrow(invalid('disabled'));
  });
});

describe('readKeyId and subjectOf', () => {
  it.each(['key_a', '', 'é', 'sk_a'])('%j is looked up', (id) => expect(readKeyId('id', id)).toBe(id));
  it.each([undefined, null, 7, ['key_a'], {}])('%j is not looked up', (id) =>
    expect(readKeyId('id', id)).toBeUndefined(),
  );

  it.each(['key_aaaaaaaaaaaaaaaaaaaaaaaaaa', 'ack_aaaaaaaaaaaaaaaaaaaaaaaaaa'])(
    '%s is written to the audit log',
    (id) => {
      expect(subjectOf(id)).toBe(id);
    },
  );

  it.each([
    ['a secret key', 'sk_wlj3nsyprj5ipdr2b4nkxzepnmg'],
    ['a public key of the sandbox', 'pk_sbox_wlj3nsyprj5ipdr2b4nkxzepnmo'],
    ['a client secret', 'S'.repeat(86)],
    ['an access token', `eyJhbGciOiJFUzI1NiJ9.e30.${'s'.repeat(20)}`],
    ['something long', `key_${'k'.repeat(61)}`],
    ['a list', ['key_a']],
    ['nothing', undefined],
  ])('%s is not written', (_what, id) => expect(subjectOf(id)).toBeUndefined());
});
