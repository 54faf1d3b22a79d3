/** New texts for a key that lives on. */
import type { Kind } from '../credentials/kind.js';
import type { LedgerTransaction } from '../store/ledger.js';
import type { KeyRow, SecretRow } from '../store/tables.js';
import { secretIdOf } from './key-view.js';
import { invalid, ManagementError } from './management-error.js';
import { mint } from './minted.js';

/** Seconds: a grace period is 30 days at most. */
const LONGEST_GRACE = 30 * 86_400;
const MOST_LIVE = 2;
/** Texts of an API key that are kept after they retired, so that their use can be told from a stranger's. */
const MOST_KEPT = 5;

/** @returns Milliseconds. @throws ManagementError `invalid` */
export function readGrace(value: unknown): number {
  if (value === undefined) return 0;
  const isGrace = typeof value === 'number' && value >= 0 && value <= LONGEST_GRACE;
  if (!isGrace) throw invalid('grace', `expected seconds, 0 to ${LONGEST_GRACE}`);
  // Columns of times are whole.
  return Math.round(value * 1_000);
}

/**
 * Gives a key a new text. The one before it is taken until its grace ends; one that is in its grace already ends now.
 *
 * @throws ManagementError `invalid` for an access key with two Secrets that stay: somebody uses each.
 */
export async function rollTo(tx: LedgerTransaction, key: KeyRow, grace: number, now: number): Promise<string> {
  const live = liveOf(await tx.secrets(key.id), now);
  const [current, other] = live.filter(({ retires_at }) => retires_at === null).toReversed();
  if (other !== undefined) throw invalid('secrets', 'it has two that stay; delete one first');
  for (const secret of live) await tx.retireSecret(secret.digest, secret === current ? now + grace : now);
  await prune(tx, key.kind, await tx.secrets(key.id), now);
  return await add(tx, key, now);
}

/** @throws ManagementError `invalid` where two are live already. */
export async function addSecretTo(tx: LedgerTransaction, key: KeyRow, now: number): Promise<string> {
  const secrets = await tx.secrets(key.id);
  if (liveOf(secrets, now).length >= MOST_LIVE) {
    throw invalid('secrets', `an access key has at most ${MOST_LIVE}; delete one first`);
  }
  await prune(tx, key.kind, secrets, now);
  return await add(tx, key, now);
}

/** Ends one text now. @throws ManagementError `not_found`; `invalid` for the last one. */
export async function endSecret(tx: LedgerTransaction, key: KeyRow, secret: unknown, now: number): Promise<void> {
  const live = liveOf(await tx.secrets(key.id), now);
  const found = live.find((row) => secretIdOf(row) === secret);
  if (found === undefined) throw new ManagementError('not_found', 'there is no such secret');
  const staying = live.filter((row) => row !== found && row.retires_at === null);
  if (staying.length === 0) throw invalid('secret', 'the last one cannot be deleted; delete the key');
  await tx.retireSecret(found.digest, now);
}

/** Ends the grace of a rolled text now. @throws ManagementError `not_found` where none is in its grace. */
export async function endGraceOf(tx: LedgerTransaction, key: KeyRow, now: number): Promise<void> {
  const inGrace = liveOf(await tx.secrets(key.id), now).filter(({ retires_at }) => retires_at !== null);
  if (inGrace.length === 0) throw new ManagementError('not_found', 'no rolled key is in its grace period');
  for (const { digest } of inGrace) await tx.retireSecret(digest, now);
}

async function add(tx: LedgerTransaction, key: KeyRow, now: number): Promise<string> {
  // The newest is the key's own: two of one millisecond would leave it open which that is.
  const latest = (await tx.secrets(key.id)).at(-1)?.created_at ?? 0;
  const { text, row } = mint(key.kind, key.environment, key.id, Math.max(now, latest + 1));
  await tx.insertSecret(row);
  return text;
}

function liveOf(secrets: readonly SecretRow[], now: number): readonly SecretRow[] {
  return secrets.filter(({ retires_at }) => retires_at === null || retires_at > now);
}

/** An access key's record lists its secrets, two at most; of an API key the latest are kept. */
async function prune(tx: LedgerTransaction, kind: Kind, secrets: readonly SecretRow[], now: number): Promise<void> {
  const retired = secrets.filter(({ retires_at }) => retires_at !== null && retires_at <= now);
  const surplus = kind === 'access' ? retired : retired.slice(0, Math.max(0, secrets.length + 1 - MOST_KEPT));
  for (const { digest } of surplus) await tx.deleteSecret(digest);
}
