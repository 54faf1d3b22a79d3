/** Changes the secrets of an existing key: rotates, adds and deletes them. */
import type { RepositoryTransaction } from '../../store/repository/repository.js';
import type { KeyRow, SecretRow } from '../../store/tables.js';
import { invalid, ManagementError } from '../management-error.js';
import { secretIdOf } from './key-view.js';
import { newSecret } from './new-secret.js';
import { readKeyId } from './read-key-id.js';

/**
 * The maximum grace period in seconds: 30 days. The comment of `rotate` in create-management.ts names the same limit.
 */
export const MAX_GRACE = 30 * 86_400;
/** The maximum number of client secrets of an access key that are accepted at the same time. */
const MAX_ACCEPTED = 2;
/** The message if an access key would be left without a credential, or only with a secret in its grace period. */
export const LAST_CREDENTIAL =
  'the access key has no other credential, or only an old secret in its grace period; add a client secret or public key first, or revoke the access key';
/** The maximum number of stored secrets of a key, including secrets that have ended. */
const MAX_STORED = 5;

/**
 * Validates a grace period in seconds, and converts it to milliseconds.
 *
 * @throws ManagementError `invalid`
 */
export function readGrace(value: unknown): number {
  if (value === undefined) return 0;
  const isGrace = typeof value === 'number' && value >= 0 && value <= MAX_GRACE;
  if (!isGrace) throw invalid('grace', `expected a number of seconds from 0 to ${MAX_GRACE}`);
  // The time columns of the database contain whole milliseconds.
  return Math.round(value * 1_000);
}

/**
 * Gives a key a new secret. The current secret is accepted until the grace period is over; without a grace period, it
 * ends now. A secret that is in the grace period of an earlier rotation ends now.
 *
 * A secret that ends now is marked as ended in the store, so every process refuses it, even if its clock is wrong. Only
 * the end of a grace period depends on clocks.
 *
 * @throws ManagementError `invalid` if an access key has two current client secrets. Both may be in use, so the member
 *   must first delete one of them.
 */
export async function rotateTo(tx: RepositoryTransaction, key: KeyRow, grace: number, now: number): Promise<string> {
  const secrets = notEnded(await tx.secrets(key.id));
  const [current, other] = secrets.filter(({ retires_at }) => retires_at === null).toReversed();
  if (other !== undefined)
    throw invalid('secrets', 'the access key has two client secrets; delete one before you rotate the key');
  for (const secret of secrets) {
    if (secret === current && grace > 0) await tx.acceptSecretUntil(secret.digest, now + grace);
    else await tx.endSecret(secret.digest, now);
  }
  await prune(tx, await tx.secrets(key.id), now);
  return await add(tx, key, now);
}

/**
 * Adds a client secret to an access key.
 *
 * @throws ManagementError `invalid` if the access key already has two accepted secrets.
 */
export async function addSecretTo(tx: RepositoryTransaction, key: KeyRow, now: number): Promise<string> {
  const secrets = await tx.secrets(key.id);
  if (secrets.filter((secret) => !isOver(secret, now)).length >= MAX_ACCEPTED) {
    throw invalid('secrets', `an access key can have at most ${MAX_ACCEPTED} client secrets; delete one first`);
  }
  await prune(tx, secrets, now);
  return await add(tx, key, now);
}

/**
 * Ends one client secret now.
 *
 * @throws ManagementError `not_found` if there is no such secret; `invalid` if the access key would have no other
 *   credential.
 */
export async function endSecret(tx: RepositoryTransaction, key: KeyRow, secret: unknown, now: number): Promise<void> {
  readKeyId('secret', secret);
  const secrets = notEnded(await tx.secrets(key.id));
  const found = secrets.find((row) => secretIdOf(row) === secret);
  if (found === undefined) throw new ManagementError('not_found', 'the secret was not found');
  const staying = secrets.filter((row) => row !== found && row.retires_at === null);
  if (staying.length === 0 && (await tx.publicKeys(key.id)).length === 0) {
    throw invalid('secret', LAST_CREDENTIAL);
  }
  await tx.endSecret(found.digest, now);
}

/**
 * Ends the grace period of a rotated key now. It does so even if the grace period is over by the clock of this machine:
 * another machine, whose clock is behind, may still accept the old secret.
 *
 * @throws ManagementError `not_found` if the key has no grace period.
 */
export async function endGraceOf(tx: RepositoryTransaction, key: KeyRow, now: number): Promise<void> {
  const inGrace = notEnded(await tx.secrets(key.id)).filter(({ retires_at }) => retires_at !== null);
  if (inGrace.length === 0) throw new ManagementError('not_found', 'the key has no old secret in a grace period');
  for (const { digest } of inGrace) await tx.endSecret(digest, now);
}

async function add(tx: RepositoryTransaction, key: KeyRow, now: number): Promise<string> {
  // The newest secret is the current one. So a new secret needs a later time of creation than all others, even if the
  // clock was set back.
  const later = (await tx.secrets(key.id)).map(({ created_at }) => created_at + 1);
  const { text, row } = newSecret(key.kind, key.environment, key.id, Math.max(now, ...later));
  await tx.insertSecret(row);
  return text;
}

function notEnded(secrets: readonly SecretRow[]): readonly SecretRow[] {
  return secrets.filter(({ ended_at }) => ended_at === null);
}

export function isOver({ ended_at, retires_at }: SecretRow, now: number): boolean {
  return ended_at !== null || (retires_at !== null && retires_at <= now);
}

/**
 * Makes room for a new secret: marks secrets as ended if their grace period is over, and deletes the oldest ended
 * secrets if more than `MAX_STORED` would be stored. The others stay, because a client that still sends a former secret
 * must not be blocked as a brute-force attack. Accepted secrets are never deleted.
 */
async function prune(tx: RepositoryTransaction, secrets: readonly SecretRow[], now: number): Promise<void> {
  const over = secrets.filter((secret) => isOver(secret, now));
  const surplus = over.slice(0, Math.max(0, secrets.length + 1 - MAX_STORED));
  for (const secret of over) {
    if (surplus.includes(secret)) await tx.deleteSecret(secret.digest);
    else if (secret.ended_at === null) await tx.endSecret(secret.digest, now);
  }
}
