import { expect, it } from '@jest/globals';
import { actionTitle, infinitiveOf, verbOf } from '../../../lib/dashboard/components/audit-action-labels.js';
import { auditEntries } from '../../../lib/dashboard/components/audit-entries.js';
import { START } from '../../support/manual-clock.js';
import { auditEntry } from '../fixed-keys.js';

/** The changes that an entry shows, without markup. */
function changesIn(before: object | null, after: object, action = 'key.edit'): readonly string[] {
  const { text } = auditEntries([auditEntry({ action, before, after })], START, {});
  const [list = ''] = /<ul class="changes">.*<\/ul>/s.exec(text) ?? [];
  return [...list.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) => item.replaceAll(/<[^>]*>/g, ''));
}

it('an entry shows settings and secrets that changed together', () => {
  const secret = { hint: 'x7Gk', state: 'current', acceptedUntil: null };
  expect(changesIn({ name: 'Till', secrets: [] }, { name: 'Desk', secrets: [secret] })).toEqual([
    'name: Till &rarr; Desk',
    'secret added: x7Gk',
  ]);
});

it('only an expiration at midnight is the end of a day', () => {
  const midnight = '2027-01-31T00:00:00.000Z';
  expect(changesIn(null, { expiresAt: midnight, tokensNotBefore: midnight })).toEqual([
    'expires: End of 30 Jan 2027, UTC',
    'tokens last revoked: 31 Jan 2027, 00:00 UTC',
  ]);
});

it('a name that contains a time stays as it is', () => {
  for (const name of ['2027-01-31T00:00:00.000Z, Till', 'Till, 2027-01-31T00:00:00.000Z'])
    expect(changesIn(null, { name })).toEqual([`name: ${name}`]);
});

it('rate limits are separated by commas', () => {
  const limits = [
    { requests: 10, seconds: 1 },
    { requests: 100, seconds: 60 },
  ];
  expect(changesIn(null, { limits })).toEqual(['rate limits: 10/1s, 100/1m']);
});

it('an operation without a label is named as it is recorded', () => {
  expect([actionTitle, verbOf, infinitiveOf].map((label) => label('key.polish'))).toEqual(Array(3).fill('key.polish'));
});

it('the sentence of an edit says that a key was disabled, and its changes do not repeat it', () => {
  expect(changesIn(null, { disabled: true })).toEqual([]);
  expect(changesIn(null, { disabled: true }, 'account.disable')).toEqual(['disabled: true']);
});
