import { expect, it, jest } from '@jest/globals';
import * as real from '../../../lib/issuer/signing-keys/signing-key.js';
import { openStore } from '../../../lib/store/open-store.js';

let meanwhile: () => Promise<void> = async () => undefined;
jest.unstable_mockModule('../../../lib/issuer/signing-keys/signing-key.js', () => ({
  ...real,
  async makeSigningKey(...args: Parameters<typeof real.makeSigningKey>) {
    await meanwhile();
    return await real.makeSigningKey(...args);
  },
}));
const { transcriptOnDatabase } = await import('../../support/transcript.js');

const keyward = transcriptOnDatabase();

it('signing-keys rotate creates no key if another process has just created one', async () => {
  const encryptionKey = Buffer.alloc(32, 1).toString('base64url');
  meanwhile = async () => {
    const store = await openStore(keyward.url, { encryptionKey });
    await store.addSigningKey(await real.makeSigningKey('ES256', Date.now()), undefined);
    await store.close();
  };
  expect(await keyward.withVariables({ KEYWARD_ENCRYPTION_KEY: encryptionKey }).run('signing-keys', 'rotate')).toMatch(
    /no signing key was created, because the signing keys were changed at the same time; to check whether you still need a new one, run: keyward signing-keys list\n\[exit code 1\]$/,
  );
});
