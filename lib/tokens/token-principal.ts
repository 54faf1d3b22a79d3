/** Makes the principal of a verified token from its claims and, if there is one, the record of its access key. */
import { Interner } from '../cache/interner.js';
import type { ApiMap } from '../credentials/api-map.js';
import type { Environment } from '../credentials/environment.js';
import { type AccessPrincipal, freezePrincipal, type TokenPayload } from '../credentials/principal.js';
import type { ParsedAccessKeyRecord } from '../credentials/records/record.js';
import { withImplied } from '../credentials/scope-hierarchy.js';
import type { CompactJws } from '../protocol/compact-jws.js';
import { formatScope } from '../protocol/scope.js';
import { deepFreeze, type JsonObject, own } from '../protocol/strict-json.js';
import type { TokenClaims } from './claims.js';

/** The settings that the principals of all tokens of an issuer have in common. */
export interface PrincipalContext {
  readonly apis: ApiMap;
  readonly environment: Environment | undefined;
  readonly shared: SharedTokenFacts;
}

/** Values that many tokens of an issuer have in common, stored once. */
export interface SharedTokenFacts {
  readonly grants: Interner<Pick<AccessPrincipal, 'scopes' | 'listedScopes' | 'apis'>>;
  readonly texts: Interner<string>;
}

export function sharedTokenFacts(): SharedTokenFacts {
  return { grants: new Interner(), texts: new Interner() };
}

/** Claims whose value is the same in many tokens. */
const SHARED_CLAIMS = ['iss', 'aud', 'scope'];

/**
 * Makes the principal of a token. It has the scopes of the token and those that they imply, except scopes that the
 * access key has lost since then.
 */
export function tokenPrincipal(
  { payload, header }: Pick<CompactJws, 'payload' | 'header'>,
  { clientId, scopes, expiresAt, boundKeys }: TokenClaims,
  accessKey: ParsedAccessKeyRecord | undefined,
  { apis, environment, shared }: PrincipalContext,
): AccessPrincipal {
  const held = withImplied(scopes, apis);
  const assigned = accessKey && withImplied(accessKey.scopes, apis);
  const granted = assigned === undefined ? held : held.filter((scope) => assigned.includes(scope));
  const listed = apis.implied && granted.filter((scope) => isListed(scope, scopes, accessKey));
  const listedScopes = listed && listed.length < granted.length ? listed : undefined;
  // No scope contains a line break, so different pairs of lists never have the same name.
  const name = formatScope(granted) + (listedScopes === undefined ? '' : `\n${formatScope(listedScopes)}`);
  const grant =
    shared.grants.get(name) ??
    shared.grants.intern(name, () => ({
      ...{ scopes: granted, listedScopes },
      apis: [...new Set(granted.flatMap((scope) => apis.apisOf(scope)))],
    }));
  const principal: AccessPrincipal = {
    kind: 'access',
    keyId: clientId,
    clientId,
    account: accessKey?.account,
    environment: accessKey?.environment ?? environment,
    apis: grant.apis,
    scopes: grant.scopes,
    channels: accessKey?.channels ?? 'all',
    platform: accessKey?.platform,
    expiresAt,
    // `readTokenClaims` has validated the claims that `TokenPayload` names.
    payload: deepFreeze(shareTexts(payload, shared.texts)) as TokenPayload,
    header: deepFreeze(header),
  };
  // The fields that follow are set only if they have a value. Few tokens have one, and a cached token without these
  // fields takes less memory.
  if (grant.listedScopes !== undefined) Object.assign(principal, { listedScopes: grant.listedScopes });
  if (boundKeys !== undefined) {
    Object.assign(principal, { confirmation: boundKeys.jkt === undefined ? 'mtls' : 'dpop' });
  }
  if (accessKey !== undefined) assignRecordFields(principal, accessKey);
  return freezePrincipal(principal);
}

/** Whether the token lists a scope and, if there is a record of the access key, the record lists it too. */
function isListed(scope: string, scopes: readonly string[], accessKey: ParsedAccessKeyRecord | undefined): boolean {
  return scopes.includes(scope) && (accessKey === undefined || accessKey.scopes.includes(scope));
}

function assignRecordFields(
  principal: AccessPrincipal,
  { metadata, allowedAddresses, limits }: ParsedAccessKeyRecord,
): void {
  if (metadata !== undefined) Object.assign(principal, { metadata });
  if (allowedAddresses !== undefined) Object.assign(principal, { allowedAddresses });
  if (limits !== undefined) Object.assign(principal, { limits });
}

/** Replaces strings in the claims by equal strings that are already stored, to save memory. */
function shareTexts(payload: JsonObject, texts: Interner<string>): JsonObject {
  // The payload is frozen if another call of `verify` got the same credential, for example from a second wrapper of one
  // verifier.
  if (Object.isFrozen(payload)) return payload;
  const claims = payload as Record<string, unknown>;
  for (const name of SHARED_CLAIMS) {
    const text = own(claims, name);
    if (typeof text === 'string') claims[name] = texts.get(text) ?? texts.intern(text, () => text);
  }
  // If the client acts for itself, `sub` equals `client_id` (RFC 9068 section 2.2), so both claims can share one
  // string.
  const client = own(claims, 'client_id');
  if (client !== undefined && own(claims, 'sub') === client) claims.sub = client;
  return claims;
}
