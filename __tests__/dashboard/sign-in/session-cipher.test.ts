import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { EncryptJWT } from 'jose';
import { createSessionCipher } from '../../../lib/dashboard/sign-in/session-cipher.js';
import { SYMMETRIC_KEY_BYTES } from '../../../lib/options/symmetric-key.js';

const KEY = randomBytes(SYMMETRIC_KEY_BYTES);
const AUDIENCE = 'https://dashboard.test';
const cipher = createSessionCipher(KEY, AUDIENCE);
const sessionOf = (member: string) => ({ id: 'id_1', member, account: 'acme', startedAt: 1, seenAt: 2 });

describe('an encrypted session', () => {
  it('is decrypted up to 2,048 characters', async () => {
    const sessions = Array.from({ length: 40 }, (_, index) => sessionOf('m'.repeat(1_330 + index)));
    const texts = await Promise.all(sessions.map((session) => cipher.encrypt(session)));
    expect(texts.map(({ length }) => length)).toEqual(expect.arrayContaining([2_048, 2_049]));
    const decrypted = await Promise.all(texts.map((text) => cipher.decrypt(text)));
    expect(decrypted).toEqual(
      sessions.map((session, index) => (Number(texts[index]?.length) > 2_048 ? undefined : session)),
    );
  });

  it.each<[string, object]>([
    ['as it is', {}],
    ['without an ID', { jti: undefined }],
    ['without a member', { sub: undefined }],
    ['without an account', { account: undefined }],
    ['with an account that is no text', { account: 7 }],
    ['without its start', { startedAt: undefined }],
    ['with a start that is no number', { startedAt: '1' }],
    ['without its last request', { seenAt: undefined }],
    ['with a last request that is no number', { seenAt: '2' }],
  ])('%s, with the same key and audience, is read only if it is complete', async (_what, change) => {
    const whole = { jti: 'id_1', sub: 'kim', aud: AUDIENCE, account: 'acme', startedAt: 1, seenAt: 2 };
    const text = await new EncryptJWT({ ...whole, ...change })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'keyward-session' })
      .encrypt(KEY);
    const isComplete = Object.keys(change).length === 0;
    expect(await cipher.decrypt(text)).toEqual(isComplete ? sessionOf('kim') : undefined);
  });
});
