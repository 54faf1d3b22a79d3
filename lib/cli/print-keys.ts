/**
 * Prints keys for a person: one key with its settings, secrets (without their values) and public keys; the usage of a
 * key; or a table of keys.
 */
import { formatRateLimit } from '../credentials/rate-limit.js';
import type { KeyView } from '../management/keys/key-view.js';
import type { KeyUsage } from '../management/keys/usage.js';
import type { Page } from '../management/pagination.js';
import type { Io } from './io.js';
import { printFields, printLine, printTable, textOfList, textOfTime } from './terminal/output.js';

export function showKey(io: Io, key: KeyView): void {
  printFields(io, {
    id: key.id,
    kind: key.kind,
    state: key.state,
    account: key.account,
    environment: key.environment,
    name: key.name ?? '-',
    ...(key.kind === 'access'
      ? { scopes: textOfList(key.scopes), 'default scopes': textOfList(key.defaultScopes) }
      : {
          apis: textOfList(key.apis),
          scopes: textOfList(key.scopes, key.kind === 'public' ? 'none' : 'every scope of its APIs'),
        }),
    channels: textOfList(key.channels),
    platform: key.platform ?? '-',
    ...(key.allowedAddresses === null ? {} : { 'allowed addresses': textOfList(key.allowedAddresses) }),
    ...(key.limits === null ? {} : { limits: textOfList(key.limits.map(formatRateLimit)) }),
    ...(key.metadata === null
      ? {}
      : {
          metadata: Object.entries(key.metadata)
            .map(([name, value]) => `${name}=${value}`)
            .join(', '),
        }),
    created: `${textOfTime(key.createdAt)} by ${key.createdBy}`,
    expires: textOfTime(key.expiresAt),
    revoked: textOfTime(key.revokedAt),
    version: String(key.version),
    ...(key.requireConfirmation === null
      ? {}
      : { 'token binding': key.requireConfirmation === true ? 'dpop or mtls' : key.requireConfirmation }),
    ...(key.publicKey === null ? {} : { key: key.publicKey }),
  });
  const rows = key.secrets.map(({ id, hint, createdAt, state, acceptedUntil, lastUsedAt, lastUsedFrom }) => [
    ...[
      id,
      hint,
      textOfTime(createdAt),
      state === 'ended' ? 'ended' : textOfTime(acceptedUntil),
      textOfTime(lastUsedAt),
      lastUsedFrom ?? '-',
    ],
  ]);
  printLine(io, '');
  printTable(io, ['SECRET', 'HINT', 'CREATED', 'ACCEPTED UNTIL', 'LAST USED', 'FROM'], rows, 'The key has no secrets.');
  if (key.publicKeys.length === 0) return;
  const publicRows = key.publicKeys.map(({ kid, type, createdAt, lastUsedAt, lastUsedFrom }) => [
    ...[kid, type, textOfTime(createdAt), textOfTime(lastUsedAt), lastUsedFrom ?? '-'],
  ]);
  printLine(io, '');
  printTable(io, ['KID', 'TYPE', 'ADDED', 'LAST USED', 'FROM'], publicRows, '');
}

export function showKeys(io: Io, { items, next }: Page<KeyView>, entitlement: 'APIS' | 'SCOPES'): void {
  const rows = items.map((key) => [
    ...[key.id, key.kind, key.environment, key.state, key.hint, textOfList(key.apis ?? key.scopes)],
    ...[textOfTime(key.lastUsedAt), textOfTime(key.expiresAt), key.name ?? '-'],
  ]);
  const headings = ['ID', 'KIND', 'ENVIRONMENT', 'STATE', 'HINT', entitlement, 'LAST USED', 'EXPIRES', 'NAME'];
  printTable(io, headings, rows, 'There are no matching keys.');
  if (next !== null) printLine(io, `There are more keys. For the next page, add --after ${next}`);
}

/** Prints how many requests per day were made with a key. Days without requests are left out. */
export function showKeyUsage(io: Io, { from, to, accepted, refused, days }: KeyUsage): void {
  const used = days.filter((day) => day.accepted + day.refused > 0);
  const rows = used.map((day) => [day.day, String(day.accepted), String(day.refused)]);
  printTable(io, ['DAY', 'ACCEPTED', 'REFUSED'], rows, `There were no requests from ${from} to ${to}.`);
  if (used.length > 0)
    printLine(io, `${accepted} accepted and ${refused} refused requests from ${from} to ${to} (UTC)`);
}
