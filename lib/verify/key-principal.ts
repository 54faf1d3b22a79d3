import type { ApiMap } from '../credentials/api-map.js';
import { type KeyPrincipal, sealPrincipal } from '../credentials/principal.js';
import type { KeyFacts } from '../credentials/record.js';
import type { RepeatedFacts } from './repeated-facts.js';

/** Who presented a key, by the facts of its record. */
export function keyPrincipalOf(facts: KeyFacts, apis: ApiMap, lists: RepeatedFacts<readonly string[]>): KeyPrincipal {
  const end = Math.min(facts.life.expiresAt, facts.life.revokedAt);
  const shared = (list: 'all' | readonly string[]) =>
    list === 'all' ? list : lists.once(JSON.stringify(list), () => list);
  const principal: KeyPrincipal = {
    kind: facts.kind,
    keyId: facts.id,
    account: facts.account,
    environment: facts.environment,
    apis: shared(facts.apis),
    scopes: shared(scopesOf(facts, apis)),
    channels: shared(facts.channels),
    platform: facts.platform,
    expiresAt: Number.isFinite(end) ? end / 1_000 : undefined,
    keyRetiresAt: facts.retiresAt === undefined ? undefined : facts.retiresAt / 1_000,
  };
  return sealPrincipal(principal, apis);
}

/** A secret key without a list holds every scope of its APIs; a listed scope of an API out of reach is no scope held. */
function scopesOf({ kind, apis: reach, scopes }: KeyFacts, apis: ApiMap): 'all' | readonly string[] {
  if (scopes === undefined) return kind === 'secret' ? 'all' : Object.freeze([]);
  if (reach === 'all') return scopes;
  return Object.freeze(scopes.filter((scope) => apis.apisOf(scope).some((api) => reach.includes(api))));
}
