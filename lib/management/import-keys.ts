/** Keys of an old table, by their digests: their holders keep them, and nobody sees them. */
import { types } from 'node:util';
import type { Clock } from '../contracts/clock.js';
import { digestOf } from '../credentials/digest.js';
import type { CredentialStore } from '../store/credential-store.js';
import { StoreError } from '../store/store-error.js';
import type { KeyRow, SecretRow } from '../store/tables.js';
import { accountReachOf } from './account-view.js';
import { readGiven, readId, readText } from './fields.js';
import { type KeySettings, reachOf, readNewKey } from './key-settings.js';
import { invalid, ManagementError, noSuchAccount } from './management-error.js';
import { mintId } from './minted.js';
import { type AccountReach, checkReach } from './reach.js';
import { reached, transactOn } from './reached.js';

/** One key of an old table. */
export interface ImportedKey extends Omit<KeySettings, 'expiresAt'> {
  /** SHA-256 of the whole key, in lower-case hex. */
  readonly digest: string;
  /** Its id in the old table; a new one. */
  readonly id?: string | undefined;
  /** What people may know it by, such as its last characters. */
  readonly hint?: string | undefined;
  readonly createdAt?: Date | undefined;
  readonly expiresAt?: Date | null | undefined;
}

/** What became of a batch. Where a key of it was refused, none was imported. */
export interface ImportReport {
  readonly imported: number;
  /** Those that were there before: a batch may be sent again. */
  readonly known: number;
  readonly refused: readonly { readonly index: number; readonly message: string }[];
}

/** Imports one batch, of 1,000 keys at most, for the operator. */
export type ImportKeys = (operator: string, account: string, keys: readonly ImportedKey[]) => Promise<ImportReport>;

const MOST = 1_000;
const DIGEST = /^[0-9a-f]{64}$/;
const HINT = /^\S{1,32}$/;

interface Rows {
  readonly key: KeyRow;
  readonly secret: SecretRow;
}

export function importKeysOf(store: CredentialStore, clock: Clock): ImportKeys {
  return async (operator, account, keys) => {
    readText('operator', operator);
    if (!Array.isArray(keys) || keys.length > MOST) throw invalid('keys', `expected a list of at most ${MOST}`);
    readId('account', account);
    const found = await reached(() => store.ledger.account(account));
    if (found === undefined) throw noSuchAccount();
    const now = clock.now();
    const refused: { index: number; message: string }[] = [];
    const rows: Rows[] = [];
    const digests = new Set<string>();
    const ids = new Set<string>();
    for (const [index, given] of keys.entries()) {
      try {
        const row = readRow(given, account, accountReachOf(found), operator, now);
        if (digests.has(row.secret.digest)) throw invalid('digest', 'stands twice in this batch');
        if (ids.has(row.key.id)) throw invalid('id', 'stands twice in this batch');
        digests.add(row.secret.digest);
        ids.add(row.key.id);
        rows.push(row);
      } catch (error) {
        if (!(error instanceof ManagementError)) throw error;
        refused.push({ index, message: error.message });
      }
    }
    if (refused.length > 0) return { imported: 0, known: 0, refused };

    const imported = transactOn(store.ledger, async (tx) => {
      const known = await tx.knownDigests([...digests]);
      const fresh = rows.filter(({ secret }) => !known.has(secret.digest));
      await tx.insertKeys(
        fresh.map(({ key }) => key),
        fresh.map(({ secret }) => secret),
      );
      const after = JSON.stringify({ imported: fresh.length });
      const who = { actor: operator, role: 'operator', origin: null, before: null };
      await tx.audit({ at: now, account, ...who, action: 'key.import', outcome: 'done', subject: null, after });
      if (fresh.length > 0) tx.tell({ account });
      return { imported: fresh.length, known: known.size, refused };
    });
    return await imported.catch(async (error) => {
      const taken = isConflict(error) ? await takenOf(store, rows) : [];
      if (taken.length === 0) throw error;
      return { imported: 0, known: 0, refused: taken };
    });
  };
}

function isConflict(error: unknown): boolean {
  return error instanceof ManagementError && error.cause instanceof StoreError && error.cause.code === 'store_conflict';
}

/** Whose ids are other keys' already: looked for where the database has found one. */
async function takenOf({ ledger }: CredentialStore, rows: readonly Rows[]): Promise<ImportReport['refused']> {
  const refused: { index: number; message: string }[] = [];
  for (const [index, { key, secret }] of rows.entries()) {
    const found = await reached(() => ledger.key(key.id));
    if (found === undefined || found.secrets.some(({ digest }) => digest === secret.digest)) continue;
    refused.push({ index, message: invalid('id', 'is that of another key').message });
  }
  return refused;
}

function readRow(given: ImportedKey, account: string, reach: AccountReach, operator: string, now: number): Rows {
  const { digest, id, hint, createdAt, expiresAt, ...settings } = readGiven(given, FIELDS);
  if (typeof digest !== 'string' || !DIGEST.test(digest)) throw invalid('digest', 'expected SHA-256 in lower-case hex');
  if (hint !== undefined && (typeof hint !== 'string' || !HINT.test(hint)))
    throw invalid('hint', 'expected 1 to 32 characters');
  for (const [field, text] of Object.entries({ id, hint, name: settings.name })) {
    if (typeof text === 'string' && digestOf(text) === digest)
      throw invalid(field, 'is the key itself, which is not stored');
  }
  const { kind, environment, columns } = readNewKey(settings, now);
  checkReach(reachOf(columns), reach);
  const key = {
    ...{ id: id === undefined ? mintId(kind) : readId('id', id), kind, account, environment, ...columns },
    expires_at: readInstant('expiresAt', expiresAt),
    created_at: readInstant('createdAt', createdAt) ?? now,
    created_by: operator,
    ...{ revoked_at: null, disabled_at: null, tokens_not_before: null, version: 1 },
  };
  const secret = {
    ...{ digest, key_id: key.id, hint: hint ?? `\u2026${digest.slice(0, 4)}`, public_text: null },
    ...{ created_at: key.created_at, retires_at: null, last_used_at: null, last_used_from: null },
  };
  return { key, secret };
}

const FIELDS = [
  ...['digest', 'id', 'hint', 'createdAt', 'expiresAt', 'kind', 'environment', 'name', 'apis', 'scopes', 'channels'],
  'platform',
];

/** An old key may have expired long ago. */
function readInstant(field: string, value: unknown): number | null {
  if (value === undefined || value === null) return null;
  const time = types.isDate(value) ? value.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw invalid(field, 'expected a time');
  return time;
}
