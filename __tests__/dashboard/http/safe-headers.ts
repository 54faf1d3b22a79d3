/** What every answer of the Dashboard says to browsers (OWASP ASVS 3.4). */
import { expect } from '@jest/globals';
import type { Reply } from '../served-dashboard.js';

const POLICY: Readonly<Record<string, readonly string[]>> = {
  'default-src': ["'none'"],
  'script-src': ["'self'"],
  'style-src': ["'self'"],
  'img-src': ["'self'"],
  'connect-src': ["'self'"],
  'form-action': ["'self'"],
  'frame-ancestors': ["'none'"],
  'base-uri': ["'none'"],
  'object-src': ["'none'"],
};

export function expectSafe({ headers }: Pick<Reply, 'headers'>): void {
  const policy = String(headers['content-security-policy'])
    .split('; ')
    .map((part) => part.split(' '));
  expect(Object.fromEntries(policy.map(([name, ...values]) => [name, values]))).toEqual(POLICY);
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  });
}

/** And that nobody keeps it. */
export function expectSafePage(reply: Pick<Reply, 'headers'>): void {
  expectSafe(reply);
  expect(reply.headers['cache-control']).toBe('no-store');
}
