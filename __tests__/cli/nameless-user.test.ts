import * as os from 'node:os';
import { expect, it, jest } from '@jest/globals';
import type { Io } from '../../lib/cli/io.js';

jest.unstable_mockModule('node:os', () => ({
  ...os,
  userInfo() {
    throw Object.assign(new Error('uv_os_get_passwd'), { code: 'ERR_SYSTEM_ERROR' });
  },
}));
const { withStore } = await import('../../lib/cli/with-store.js');

it('a user without a name, as in a container, is named by a number', async () => {
  const operator = await withStore({ env: {} } as Io, { database: 'memory:' }, async (session) => session.operator);
  expect(operator).toBe(`cli:uid-${process.getuid?.()}`);
});
