import { expect, it, jest } from '@jest/globals';
import { isLinkToken, OneTimeLinks } from '../../../lib/dashboard/sign-in/one-time-links.js';
import { createManualClock } from '../../support/manual-clock.js';

const TOKEN = 'A'.repeat(43);

it('a token of a link has 43 characters of base64url, and nothing around them', () => {
  expect(isLinkToken(TOKEN)).toBe(true);
  for (const other of [`${TOKEN}A`, `.${TOKEN}`, `${TOKEN}.`, TOKEN.slice(1), [TOKEN], undefined, null])
    expect(isLinkToken(other)).toBe(false);
});

it('an unknown token starts no session', async () => {
  const links = new OneTimeLinks(1_000, createManualClock());
  links.issue('kim');
  const start = jest.fn<() => Promise<string>>();
  await expect(links.redeem(TOKEN, 'form', start)).resolves.toBeUndefined();
  expect(start).not.toHaveBeenCalled();
  expect(links.find(TOKEN)).toBeUndefined();
});
