import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createSessionCipher } from '../../../lib/dashboard/sign-in/session-cipher.js';
import { SYMMETRIC_KEY_BYTES } from '../../../lib/options/symmetric-key.js';

const cipher = createSessionCipher(randomBytes(SYMMETRIC_KEY_BYTES), 'https://dashboard.test');
const sessionOf = (member: string) => ({ id: 'id_1', member, account: 'acme', startedAt: 1, seenAt: 2 });

describe('an encrypted session', () => {
  it('is decrypted up to 2,048 characters', async () => {
    const short = sessionOf('m'.repeat(1_200));
    const long = sessionOf('m'.repeat(1_500));
    const texts = [await cipher.encrypt(short), await cipher.encrypt(long)];
    expect(texts.map((text) => text.length > 2_048)).toEqual([false, true]);
    expect(await Promise.all(texts.map((text) => cipher.decrypt(text)))).toEqual([short, undefined]);
  });
});
