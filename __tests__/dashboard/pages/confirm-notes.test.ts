import { expect, it } from '@jest/globals';
import type { KeyView } from 'keyward/management';
import { accessKey, clientSecret, daysBefore, fixedManagement, publicKeyView, secretKey } from '../fixed-keys.js';
import { contentOf, DEVELOPER, open } from '../whole-page.js';

const pageOf = async (key: KeyView, address: string) =>
  contentOf(await open({ management: fixedManagement({ keys: [key] }) }, address));
const ended = (number: number) => clientSecret(number, { state: 'ended', acceptedUntil: daysBefore(1) });
const used = { lastUsedAt: daysBefore(1), lastUsedFrom: '203.0.113.7' };

it('a rotation offers a second client secret beside those that have ended, but not a third one', async () => {
  const offers = async (key: KeyView, path: string) =>
    (await pageOf(key, path)).includes('add a client secret</a> instead');
  const path = '/access-keys/ack_3/rotate/confirm';
  expect(await offers(accessKey({ secrets: [clientSecret(3), ended(2), ended(1)] }), path)).toBe(true);
  expect(await offers(accessKey({ secrets: [clientSecret(3), clientSecret(2)] }), path)).toBe(false);
  expect(await offers(secretKey(), '/keys/key_1/rotate/confirm')).toBe(false);
});

it('deleting a client secret warns only if the other current one was never used', async () => {
  const banner = async (...secrets: KeyView['secrets']) => {
    const path = `/access-keys/ack_3/secrets/delete/confirm?secret=${'3'.repeat(16)}`;
    return /The other client secret .*?(end\d)/.exec(await pageOf(accessKey({ secrets }), path))?.[1];
  };
  expect(await banner(clientSecret(3, used), clientSecret(2))).toBe('end2');
  expect(await banner(clientSecret(2), clientSecret(3, used))).toBe('end2');
  expect(await banner(ended(1), clientSecret(3, used), clientSecret(2, used))).toBeUndefined();
  expect(await banner(ended(1), clientSecret(3, used))).toBeUndefined();
  expect(await banner(clientSecret(3), clientSecret(2))).toBeUndefined();
});

it.each([
  ['/access-keys/ack_3/secrets/confirm', 'Add a client secret'],
  ['/access-keys/ack_3/secrets/delete/confirm?secret=3333333333333333', 'Delete'],
  ['/access-keys/ack_3/public-keys/remove/confirm?kid=kid_1', 'Remove'],
  ['/access-keys/ack_3/revoke-tokens/confirm', 'Revoke all tokens'],
])('%s is a page for Owners, called %s', async (address, title) => {
  const key = accessKey({ secrets: [clientSecret(3)], publicKeys: [publicKeyView('kid_1')] });
  const visit = { management: fixedManagement({ keys: [key] }) };
  expect(contentOf(await open(visit, address))).toMatch(new RegExp(`^200\ntitle: ${title}`));
  const refused = await open({ ...visit, member: DEVELOPER }, address);
  expect(refused.status).toBe(403);
  expect(contentOf(refused)).toContain('You need the Owner role to do this.');
});
