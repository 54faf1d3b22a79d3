import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formDecode, queryCarries, readForm, withoutEmpty } from '../../lib/protocol/form.js';
import { anyCharacter } from '../support/any-character.js';
import { law } from '../support/law.js';

/** Any text, with more in it than chance would put there of what a form encodes. */
const text = fc.string({
  unit: fc.oneof(fc.constantFrom(...' +%&=;é🔑'), anyCharacter),
  maxLength: 12,
});

describe('queryCarries', () => {
  it.each([
    '/?access_token=x',
    '/payments?access_token=x',
    '?access_token=x',
    '/?access_token=',
    '/?access_token',
    '/?a=1&access_token=x',
    '/?access_token=x&access_token=y',
    '/?a=?&access_token=x',
    '/?%61ccess_token=x',
    '/?access%5Ftoken=x',
    '/?access%5ftoken',
    '/?a=%zz&access_token=x',
    'http://api.test/?access_token=x',
    '/?access_token[]=x',
    '/?access_token[a]=x',
    '/?access_token%5B%5D=x',
    '/?[access_token]=x',
    '/?[access_token][a]=x',
  ])('finds the parameter in %s', (target) => {
    expect(queryCarries(target, 'access_token')).toBe(true);
  });

  it.each([
    undefined,
    '',
    '/',
    '/?',
    '*',
    'access_token=x',
    '/access_token=x',
    '/access_token',
    '/?a=access_token',
    '/?a=1&b=access_token%20',
    '/?xaccess_token=x',
    '/?xaccess_token[',
    '/?x[access_token]=x',
    '/?[access_token=x',
    '/?access_tokenx=x',
    '/?Access_Token=x',
    '/?access-token=x',
    '/?access_token%20=x',
    '/?access%255Ftoken=x',
    '/?a=%61ccess_token',
    '/?a=%26access_token%3Dx',
    '/?a=x;access_token=x',
  ])('does not find the parameter in %s', (target) => {
    expect(queryCarries(target, 'access_token')).toBe(false);
  });

  it('searches exactly the given name', () => {
    expect(queryCarries('/?token=x', 'token')).toBe(true);
    expect(queryCarries('/?token=x', 'access_token')).toBe(false);
  });

  law('sees a name in whatever way its characters are escaped', () => {
    const name = [...'access_token'];
    return fc.property(
      fc.array(fc.boolean(), { minLength: name.length, maxLength: name.length }),
      text,
      (escaped, value) => {
        const written = name.map((c, i) => (escaped[i] ? `%${c.charCodeAt(0).toString(16)}` : c)).join('');
        expect(queryCarries(`/?a=${encodeURIComponent(value)}&${written}=x`, 'access_token')).toBe(true);
      },
    );
  });
});

describe('readForm', () => {
  it.each([
    ['', []],
    ['&&', []],
    ['grant_type=client_credentials', [['grant_type', 'client_credentials']]],
    [
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['&a=1&', [['a', '1']]],
    ['a=1=2', [['a', '1=2']]],
    ['a=1+2%203', [['a', '1 2 3']]],
    ['a+b=1', [['a b', '1']]],
    ['%61=%C3%A9', [['a', 'é']]],
    ['=1', [['', '1']]],
    ['scope=', []],
    ['scope', []],
    ['scope=&a=1', [['a', '1']]],
    [
      '__proto__=1&constructor=2',
      [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    ],
    [
      'scope[]=a&scope[x]=b',
      [
        ['scope[]', 'a'],
        ['scope[x]', 'b'],
      ],
    ],
  ])('reads %j', (body, parameters) => {
    expect([...(readForm(body) ?? [['refused', '']])]).toEqual(parameters);
  });

  it.each([
    ['the same value twice', 'a=1&a=1'],
    ['two values', 'a=1&b=2&a=3'],
    ['one of them empty, first', 'a=&a=1'],
    ['one of them empty, last', 'a=1&a'],
    ['both empty', 'a&a='],
    ['one of them escaped', 'a=1&%61=2'],
  ])('refuses a repeated parameter: %s', (_name, body) => {
    expect(readForm(body)).toBeUndefined();
  });

  it.each(['a=%zz', 'a=%', 'a=%4', '%=1', 'a=%ff', 'a=%C3', 'a=%ED%A0%80', '%zz'])(
    'refuses the invalid encoding %j',
    (body) => {
      expect(readForm(body)).toBeUndefined();
    },
  );

  law('reads what a form writes', () => {
    const entries = fc.uniqueArray(fc.tuple(text, text.filter(Boolean)), { selector: ([name]) => name, maxLength: 5 });
    return fc.property(entries, (pairs) => {
      expect([...(readForm(new URLSearchParams(pairs).toString()) ?? [['refused', '']])]).toEqual(pairs);
    });
  });
});

describe('withoutEmpty', () => {
  it('removes parameters without a value, and keeps the order of the others', () => {
    const kept = withoutEmpty([
      ['b', '1'],
      ['scope', ''],
      ['a', ' '],
    ]);
    expect([...kept]).toEqual([
      ['b', '1'],
      ['a', ' '],
    ]);
  });
});

describe('formDecode', () => {
  it.each([
    ['', ''],
    ['a', 'a'],
    ['+', ' '],
    ['a+b+c', 'a b c'],
    ['%2B', '+'],
    ['%25zz', '%zz'],
    ['%C3%A9', 'é'],
    ['%F0%9F%94%91', '🔑'],
    ['%00', '\u0000'],
  ])('reads %j as %j', (encoded, decoded) => {
    expect(formDecode(encoded)).toBe(decoded);
  });

  it.each(['%', '%4', '%zz', 'a%', '%ff', '%C3', '%C0%80', '%ED%A0%80', '%F4%90%80%80'])('refuses %j', (encoded) => {
    expect(formDecode(encoded)).toBeUndefined();
  });
});
