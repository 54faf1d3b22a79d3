import { describe, expect, it } from '@jest/globals';
import { formatError } from '../../lib/cli/format-error.js';
import { CliError, EXIT } from '../../lib/cli/io.js';
import { ManagementError } from '../../lib/management/management-error.js';
import { StoreError } from '../../lib/store/store-error.js';

describe('formatError', () => {
  it.each<[string, Error, string, number]>([
    ['an operation that is refused', new ManagementError('forbidden', 'no'), 'forbidden', EXIT.refused],
    ['management without its store', new ManagementError('unavailable', 'no'), 'unavailable', EXIT.unavailable],
    ['the store', new StoreError('store_unavailable', 'no'), 'store_unavailable', EXIT.unavailable],
    ['a mistake in the command', new CliError('no', EXIT.usage), 'usage', EXIT.usage],
  ])('has a code for programs and the exit code of %s', (_what, error, code, exitCode) => {
    expect(formatError(error)).toMatchObject({ code, exitCode });
  });

  it('leaves unexpected errors to be printed with their stack', () => {
    expect(formatError(new TypeError('a fault'))).toBeUndefined();
  });
});
