/** Rows → the records that verifiers and the issuer ask for. A key never holds more than its account has. */
import type { AccessKeyRecord, KeyRecord } from '../credentials/record.js';
import { common, listOf, namesOf } from './stored-lists.js';
import type { KeyRow, SecretRow } from './tables.js';

/** A key with the secret that was presented, and its account. */
export type FoundKey = KeyRow &
  Pick<SecretRow, 'retires_at'> & {
    readonly account_apis: string;
    readonly account_scopes: string;
    readonly account_channels: string;
    readonly account_disabled_at: number | null;
  };

export type FoundAccessKey = Omit<FoundKey, 'retires_at'> & {
  readonly secrets: readonly Pick<SecretRow, 'digest' | 'retires_at'>[];
};

export function keyRecordOf(found: FoundKey): KeyRecord {
  const { kind } = found;
  if (kind === 'access') throw new TypeError('an access key is no API key');
  return {
    ...commonOf(found),
    kind,
    apis: common(listOf(found.apis ?? '[]'), listOf(found.account_apis)),
    scopes: found.scopes === null ? null : heldOf(found.scopes, found.account_scopes),
    expiresAt: dateOf(found.expires_at),
    retiresAt: dateOf(found.retires_at),
  };
}

export function accessKeyRecordOf(found: FoundAccessKey): AccessKeyRecord {
  return {
    ...commonOf(found),
    secrets: found.secrets.map(({ digest, retires_at }) => ({ digest, expiresAt: dateOf(retires_at) })),
    scopes: heldOf(found.scopes ?? '[]', found.account_scopes),
    defaultScopes: heldOf(found.default_scopes ?? '[]', found.account_scopes),
    tokensNotBefore: dateOf(found.tokens_not_before),
    expiresAt: dateOf(found.expires_at),
  };
}

function commonOf(found: Omit<FoundKey, 'retires_at'>) {
  const channels = listOf(found.channels);
  const held = common(channels, listOf(found.account_channels));
  // A record with a platform and without its one channel breaks a rule. The key is of no use: nothing is wrong.
  const isStranded = found.platform !== null && held.length === 0;
  return {
    id: found.id,
    account: found.account,
    environment: found.environment,
    channels: isStranded ? channels : held,
    platform: found.platform,
    createdAt: new Date(found.created_at),
    // The row is the fact, not its time: that was told by the clock of whoever wrote it, which may be ahead of ours.
    revokedAt: found.revoked_at === null ? null : new Date(0),
    disabled: found.disabled_at !== null || found.account_disabled_at !== null || isStranded,
    name: found.name,
  };
}

function heldOf(scopes: string, ofAccount: string): readonly string[] {
  const held = common(namesOf(scopes), namesOf(ofAccount));
  return held === 'all' ? [] : held;
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}
