import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { digestOf } from '../../../lib/credentials/digest.js';
import * as real from '../../../lib/store/open-store.js';

let fault: Error | undefined;
jest.unstable_mockModule('../../../lib/store/open-store.js', () => ({
  ...real,
  async openStore(...args: Parameters<typeof real.openStore>) {
    const store = await real.openStore(...args);
    if (fault === undefined) return store;
    return { ...store, repository: { ...store.repository, transact: () => Promise.reject(fault) } };
  },
}));
const { transcriptOnDatabase } = await import('../../support/transcript.js');

const keyward = transcriptOnDatabase();

it('keys import throws a fault of the program as it is, so that it is printed with its stack', async () => {
  await keyward.run('accounts', 'put', 'acme', '--api', 'payments');
  const file = join(keyward.folder, 'keys.csv');
  writeFileSync(file, `digest,kind,apis\n${digestOf('key-1')},secret,payments\n`);
  fault = new TypeError('a fault of the program');
  await expect(keyward.run('keys', 'import', file, '--account', 'acme')).rejects.toBe(fault);
});
