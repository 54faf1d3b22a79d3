/** Where the keys of the service are: an SQLite file, or what `DATABASE_URL` names. */
import { randomBytes } from 'node:crypto';
import { type CredentialStore, openStore, StoreError } from 'keyward/store';
import { readSecretFile, writeSecretFile } from './secret-file.js';

export interface DemoStore {
  readonly store: CredentialStore;
  /** Begins the names of files beside it. */
  readonly beside: string;
  /** How one begins anew, in a sentence. */
  readonly toBeginAnew: string;
}

const KEY = /^[\w-]{43}=?$/;

export async function openDemoStore(url = 'file:./keyward.db'): Promise<DemoStore> {
  const file = url.startsWith('file:') ? url.slice('file:'.length) : undefined;
  const beside = file?.replace(/\.db$/, '') ?? './keyward';
  const [keyFile, others] = [`${beside}.key`, `${beside}.key ${beside}.demo.json ${beside}.demo.env`];
  const toBeginAnew =
    file === undefined
      ? `To begin anew: take an empty database, and rm -f ${others}`
      : `To begin anew: rm -f ${file} ${file}-wal ${file}-shm ${others}`;

  const kept = readSecretFile(keyFile)?.trim();
  if (kept !== undefined && !KEY.test(kept)) throw new Error(`${keyFile} holds no key. ${toBeginAnew}`);
  // Signing keys are encrypted at rest; what opens them is not in the database. A platform has it from its secret manager.
  const encryptionKey = kept ?? randomBytes(32).toString('base64url');
  const store = await openStore(url, { encryptionKey }).catch((error) => {
    if (!(error instanceof StoreError) || error.code !== 'encryption_key') throw error;
    const what = kept === undefined ? 'is not there' : 'is another';
    throw new Error(
      `The signing keys in the database are encrypted, and ${keyFile}, which opens them, ${what}. ${toBeginAnew}`,
    );
  });
  if (kept === undefined) writeSecretFile(keyFile, encryptionKey);
  return { store, beside, toBeginAnew };
}
