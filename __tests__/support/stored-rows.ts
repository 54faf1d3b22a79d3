/** Rows for the store, as management writes them. */
import { randomUUID } from 'node:crypto';
import { digestOf } from '../../lib/credentials/digest.js';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import type { RepositoryTransaction } from '../../lib/store/repository/repository.js';
import type { AccountRow, KeyRow, SecretRow } from '../../lib/store/tables.js';

export function accountRow(traits: Partial<AccountRow> = {}): AccountRow {
  return {
    id: 'acme',
    apis: '"all"',
    scopes: '["payments","payments:refund","disputes"]',
    channels: '"all"',
    platforms: '[]',
    created_at: 0,
    disabled_at: null,
    version: 1,
    ...traits,
  };
}

export function keyRow(traits: Partial<KeyRow> = {}): KeyRow {
  return {
    id: `key_${randomUUID()}`,
    kind: 'secret',
    account: 'acme',
    environment: 'live',
    name: null,
    apis: '"all"',
    scopes: null,
    default_scopes: null,
    channels: '"all"',
    platform: null,
    created_at: 0,
    created_by: 'somebody',
    expires_at: null,
    revoked_at: null,
    disabled_at: null,
    tokens_not_before: null,
    metadata: null,
    allowed_addresses: null,
    limits: null,
    require_confirmation: null,
    version: 1,
    used_at: 0,
    ...traits,
  };
}

export function secretRow(key: string, text: string, traits: Partial<SecretRow> = {}): SecretRow {
  return {
    digest: digestOf(text),
    key_id: key,
    hint: `${text.slice(0, 3)}…${text.slice(-4)}`,
    public_text: null,
    created_at: 0,
    retires_at: null,
    ended_at: null,
    last_used_at: null,
    last_used_from: null,
    ...traits,
  };
}

/** Adds a key with one secret, and says so; returns its text. */
export async function addKey(
  tx: RepositoryTransaction,
  traits: Partial<KeyRow> = {},
): Promise<{ id: string; text: string }> {
  const row = keyRow(traits);
  const text = mintKey(row.kind === 'public' ? 'public' : 'secret', row.environment);
  await tx.insertKey(row, [secretRow(row.id, text, row.kind === 'public' ? { public_text: text } : {})]);
  tx.notify(row.kind === 'access' ? { accessKey: row.id } : { key: row.id });
  return { id: row.id, text };
}
