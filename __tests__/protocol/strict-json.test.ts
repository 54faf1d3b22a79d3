import { describe, expect, it } from '@jest/globals';
import { own, parseJsonObject } from '../../lib/protocol/strict-json.js';

const parse = (text: string) => parseJsonObject(Buffer.from(text));
const isParsed = (text: string) => parse(text) !== undefined;

describe('parseJsonObject', () => {
  it.each([
    '{}',
    ' {\r\n\t} ',
    '{"alg":"RS256"}',
    '{"a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
    '{"a":"b","b":"a"}',
    '{"a":"a"}',
    '{"a":"a","b":"a"}',
    '{"":1," ":2}',
    '{"a":"\\"b\\":1","b":2}',
    '{"a\\\\":1,"a":2}',
    '{"a\\"":1,"a":2}',
    '{"a":"{[,:","b":"]}"}',
    '{"A":1,"a":2}',
    '{"\\ud800":1,"é":"\\u0000"}',
    '{"a":1e400,"b":-0,"c":[null,true,false]}',
    '{"__proto__":{"b":1},"constructor":2,"toString":3,"hasOwnProperty":4}',
  ])('reads %s as JSON.parse does', (text) => {
    expect(JSON.stringify(parse(text))).toBe(JSON.stringify(JSON.parse(text)));
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['no text', ''],
    ['white space', ' '],
    ['a word', 'abc'],
    ['an object cut short', '{"a":1'],
    ['two objects', '{}{}'],
    ['a trailing comma', '{"a":1,}'],
    ['single quotes', "{'a':1}"],
    ['a comment', '{}//'],
    ['a number of JavaScript alone', '{"a":0x1}'],
    ['a byte-order mark', '\ufeff{}'],
    ['a no-break space', '\u00a0{}'],
    ['a raw newline in a string', '{"a":"\n"}'],
  ])('refuses %s: not JSON', (_name, text) => {
    expect(parse(text)).toBeUndefined();
  });

  it.each(['null', '[]', '[{}]', '""', '"{}"', '0', '1', 'true'])('refuses %s: not an object', (text) => {
    expect(parse(text)).toBeUndefined();
  });

  it.each([
    ['a stray byte', [0xff]],
    ['an overlong zero', [0xc0, 0x80]],
    ['a lone surrogate', [0xed, 0xa0, 0x80]],
    ['a sequence cut short', [0xc3]],
    ['an 8-bit é', [0xe9]],
  ])('refuses bytes that are not UTF-8: %s', (_name, bytes) => {
    expect(parseJsonObject(Buffer.from([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')]))).toBeUndefined();
  });

  it.each([
    '{"a":1,"a":1}',
    '{"a":1,"b":2,"a":3}',
    '{"a" :1,"a":2}',
    '{"a"\t:1,"a"\n:2}',
    '{"a"\r:1,"a":2}',
    '{"":1,"":2}',
    '{"alg":1,"\\u0061lg":2}',
    '{"\\u0061lg":1,"alg":2}',
    '{"\\/":1,"/":2}',
    '{"\\"":1,"\\u0022":2}',
    '{"\\\\":1,"\\u005C":2}',
    '{"é":1,"\\u00e9":2}',
    '{"__proto__":1,"__proto__":2}',
    '{"a":{"b":1,"b":2}}',
    '{"a":[{"b":1},{"b":1,"b":2}]}',
    '{"a":[[{"b":1,"c":[],"b":2}]]}',
    '{"a":{"a":1},"a":2}',
    '{"a":[],"b":{},"a":2}',
  ])('refuses the duplicate name in %s', (text) => {
    expect(() => JSON.parse(text)).not.toThrow();
    expect(parse(text)).toBeUndefined();
  });

  it.each([
    ['lists', (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`],
    ['objects', (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`],
  ])('accepts a depth of at most 32: %s', (_name, nested) => {
    expect(isParsed(nested(32))).toBe(true);
    expect(isParsed(nested(33))).toBe(false);
    expect(isParsed(nested(3_000))).toBe(false);
  });

  it('does not count siblings, or brackets in a string, as depth', () => {
    expect(isParsed(`{"a":[${'[],{},[[]],'.repeat(40)}1],"b":"${'[{'.repeat(40)}"}`)).toBe(true);
  });

  it.each([
    ['members of one object', (count: number) => `{${members(count)}}`],
    ['elements of one list', (count: number) => `{"a":[${elements(count - 1)}]}`],
    ['members of an object within', (count: number) => `{"a":{${members(count - 1)}}}`],
    ['objects in a list', objectsInList],
    ['both, on many levels', (count: number) => `{"a":[[[1,{"b":{"c":[${elements(count - 8)}]}}]]],"d":[]}`],
    ['with white space', (count: number) => `{ "a" :\n[ ${elements(count - 1)} ] }`],
  ])('accepts at most 1,000 members and elements: %s', (_name, text) => {
    expect(isParsed(text(1_000))).toBe(true);
    expect(isParsed(text(1_001))).toBe(false);
  });

  it('does not count anything for empty lists and objects', () => {
    expect(isParsed(`{"a":[${Array(999).fill('[]').join()}],"b":{},"c":[ \r\n\t]}`)).toBe(false);
    expect(isParsed(`{"a":[${Array(997).fill('[ ]').join()}],"b":{\n},"c":[\r\t]}`)).toBe(true);
    expect(isParsed(`{"a":[${Array(999).fill('{}').join()}]}`)).toBe(true);
  });
});

describe('own', () => {
  it('returns an own property with any name', () => {
    const object = parse('{"a":1,"b":null,"__proto__":2,"constructor":3,"toString":4,"hasOwnProperty":5}') ?? {};
    const names = ['a', 'b', '__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    expect(names.map((name) => own(object, name))).toEqual([1, null, 2, 3, 4, 5]);
  });

  it.each(['a', '__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'does not return the inherited %s',
    (name) => {
      expect(own(Object.create({ a: 1 }), name)).toBeUndefined();
      expect(own({}, name)).toBeUndefined();
    },
  );
});

function members(count: number): string {
  return Array.from({ length: count }, (_, index) => `"${index}":0`).join();
}

function elements(count: number): string {
  return Array(count).fill('0').join();
}

function objectsInList(count: number): string {
  const objects = Array(Math.floor((count - 1) / 2)).fill('{"b":1}');
  return `{"a":[${objects.join()}]${count % 2 === 0 ? ',"c":0' : ''}}`;
}
