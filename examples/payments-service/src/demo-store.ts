/** The store of the demo: an SQLite file, or the database that `DATABASE_URL` names. */
import { randomBytes } from 'node:crypto';
import { type CredentialStore, openStore, StoreError } from 'keyward/store';
import { readSecretFile, writeSecretFile } from './secret-file.js';

export interface DemoStore {
  readonly store: CredentialStore;
  /** The path of the store without its extension, from which the names of the demo's other files are made. */
  readonly beside: string;
  /** The sentence that says how to start over with an empty store. */
  readonly startOver: string;
}

const KEY = /^[\w-]{43}=?$/;

export async function openDemoStore(url = 'file:./keyward.db'): Promise<DemoStore> {
  const file = url.startsWith('file:') ? url.slice('file:'.length) : undefined;
  const beside = file?.replace(/\.db$/, '') ?? './keyward';
  const [keyFile, others] = [`${beside}.key`, `${beside}.key ${beside}.demo.json ${beside}.demo.env`];
  const startOver =
    file === undefined
      ? `To start over, use an empty database, and run: rm -f ${others}`
      : `To start over, run: rm -f ${file} ${file}-wal ${file}-shm ${others}`;

  const saved = readSecretFile(keyFile)?.trim();
  if (saved !== undefined && !KEY.test(saved))
    throw new Error(`${keyFile} does not contain an encryption key. ${startOver}`);
  // Signing keys are encrypted in the database, with a key that is not in it. A platform gets this key from its secret manager.
  const encryptionKey = saved ?? randomBytes(32).toString('base64url');
  const store = await openStore(url, { encryptionKey }).catch((error) => {
    if (!(error instanceof StoreError) || error.code !== 'encryption_key') throw error;
    const problem = saved === undefined ? 'does not exist' : 'contains another key';
    throw new Error(
      `The signing keys in the database were encrypted with the key in ${keyFile}, which ${problem}. ${startOver}`,
    );
  });
  if (saved === undefined) writeSecretFile(keyFile, encryptionKey);
  return { store, beside, startOver };
}
