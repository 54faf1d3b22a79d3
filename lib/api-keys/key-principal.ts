import { Interner } from '../cache/interner.js';
import { type ApiMap, scopePrefixes } from '../credentials/api-map.js';
import { type KeyPrincipal, sealPrincipal } from '../credentials/principal.js';
import type { KeyFacts } from '../credentials/records/record.js';
import { withImplied } from '../credentials/scope-hierarchy.js';

/** Values that many keys have in common, stored once. */
export interface SharedKeyFacts {
  readonly reaches: Interner<Pick<KeyPrincipal, 'apis' | 'scopes'>>;
  readonly lists: Interner<readonly string[]>;
}

export function sharedKeyFacts(): SharedKeyFacts {
  return { reaches: new Interner(), lists: new Interner() };
}

/** Makes the principal of a key from its record. */
export function keyPrincipalOf(facts: KeyFacts, apiMap: ApiMap, { reaches, lists }: SharedKeyFacts): KeyPrincipal {
  const { kind, apis, scopes, channels, metadata, allowedAddresses, limits, acceptedUntil } = facts;
  const end = Math.min(facts.validity.expiresAt, facts.validity.revokedAt);
  const name = JSON.stringify([kind, apis, scopes]);
  const reach = reaches.get(name) ?? reaches.intern(name, () => ({ apis, scopes: scopesOf(facts, apiMap) }));
  const principal: KeyPrincipal = {
    kind,
    keyId: facts.id,
    account: facts.account,
    environment: facts.environment,
    apis: reach.apis,
    scopes: reach.scopes,
    channels: channels === 'all' ? channels : lists.intern(JSON.stringify(channels), () => channels),
    platform: facts.platform,
    expiresAt: Number.isFinite(end) ? end / 1_000 : undefined,
    keyAcceptedUntil: acceptedUntil === undefined ? undefined : end / 1_000,
  };
  // Few keys have these fields: without them a cached key is smaller.
  if (metadata !== undefined) Object.assign(principal, { metadata });
  if (allowedAddresses !== undefined) {
    Object.assign(principal, {
      allowedAddresses: lists.intern(JSON.stringify(allowedAddresses), () => allowedAddresses),
    });
  }
  if (limits !== undefined) Object.assign(principal, { limits });
  if (apiMap !== scopePrefixes) Object.assign(principal, { apiMap });
  return sealPrincipal(principal);
}

/** A secret key without a list of scopes has every scope of its APIs. A listed scope of another API is ignored. */
function scopesOf({ kind, apis: reach, scopes }: KeyFacts, apis: ApiMap): 'all' | readonly string[] {
  if (scopes === undefined) return kind === 'secret' ? 'all' : Object.freeze([]);
  if (reach === 'all') return Object.freeze(withImplied(scopes, apis));
  const isReached = (scope: string) => apis.apisOf(scope).some((api) => reach.includes(api));
  return Object.freeze(withImplied(scopes.filter(isReached), apis).filter(isReached));
}
