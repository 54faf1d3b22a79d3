import type { CredentialStore } from 'keyward/store';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { onDatabase } from './store-database.js';
import { needAccount } from './store-places.js';

/** A key as it was stored, and the text that it is presented by. */
export interface BulkKey {
  readonly id: string;
  readonly text: string;
}

const AT_ONCE = 1_000;

/** Puts many live secret keys of one account in, past the store: quickly, and with no word to anybody. */
export async function storeKeys(
  store: CredentialStore,
  url: string,
  { account = 'acme', count }: { readonly account?: string; readonly count: number },
): Promise<readonly BulkKey[]> {
  await store.repository.transact((tx) => needAccount(tx, account));
  const keys = Array.from({ length: count }, (_, at) => ({ id: `${account}_${at}`, text: mintKey('secret', 'live') }));
  const statements: string[] = [];
  for (let from = 0; from < count; from += AT_ONCE) {
    const some = keys.slice(from, from + AT_ONCE);
    const rows = some.map(({ id }) => `('${id}', 'secret', '${account}', 'live', '"all"', '"all"', 0, 'bulk', 1)`);
    const secrets = some.map(({ id, text }) => `('${digestOf(text)}', '${id}', 'sk_…', 0)`);
    statements.push(
      `insert into keys (id, kind, account, environment, apis, channels, created_at, created_by, version) values ${rows}`,
      `insert into secrets (digest, key_id, hint, created_at) values ${secrets}`,
    );
  }
  await onDatabase(url, ...statements);
  return keys;
}
