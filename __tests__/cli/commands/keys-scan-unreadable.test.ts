import { expect, it, jest } from '@jest/globals';

let unreadable: readonly string[] = [];
jest.unstable_mockModule('../../../lib/cli/scan/scan-folder.js', () => ({
  scanFolder(_folder: string, _pattern: RegExp, onUnreadable: (error: Error) => void) {
    for (const message of unreadable) onUnreadable(new Error(message));
    return [];
  },
}));
const { commandLine } = await import('../../support/command-line.js');

it.each([
  [['a'], 'warning: a\n1 file or folder could not be searched\n'],
  [['a', 'b'], 'warning: a\nwarning: b\n2 files or folders could not be searched\n'],
])('keyward keys scan counts what it cannot read: %j', async (messages, err) => {
  unreadable = messages;
  expect(await commandLine({ url: 'memory:' }).run('keys', 'scan', 'src')).toEqual({ code: 2, out: '', err });
});
