import { expect, it } from '@jest/globals';
import { fixedManagement } from '../fixed-keys.js';
import { open } from '../whole-page.js';

it('a complete secret in the filter of the audit log is shortened', async () => {
  const found = await open(
    { management: fixedManagement() },
    '/audit?actor=kim&subject=sk_live_51Habc0123456789ABCDEFGH',
  );
  expect([found.status, found.headers.Location]).toEqual([303, '/dash/audit?actor=kim&subject=EFGH&done=shortened']);
});
