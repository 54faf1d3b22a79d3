import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CliError, EXIT, readErrorOf } from '../../lib/cli/cli-error.js';
import { formatError, outputLost } from '../../lib/cli/format-error.js';
import { RATE_LIMITS_EXPECTED } from '../../lib/credentials/rate-limit.js';
import { ManagementError } from '../../lib/management/management-error.js';
import { MissingPackageError } from '../../lib/store/optional-package.js';
import { StoreError } from '../../lib/store/store-error.js';

const coded = (code: string) => Object.assign(new TypeError('a fault'), { code });

describe('formatError', () => {
  it.each<[string, Error, string, number]>([
    ['an operation that is refused', new ManagementError('forbidden', 'no'), 'forbidden', EXIT.refused],
    ['management without its store', new ManagementError('unavailable', 'no'), 'unavailable', EXIT.unavailable],
    ['the store', new StoreError('store_unavailable', 'no'), 'store_unavailable', EXIT.unavailable],
    ['a mistake in the command', new CliError('no', EXIT.usage), 'usage', EXIT.usage],
  ])('has a code for programs and the exit code of %s', (_what, error, code, exitCode) => {
    expect(formatError(error)).toMatchObject({ code, exitCode });
  });

  it.each<[string, Error, object]>([
    ['a package that is missing', new MissingPackageError('x', 'kysely pg'), { code: 'unavailable', exitCode: 3 }],
    ['a command that is refused', new CliError('no'), { code: 'refused', exitCode: 1 }],
    ['a store that cannot be reached', new CliError('no', EXIT.unavailable), { code: 'unavailable', exitCode: 3 }],
    ['output that is lost', new CliError('no', EXIT.outputLost), { code: 'output_lost', exitCode: 4 }],
    ['a signal', new CliError('no', 143), { code: 'signal', exitCode: 143 }],
    [
      'a file that cannot be read',
      Object.assign(new Error("ENOENT: open 'x'"), { code: 'ENOENT' }),
      { code: 'usage', exitCode: 2, message: "ENOENT: open 'x'" },
    ],
  ])('knows %s', (_what, error, formatted) => {
    expect(formatError(error)).toMatchObject(formatted);
  });

  it('says what to install', () => {
    expect(formatError(new MissingPackageError('x', 'kysely pg'))?.message).toMatch(/npm install kysely pg$/);
  });

  it('says why output was lost, and what was done', () => {
    expect(outputLost(new Error('EPIPE'), '; the key was revoked')).toEqual({
      ...{ code: 'output_lost', exitCode: 4 },
      message: expect.stringMatching(/EPIPE; the key was revoked$/),
    });
    expect(outputLost('a text').message).toMatch(/a text$/);
  });

  it.each([
    ['name', '--name'],
    ['apis', '--api'],
    ['scopes', '--scope'],
    ['defaultScopes', '--default-scope'],
    ['channels', '--channel'],
    ['platform', '--platform'],
    ['platforms', '--platform'],
    ['expiresAt', '--expires'],
    ['metadata', '--metadata'],
    ['allowedAddresses', '--allow-address'],
    ['limits', '--limit'],
    ['requireConfirmation', '--require-confirmation'],
    ['unusedSince', '--unused-since'],
    ['from', '--from'],
    ['to', '--to'],
    ['action', '--action'],
    ['after', '--after'],
    ['text', '--text'],
    ['api', '--api'],
    ['subject', '--subject'],
    ['actor', '--actor'],
    ['account', 'account'],
  ])('names the option of the field %s', (field, option) => {
    const error = new ManagementError('invalid', `${field}: expected another`, field);
    expect(formatError(error)).toEqual({ code: 'invalid', exitCode: 1, message: `${option}: expected another` });
  });

  it.each([
    ['expiresAt', 'a Date from 1970 to 9999', '--expires: expected a date from 1970 to 9999, such as 2027-01-31'],
    ['from', 'a Date', '--from: expected a date, such as 2027-01-31'],
    [
      'limits',
      RATE_LIMITS_EXPECTED,
      '--limit: expected 1 to 8 rate limits such as 100/1m, each with 1 to 1,000,000,000 requests and a duration from 1s to 7d, and no two with the same duration',
    ],
  ])('says what to type for the field %s', (field, expected, message) => {
    const error = new ManagementError('invalid', `${field}: expected ${expected}`, field);
    expect(formatError(error)?.message).toBe(message);
  });

  it.each(['EACCES', 'EBUSY', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'ENOENT', 'ENOTDIR', 'ENXIO', 'EPERM', 'EROFS'])(
    'is a mistake in the command: %s of a file that it names',
    (code) => {
      const error = Object.assign(new Error(`${code}: open 'x'`), { code });
      expect(formatError(error)).toEqual({ code: 'usage', exitCode: 2, message: `${code}: open 'x'` });
    },
  );

  it('is a mistake in the command: a file that Node cannot open', () => {
    const thrownBy = (work: () => unknown): unknown => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    const missing = thrownBy(() => readFileSync('/none/at/all'));
    expect(formatError(missing)).toMatchObject({ exitCode: 2, message: expect.stringContaining("'/none/at/all'") });
    expect(formatError(thrownBy(() => readFileSync('/')))).toMatchObject({ exitCode: 2 });
  });

  it.each<[string, unknown]>([
    ['an error without a code', new TypeError('a fault')],
    ['a wrong argument of a function of Node', coded('ERR_INVALID_ARG_TYPE')],
    ['a failed assertion', coded('ERR_ASSERTION')],
    ['a stream that ended early', coded('ERR_STREAM_PREMATURE_CLOSE')],
    ['an error of a driver', coded('SQLITE_MISUSE')],
    ['an error of a connection', coded('ECONNRESET')],
    ['a file descriptor that is closed', coded('EBADF')],
    ['a code that is a number', Object.assign(new Error('a fault'), { code: 2 })],
    ['a text', 'a fault'],
    ['nothing', undefined],
    ['null', null],
  ])('leaves unexpected errors to be printed with their stack: %s', (_what, error) => {
    expect(formatError(error)).toBeUndefined();
  });
});

describe('an error of reading a file', () => {
  it.each([
    ['ENOENT', "ENOENT: no such file or directory, open 'a.csv'", 'a.csv does not exist'],
    ['EISDIR', 'EISDIR: illegal operation on a directory, read', 'a.csv is a folder; expected a file'],
    ['EACCES', "EACCES: permission denied, open 'a, b.csv'", 'a.csv cannot be read: permission denied'],
    ['ENOTDIR', "ENOTDIR: not a directory, stat 'a.csv/b'", 'a.csv cannot be read: not a directory'],
    ['EIO', 'EIO: i/o error, read', 'a.csv cannot be read: i/o error'],
    ['ERR_FS_FILE_TOO_LARGE', 'File size (3221225472) is greater than 2 GiB', 'a.csv is too large'],
    ['ERR_STRING_TOO_LONG', 'Cannot create a string longer than 0x1fffffe8 characters', 'a.csv is too large'],
  ])('says %s in plain words, and names the file once', (code, message, expected) => {
    const error = readErrorOf('a.csv', Object.assign(new Error(message), { code }));
    expect(formatError(error)).toEqual({ code: 'usage', exitCode: 2, message: expected });
  });

  it('returns any other error as it is', () => {
    for (const error of [new CliError('no'), coded('ERR_ASSERTION'), new Error('a fault')])
      expect(readErrorOf('a.csv', error)).toBe(error);
  });
});
