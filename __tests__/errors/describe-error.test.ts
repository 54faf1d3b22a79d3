import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { describeError, placesOf } from '../../lib/errors/describe-error.js';

const KEY = 'sk_wlj3nsyprj5ipdr2b4nkxzepnmg';

class DatabaseError extends Error {
  override readonly name = 'error';
}

class OddlyNamedError extends Error {}
Object.defineProperty(OddlyNamedError, 'name', { value: 'two words' });

function coded(code: unknown, name?: string): Error {
  return Object.assign(new Error(KEY), name === undefined ? { code } : { code, name });
}

function unreadable(member: string): Error {
  return Object.defineProperty(new Error('x'), member, {
    get() {
      throw new Error('no');
    },
  });
}

describe('describeError', () => {
  it.each<[string, unknown, string]>([
    ['an error', new TypeError(`no table for ${KEY}`), 'TypeError'],
    ['one of another realm', runInNewContext('new RangeError("far")'), 'RangeError'],
    ['one whose name says less than its class', new DatabaseError(KEY), 'DatabaseError'],
    ['one whose name says more than its class', coded('ETIMEDOUT', 'TimeoutError'), 'TimeoutError ETIMEDOUT'],
    ['one whose name is a credential', coded(undefined, KEY), 'Error'],
    ['one whose name starts with a credential', coded(undefined, `${KEY} TypeError`), 'Error'],
    ['one whose name ends with a credential', coded(undefined, `TypeError ${KEY}`), 'Error'],
    ['one of a class whose name is not an identifier', new OddlyNamedError(), 'Error'],
    ['one without a class', Object.setPrototypeOf(new Error(KEY), Object.create(null)), 'Error'],
    ['one without a prototype', Object.setPrototypeOf(new Error(KEY), null), 'Error'],
    ['one of a class without a name', new (class extends Error {})(), 'Error'],
    ['an errno', coded('ECONNREFUSED'), 'Error ECONNREFUSED'],
    ['a SQLSTATE', coded('28P01'), 'Error 28P01'],
    ['a code of OpenSSL', coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'Error UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    ['a code of Node with a digit', coded('ERR_HTTP2_ERROR'), 'Error ERR_HTTP2_ERROR'],
    ['a code of the store', coded('store_unavailable'), 'Error store_unavailable'],
    ['a code that is a number', coded(14), 'Error 14'],
    ['a code that is a credential', coded(KEY), 'Error'],
    ['a code that is a credential in capitals', coded(KEY.toUpperCase()), 'Error'],
    ['a code that is too long', coded(`${'A'.repeat(20)}_`.repeat(3).slice(0, -1)), 'Error'],
    ['a code that is an object', coded({ toString: () => KEY }), 'Error'],
    ['a cause', new Error('a', { cause: coded('ECONNRESET') }), 'Error, caused by Error ECONNRESET'],
    ['a cause that is no error', new Error('a', { cause: KEY }), 'Error'],
    ['a text', KEY, 'a thrown value of type string'],
    ['an object that looks like an error', { name: 'Error', message: KEY }, 'a thrown value of type object'],
    ['nothing', undefined, 'a thrown value of type undefined'],
    ['an error whose name cannot be read', unreadable('name'), 'an error with unreadable properties'],
    ['an error whose code cannot be read', unreadable('code'), 'an error with unreadable properties'],
    ['an error whose cause cannot be read', unreadable('cause'), 'an error with unreadable properties'],
  ])('%s', (_what, thrown, described) => {
    expect(describeError(thrown)).toBe(described);
  });

  it('names at most three causes, and stops if an error is its own cause', () => {
    const error: Error & { cause?: unknown } = new Error('a');
    error.cause = error;
    expect(describeError(error)).toBe(Array(4).fill('Error').join(', caused by '));
  });
});

describe('placesOf', () => {
  it('returns only the places of the stack, innermost first', () => {
    const places = placesOf(new Error(`bad ${KEY}`));
    expect(places[0]).toMatch(/^\/.*describe-error\.test\.ts:\d+:\d+$/);
    expect(places.length).toBeLessThanOrEqual(8);
    expect(places.join()).not.toContain(KEY);
  });

  function stacked(stack: unknown, message: unknown = 'bad'): Error {
    return Object.defineProperties(new Error(), { stack: { value: stack }, message: { value: message } });
  }

  it.each<[string, unknown, readonly string[]]>([
    ['a function', stacked('Error: bad\n    at f (/app/a.js:1:2)'), ['/app/a.js:1:2']],
    ['no function', stacked('Error: bad\n    at file:///app/a.js:1:2'), ['file:///app/a.js:1:2']],
    ['Windows', stacked('Error: bad\n    at f (C:\\my app\\a.js:1:2)'), ['C:\\my app\\a.js:1:2']],
    ['Node', stacked('Error: bad\n    at f (node:net:1:2)'), ['node:net:1:2']],
    ['a name that is data', stacked(`Error: bad\n    at Object.${KEY} (/a.js:1:2)`), ['/a.js:1:2']],
    ['a place without a file', stacked('Error: bad\n    at f (<anonymous>)\n    at /a.js:1:2'), ['/a.js:1:2']],
    ['a query', stacked(`Error: bad\n    at /a.js?${KEY}:1:2`), []],
    ['text after the place', stacked(`Error: bad\n    at /a.js:1:2 ${KEY}`), []],
    ['text before the place', stacked(`Error: bad\n    at ${KEY}    at /a.js:1:2`), []],
    ['a data URL', stacked(`Error: bad\n    at data:text/javascript,${KEY}:1:2`), []],
    [
      'lines of the message',
      stacked(`Error: bad\n    at /${KEY}:1:2\n    at /a.js:1:2`, `bad\n    at /${KEY}:1:2`),
      ['/a.js:1:2'],
    ],
    ['a message that was changed later', stacked(`Error: bad\n    at /${KEY}:1:2`, 'another'), []],
    ['no message', stacked('Error\n    at /a.js:1:2', ''), ['/a.js:1:2']],
    ['nothing after the message', stacked(`    at /${KEY}:1:2`, KEY), []],
    ['a message that is no text', stacked('Error: 7\n    at /a.js:1:2', 7), []],
    ['lines after the places', stacked(`Error: bad\n    at /a.js:1:2\n${KEY}\n    at /${KEY}:1:2`), ['/a.js:1:2']],
    ['a line that is too long', stacked(`Error: bad\n    at ${'f'.repeat(500)} (/a.js:1:2)`), []],
    ['a line of the longest length', stacked(`Error: bad\n    at ${'f'.repeat(481)} (/a.js:1:2)`), ['/a.js:1:2']],
    ['no text', stacked(7), []],
    ['a String object', stacked(Object('Error: bad\n    at /a.js:1:2')), []],
    ['no error', { stack: 'Error: bad\n    at /a.js:1:2', message: 'bad' }, []],
    ['a stack that cannot be read', unreadable('stack'), []],
  ])('%s', (_what, thrown, places) => {
    expect(placesOf(thrown)).toEqual(places);
  });
});
