/**
 * Imports the API keys of another system by their SHA-256 digests. Clients continue to use the same keys, and the
 * importer does not need the key values.
 */
import type { Clock } from '../../contracts/clock.js';
import { digestOf } from '../../credentials/digest.js';
import type { CredentialStore } from '../../store/credential-store.js';
import { StoreError } from '../../store/store-error.js';
import type { KeyRow, SecretRow } from '../../store/tables.js';
import { toAccountEntitlement } from '../accounts/account-view.js';
import { type AccountEntitlement, checkEntitlement } from '../entitlement.js';
import { readActor, readGiven, readId, readNewKeyId, readTime } from '../fields.js';
import { UNPRINTABLE } from '../invisible-characters.js';
import { invalid, ManagementError, noSuchAccount } from '../management-error.js';
import { mapStoreErrors } from '../map-store-errors.js';
import { retryTransaction } from '../retry-transaction.js';
import { type KeySettings, readNewKey, toKeyEntitlement } from './key-settings.js';
import { newId } from './new-secret.js';

/** One key to import. */
export interface ImportedKey extends Omit<KeySettings, 'expiresAt'> {
  /** SHA-256 of the whole key, in lowercase hex. */
  readonly digest: string;
  /** The id of the key in the table that it comes from. Default: a new id. */
  readonly id?: string | undefined;
  /**
   * A text by which people recognize the key, such as its last characters: 1 to 32 visible characters. Default: the
   * first four characters of `digest`, after an ellipsis.
   */
  readonly hint?: string | undefined;
  /** A time that is not in the future. Default: now. */
  readonly createdAt?: Date | undefined;
  /** When the key expires. Unlike for a new key, the time may be in the past. Default: never. */
  readonly expiresAt?: Date | null | undefined;
}

/** The result of a batch. If any key is refused, no key is imported. */
export interface ImportReport {
  readonly imported: number;
  /**
   * How many keys of the batch the account already had; 0 if a key was refused. They are skipped, so the same batch can be
   * sent again.
   */
  readonly known: number;
  readonly refused: readonly { readonly index: number; readonly message: string }[];
}

/** Imports one batch of at most 1,000 keys. It checks no permission, so only the operator may call it. */
export type ImportKeys = (operator: string, account: string, keys: readonly ImportedKey[]) => Promise<ImportReport>;

const MAX_KEYS = 1_000;
/** Milliseconds by which the clock of the other system may be ahead. */
const CLOCK_DIFFERENCE_MS = 300_000;
const DIGEST = /^[0-9a-f]{64}$/;
const HINT = /^\S{1,32}$/u;

interface Rows {
  readonly key: KeyRow;
  readonly secret: SecretRow;
}

export function importKeysOf(store: CredentialStore, clock: Clock): ImportKeys {
  return async (operator, account, keys) => {
    readActor('operator', operator);
    if (!Array.isArray(keys) || keys.length > MAX_KEYS)
      throw invalid('keys', `expected a list of at most ${MAX_KEYS} keys`);
    readId('account', account);
    let rows: readonly Rows[] = [];
    const imported = retryTransaction(store.repository, async (tx) => {
      // Locked, because otherwise an operator could remove an API of the account between the check and the commit.
      const found = await tx.lockAccount(account);
      if (found === undefined) throw noSuchAccount();
      const now = clock.now();
      const read = readRows(keys, account, toAccountEntitlement(found), operator, now);
      rows = read.rows;
      if (read.refused.length > 0) return { imported: 0, known: 0, refused: read.refused };
      const known = await tx.knownDigests(rows.map(({ secret }) => secret.digest));
      const foreign = foreignTo(account, rows, known);
      if (foreign.length > 0) return { imported: 0, known: 0, refused: foreign };
      const fresh = rows.filter(({ secret }) => !known.has(secret.digest));
      await tx.insertKeys(
        fresh.map(({ key }) => key),
        fresh.map(({ secret }) => secret),
      );
      if (fresh.length === 0) return { imported: 0, known: known.size, refused: [] };
      const after = JSON.stringify({ imported: fresh.length });
      const who = { actor: operator, role: 'operator', origin: null, before: null };
      await tx.audit({ at: now, account, ...who, action: 'key.import', outcome: 'done', subject: null, after });
      tx.notify({ account });
      return { imported: fresh.length, known: known.size, refused: [] };
    });
    return await imported.catch(async (error) => {
      const taken = isConflict(error) ? await takenOf(store, rows) : [];
      if (taken.length === 0) throw error;
      return { imported: 0, known: 0, refused: taken };
    });
  };
}

/** Reads a batch. A key that is not allowed, or that repeats an earlier key of the batch, gets a refusal. */
function readRows(
  keys: readonly ImportedKey[],
  account: string,
  entitlement: AccountEntitlement,
  operator: string,
  now: number,
): { readonly rows: readonly Rows[]; readonly refused: ImportReport['refused'] } {
  const refused: { index: number; message: string }[] = [];
  const rows: Rows[] = [];
  const digests = new Set<string>();
  const ids = new Set<string>();
  for (const [index, given] of keys.entries()) {
    try {
      const row = readRow(given, account, entitlement, operator, now);
      if (digests.has(row.secret.digest)) throw invalid('digest', 'another key in this batch has the same digest');
      if (ids.has(row.key.id)) throw invalid('id', 'another key in this batch has the same ID');
      digests.add(row.secret.digest);
      ids.add(row.key.id);
      rows.push(row);
    } catch (error) {
      if (!(error instanceof ManagementError)) throw error;
      refused.push({ index, message: error.message });
    }
  }
  return { rows, refused };
}

/**
 * Returns a refusal for each digest that is already stored for a key of another account or for an access key. If it was
 * skipped instead, `known` would count a key that the account does not have.
 */
function foreignTo(
  account: string,
  rows: readonly Rows[],
  known: ReadonlyMap<string, Pick<KeyRow, 'account' | 'kind'>>,
): ImportReport['refused'] {
  const refused: { index: number; message: string }[] = [];
  for (const [index, { secret }] of rows.entries()) {
    const owner = known.get(secret.digest);
    if (owner === undefined) continue;
    const reason =
      owner.account !== account
        ? 'this digest already belongs to a key of another account'
        : 'this digest already belongs to an access key';
    if (owner.account !== account || owner.kind === 'access') {
      refused.push({ index, message: invalid('digest', reason).message });
    }
  }
  return refused;
}

function isConflict(error: unknown): boolean {
  return error instanceof ManagementError && error.cause instanceof StoreError && error.cause.code === 'store_conflict';
}

/**
 * Returns a refusal for each key whose id another stored key already has. It is called only after the database has
 * reported a conflict.
 */
async function takenOf({ repository }: CredentialStore, rows: readonly Rows[]): Promise<ImportReport['refused']> {
  const refused: { index: number; message: string }[] = [];
  for (const [index, { key, secret }] of rows.entries()) {
    const found = await mapStoreErrors(() => repository.key(key.id));
    if (found === undefined || found.secrets.some(({ digest }) => digest === secret.digest)) continue;
    refused.push({ index, message: invalid('id', 'another key already has this ID').message });
  }
  return refused;
}

function readRow(
  given: ImportedKey,
  account: string,
  entitlement: AccountEntitlement,
  operator: string,
  now: number,
): Rows {
  const { digest, id, hint, createdAt, expiresAt, ...settings } = readGiven(given, FIELDS);
  if (typeof digest !== 'string' || !DIGEST.test(digest))
    throw invalid('digest', 'expected the SHA-256 digest of the key in lowercase hex');
  if (hint !== undefined && (typeof hint !== 'string' || !HINT.test(hint) || UNPRINTABLE.test(hint)))
    throw invalid('hint', 'expected 1 to 32 visible characters without spaces');
  const texts = Object.entries({ id, hint, name: settings.name });
  const metadata = Object.values(Object(settings.metadata)).map((text) => ['metadata', text] as const);
  for (const [field, text] of [...texts, ...metadata]) {
    if (typeof text === 'string' && digestOf(text) === digest)
      throw invalid(field, 'this value is the key itself, which must not be stored; change the value or omit it');
  }
  const { kind, environment, columns } = readNewKey(settings, now);
  checkEntitlement(toKeyEntitlement(columns), entitlement);
  const key = {
    ...{ id: id === undefined ? newId(kind) : readNewKeyId('id', id), kind, account, environment, ...columns },
    // A time in the past is allowed, because an imported key may already have expired.
    expires_at: readTime('expiresAt', expiresAt),
    created_at: readCreation(createdAt, now),
    created_by: operator,
    ...{ revoked_at: null, disabled_at: null, tokens_not_before: null, require_confirmation: null },
    ...{ version: 1, used_at: 0 },
  };
  const secret = {
    ...{ digest, key_id: key.id, hint: hint ?? `\u2026${digest.slice(0, 4)}`, public_text: null },
    ...{ created_at: key.created_at, retires_at: null, ended_at: null, last_used_at: null, last_used_from: null },
  };
  return { key, secret };
}

function readCreation(createdAt: unknown, now: number): number {
  const time = readTime('createdAt', createdAt) ?? now;
  if (time > now + CLOCK_DIFFERENCE_MS) throw invalid('createdAt', 'the time is in the future');
  return time;
}

const FIELDS = [
  ...['digest', 'id', 'hint', 'createdAt', 'expiresAt', 'kind', 'environment', 'name', 'apis', 'scopes', 'channels'],
  ...['platform', 'metadata', 'allowedAddresses', 'limits'],
];
