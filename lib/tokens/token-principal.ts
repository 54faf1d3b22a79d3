/** Makes the principal of a verified token from its claims and, if there is one, the record of its access key. */
import type { ApiMap } from '../credentials/api-map.js';
import type { Environment } from '../credentials/environment.js';
import { Interner } from '../credentials/interner.js';
import { type AccessPrincipal, freezePrincipal, type TokenPayload } from '../credentials/principal.js';
import type { ParsedAccessKeyRecord } from '../credentials/records/key-records.js';
import { withImplied } from '../credentials/scope-hierarchy.js';
import type { CompactJws } from '../protocol/compact-jws.js';
import { formatScope } from '../protocol/scope.js';
import { deepFreeze, type JsonObject, own } from '../protocol/strict-json.js';
import type { TokenClaims } from './claims.js';

/** What the verifier of an issuer needs to make principals: its settings, and the values that principals share. */
export interface PrincipalContext {
  readonly apis: ApiMap;
  readonly environment: Environment | undefined;
  readonly shared: SharedTokenFacts;
}

/** Values that are equal in many tokens of an issuer. They are stored only once, to save memory. */
export interface SharedTokenFacts {
  readonly grants: Interner<Pick<AccessPrincipal, 'scopes' | 'listedScopes' | 'apis'>>;
  readonly texts: Interner<string>;
}

export function sharedTokenFacts(): SharedTokenFacts {
  return { grants: new Interner(), texts: new Interner() };
}

/** Claims that usually have the same value in many tokens of an issuer. */
const SHARED_CLAIMS = ['iss', 'aud', 'scope'];

/**
 * Makes the principal of a token. It has the scopes of the token and the scopes that they imply, but no scope that the
 * access key does not have any more.
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
  // The name for the interner: both lists of scopes, separated by a line break. No scope contains a line break, so
  // different lists have different names.
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
    // `readTokenClaims` has validated the types of these claims; the type of `aud` only if audiences are configured.
    payload: deepFreeze(shareTexts(payload, shared.texts)) as TokenPayload,
    header: deepFreeze(header),
  };
  // The fields below are added only if they have a value. A cached principal without them takes less memory, and few
  // tokens need them.
  if (grant.listedScopes !== undefined) Object.assign(principal, { listedScopes: grant.listedScopes });
  if (boundKeys !== undefined) {
    Object.assign(principal, { confirmation: boundKeys.jkt === undefined ? 'mtls' : 'dpop' });
  }
  if (accessKey !== undefined) assignRecordFields(principal, accessKey);
  return freezePrincipal(principal);
}

/**
 * Whether a scope is listed by the token itself and, if there is one, by the record of its access key. If not, the
 * principal has the scope only because another scope implies it.
 */
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
  // The payload is already frozen if `verify` was called before with the same credential, for example by another
  // wrapper of this verifier. Writing to it would throw.
  if (Object.isFrozen(payload)) return payload;
  const claims = payload as Record<string, unknown>;
  for (const name of SHARED_CLAIMS) {
    const text = own(claims, name);
    if (typeof text === 'string') claims[name] = texts.get(text) ?? texts.intern(text, () => text);
  }
  // If the client acts for itself, `sub` equals `client_id` (RFC 9068 section 2.2). One string is then enough for both
  // claims.
  const client = own(claims, 'client_id');
  if (client !== undefined && own(claims, 'sub') === client) claims.sub = client;
  return claims;
}
