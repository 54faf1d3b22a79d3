import { describe, expect, it } from '@jest/globals';
import { CliError, EXIT, readErrorOf } from '../../lib/cli/cli-error.js';

describe('an error of a command', () => {
  it('has a name, a code and an exit code', () => {
    const error = new CliError('not done');
    expect(error).toMatchObject({ name: 'CliError', message: 'not done', code: 'command_failed', exitCode: 1 });
    expect(new CliError('wrong', EXIT.usage).exitCode).toBe(2);
  });

  it('ends with one of five exit codes', () => {
    expect(EXIT).toEqual({ done: 0, refused: 1, usage: 2, unavailable: 3, outputLost: 4 });
  });
});

describe('a file that cannot be read', () => {
  const failure = (code: unknown, message = '') => Object.assign(new Error(message), { code });

  it.each([
    [failure('ERR_FS_FILE_TOO_LARGE'), 'a.csv is too large'],
    [failure('ERR_STRING_TOO_LONG'), 'a.csv is too large'],
    [failure('ENOENT', "ENOENT: no such file, open 'a.csv'"), 'a.csv does not exist'],
    [failure('EISDIR', 'EISDIR: illegal operation, read'), 'a.csv is a folder; expected a file'],
    [failure('EACCES', "EACCES: permission denied, open '/etc/shadow'"), 'a.csv cannot be read: permission denied'],
    [failure('EIO', 'EIO: i/o error, read'), 'a.csv cannot be read: i/o error'],
    [failure('E2BIG', 'E2BIG: a list, too long'), 'a.csv cannot be read: a list, too long'],
    [failure('EACCES', "EACCES: denied, open 'a\nb, c'"), 'a.csv cannot be read: denied'],
    [failure('EPERM', 'EPERM: not, open, permitted'), 'a.csv cannot be read: not, open'],
    [failure('EPERM', 'not permitted: EPERM: X'), 'a.csv cannot be read: not permitted: X'],
  ])('is named: %s', (error, expected) => {
    const readable = readErrorOf('a.csv', error);
    expect(readable).toBeInstanceOf(CliError);
    expect(readable).toMatchObject({ message: expected, exitCode: EXIT.usage });
  });

  it.each([
    failure(undefined, 'a bug'),
    failure('ERR_INVALID_ARG_TYPE', 'a bug'),
    failure('XENOENT'),
    failure('EACCESx'),
    failure('E'),
    failure('eacces'),
  ])('is not the reason of another error: %p', (error) => {
    expect(readErrorOf('a.csv', error)).toBe(error);
  });
});
