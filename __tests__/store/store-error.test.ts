import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { SQLSTATE, StoreError, storeErrorOf } from '../../lib/store/store-error.js';

const SECRET = 'sk_hunter2';
const failing = (code: unknown, message = `it holds ${SECRET}`) =>
  Object.assign(new Error(message), { code, detail: `Key (digest)=(${SECRET})`, parameters: [SECRET] });

it('a SQLSTATE has five digits and capital letters, one of them a digit', () => {
  const codes = ['22P02', '08006', 'EPIPE', '22P02X', 'X22P02', '22p02', ''];
  expect(codes.filter((code) => SQLSTATE.test(code))).toEqual(['22P02', '08006']);
});

describe('storeErrorOf', () => {
  it('leaves out a message of a class that only ends like one about the server', () => {
    expect(storeErrorOf(failing('22008')).message).not.toContain(SECRET);
    expect(storeErrorOf(failing('08006', 'no connection')).message).toContain('no connection');
  });

  it.each([
    ['23505', 'store_conflict'],
    ['23503', 'store_conflict'],
    ['23502', 'store_conflict'],
    ['23514', 'store_conflict'],
    ['40001', 'store_conflict'],
    ['40P01', 'store_conflict'],
    ['P0001', 'store_conflict'],
    ['SQLITE_CONSTRAINT_PRIMARYKEY', 'store_conflict'],
    ['SQLITE_CONSTRAINT_TRIGGER', 'store_conflict'],
    ['SQLITE_NOTADB', 'store_unusable'],
    ['SQLITE_CORRUPT_INDEX', 'store_unusable'],
    ['SQLITE_CANTOPEN_ISDIR', 'store_unusable'],
    ['SQLITE_READONLY_DIRECTORY', 'store_unusable'],
    ['SQLITE_BUSY', 'store_unavailable'],
    ['SQLITE_FULL', 'store_unavailable'],
    ['SQLITE_IOERR_WRITE', 'store_unavailable'],
    ['55P03', 'store_unavailable'],
    ['57P01', 'store_unavailable'],
    ['53300', 'store_unavailable'],
    ['22P02', 'store_unavailable'],
    ['42501', 'store_unavailable'],
    ['40003', 'store_unavailable'],
    ['ECONNREFUSED', 'store_unavailable'],
    ['EPIPE', 'store_unavailable'],
  ])('%s is %s', (code, expected) => {
    const error = storeErrorOf(failing(code));
    expect(error).toBeInstanceOf(StoreError);
    expect(error).toMatchObject({ name: 'StoreError', code: expected, driverCode: code });
  });

  it.each(['22P02', '23505', '23514', '0A000', 'P0001', '40001'])('contains nothing of a row: %s', (code) => {
    const error = storeErrorOf(failing(code));
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(SECRET);
    const expected =
      error.code === 'store_conflict'
        ? 'the write violates a constraint of the database or conflicts with another transaction'
        : 'the database operation failed';
    expect(error.message).toBe(`${expected} (${code})`);
    expect(error.cause).toBeUndefined();
  });

  it.each(['57P03', '53300', '28P01', '3D000', '42501', '08006', 'XX000', 'ECONNRESET', 'EPIPE', 'SQLITE_BUSY'])(
    'contains the message of the server, the network or SQLite: %s',
    (code) => {
      expect(storeErrorOf(failing(code, 'what happened')).message).toBe(`what happened (${code})`);
    },
  );

  it('reads incomplete errors as far as possible', () => {
    const bare = (error: unknown) => {
      const { message, driverCode, code } = storeErrorOf(error);
      return [message, driverCode, code];
    };
    expect(bare(new Error('timeout expired'))).toEqual(['timeout expired', '', 'store_unavailable']);
    expect(bare(failing(7, 'odd'))).toEqual(['odd', '', 'store_unavailable']);
    expect(bare(failing('ECONNREFUSED', ''))).toEqual([
      'the database operation failed (ECONNREFUSED)',
      'ECONNREFUSED',
      'store_unavailable',
    ]);
    for (const nothing of [new Error(''), 'text', undefined, null, 7, { code: 7 }]) {
      expect(bare(nothing)).toEqual(['the database operation failed', '', 'store_unavailable']);
    }
  });

  it.each([
    'Could not locate the bindings file. Tried: (list of paths)',
    'The module was compiled against a different Node.js version using\nNODE_MODULE_VERSION 115.',
  ])('says how to build the native code of the driver if it was not built: %s', (message) => {
    const { code, message: given } = storeErrorOf(failing('ERR_DLOPEN_FAILED', message));
    expect([code, given]).toEqual([
      'store_unavailable',
      'better-sqlite3 is not built for this version of Node; run: npm rebuild better-sqlite3',
    ]);
  });

  it('returns a StoreError unchanged', () => {
    const own = new StoreError('encryption_key', 'no key');
    expect(storeErrorOf(own)).toBe(own);
    expect(own).toMatchObject({ name: 'StoreError', code: 'encryption_key', message: 'no key', driverCode: '' });
  });
});
