import { type ApiMap, scopePrefixes } from '../credentials/api-map.js';
import { Interner } from '../credentials/interner.js';
import { freezePrincipal, type KeyPrincipal } from '../credentials/principal.js';
import type { ParsedKeyRecord } from '../credentials/records/key-records.js';
import { withImplied } from '../credentials/scope-hierarchy.js';

/**
 * Interners for values that are equal in many keys, so that each value is in memory only once. `access`: APIs with
 * their scopes. `lists`: lists of channels, and lists of addresses.
 */
export interface PrincipalInterners {
  readonly access: Interner<Pick<KeyPrincipal, 'apis' | 'scopes' | 'listedScopes'>>;
  readonly lists: Interner<readonly string[]>;
}

export function principalInterners(): PrincipalInterners {
  return { access: new Interner(), lists: new Interner() };
}

/** Creates the principal of a key from its record. */
export function keyPrincipalOf(
  record: ParsedKeyRecord,
  apiMap: ApiMap,
  { access, lists }: PrincipalInterners,
): KeyPrincipal {
  const { kind, apis, scopes, channels, metadata, allowedAddresses, limits, acceptedUntil } = record;
  const end = Math.min(record.validity.expiresAt, record.validity.revokedAt);
  const name = JSON.stringify([kind, apis, scopes]);
  const shared = access.get(name) ?? access.intern(name, () => ({ apis, ...scopesOf(record, apiMap) }));
  const principal: KeyPrincipal = {
    kind,
    keyId: record.id,
    account: record.account,
    environment: record.environment,
    apis: shared.apis,
    scopes: shared.scopes,
    channels: channels === 'all' ? channels : lists.intern(JSON.stringify(channels), () => channels),
    platform: record.platform,
    expiresAt: Number.isFinite(end) ? end / 1_000 : undefined,
    keyAcceptedUntil: acceptedUntil === undefined ? undefined : end / 1_000,
  };
  // Each field below is added only if it is set: without these fields, a cached principal takes less memory.
  if (shared.listedScopes !== undefined) Object.assign(principal, { listedScopes: shared.listedScopes });
  if (metadata !== undefined) Object.assign(principal, { metadata });
  if (allowedAddresses !== undefined) {
    Object.assign(principal, {
      allowedAddresses: lists.intern(JSON.stringify(allowedAddresses), () => allowedAddresses),
    });
  }
  if (limits !== undefined) Object.assign(principal, { limits });
  if (apiMap !== scopePrefixes) Object.assign(principal, { apiMap });
  return freezePrincipal(principal);
}

/**
 * Returns the scopes of a key. If the record has no list of scopes, a secret key has all scopes of its APIs, and a
 * public key has none. Otherwise, the key has the scopes of the list and the scopes that they imply. Scopes that belong
 * to none of its APIs are left out; if they are in the list, they imply nothing.
 */
function scopesOf(
  { kind, apis, scopes }: ParsedKeyRecord,
  apiMap: ApiMap,
): Pick<KeyPrincipal, 'scopes' | 'listedScopes'> {
  if (scopes === undefined) return { scopes: kind === 'secret' ? 'all' : Object.freeze([]) };
  const isIncluded = (scope: string) => apis === 'all' || apiMap.apisOf(scope).some((api) => apis.includes(api));
  const held = Object.freeze(withImplied(scopes.filter(isIncluded), apiMap).filter(isIncluded));
  const listed = apiMap.implied && held.filter((scope) => scopes.includes(scope));
  return { scopes: held, listedScopes: listed && listed.length < held.length ? listed : undefined };
}
