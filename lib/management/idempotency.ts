/** A creation that is sent again makes nothing again. */

import { digestOf } from '../credentials/digest.js';
import type { LedgerTransaction } from '../store/ledger.js';
import { invalid, ManagementError } from './management-error.js';

/** Milliseconds for which a creation is remembered. */
const REMEMBERED_FOR = 24 * 3_600_000;
const KEY = /^[\x21-\x7E]{1,200}$/;

export interface Creation {
  readonly account: string;
  readonly idempotencyKey: string;
  readonly request: string;
}

/** @throws ManagementError `invalid` for a key that is none. */
export function readCreation(
  account: string,
  idempotencyKey: unknown,
  noun: string,
  settings: unknown,
): Creation | undefined {
  if (idempotencyKey === undefined) return undefined;
  if (typeof idempotencyKey !== 'string' || !KEY.test(idempotencyKey)) {
    throw invalid('idempotencyKey', 'expected 1 to 200 printable characters without a space');
  }
  return { account, idempotencyKey, request: digestOf(textOf([noun, settings])) };
}

/**
 * The key that was made by the same request before; `undefined` for a new one.
 *
 * @throws ManagementError `idempotency_conflict` where the request was another.
 */
export async function madeBefore(
  tx: LedgerTransaction,
  { account, idempotencyKey, request }: Creation,
  now: number,
): Promise<string | undefined> {
  const found = await tx.creation(account, idempotencyKey);
  if (found === undefined || found.at < now - REMEMBERED_FOR) return undefined;
  if (found.request === request) return found.key_id;
  throw new ManagementError('idempotency_conflict', 'this idempotency key was used for another request');
}

export async function rememberCreation(
  tx: LedgerTransaction,
  creation: Creation,
  key: string,
  now: number,
): Promise<void> {
  const { account, idempotencyKey, request } = creation;
  const row = { account, idempotency_key: idempotencyKey, request, key_id: key, at: now };
  await tx.insertCreation(row, now - REMEMBERED_FOR);
}

/** `settings` are not read yet: too deep, or with what JSON has no word for. */
function textOf(settings: unknown): string {
  try {
    return JSON.stringify(settings);
  } catch {
    throw invalid('request', 'expected plain data');
  }
}
