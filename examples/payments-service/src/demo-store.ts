/** Where the keys of the service are: an SQLite file, or what `DATABASE_URL` names. */
import { randomBytes } from 'node:crypto';
import { type CredentialStore, openStore } from 'keyward/store';
import { readSecretFile, writeSecretFile } from './secret-file.js';

export interface DemoStore {
  readonly store: CredentialStore;
  /** Begins the names of files beside it. */
  readonly beside: string;
}

export async function openDemoStore(url = 'file:./keyward.db'): Promise<DemoStore> {
  const beside = url.startsWith('file:') ? url.slice('file:'.length).replace(/\.db$/, '') : './keyward';
  return { beside, store: await openStore(url, { encryptionKey: encryptionKeyIn(`${beside}.key`) }) };
}

/** Signing keys are encrypted at rest; what opens them is not in the database. A platform has it from its secret manager. */
function encryptionKeyIn(path: string): string {
  const kept = readSecretFile(path);
  if (kept !== undefined) return kept.trim();
  const made = randomBytes(32).toString('base64url');
  writeSecretFile(path, made);
  return made;
}
