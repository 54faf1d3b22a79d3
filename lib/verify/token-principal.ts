/** Who a verified token stands for. */
import type { ApiMap } from '../credentials/api-map.js';
import type { Environment } from '../credentials/kind.js';
import { type AccessPrincipal, sealPrincipal, type TokenPayload } from '../credentials/principal.js';
import type { AccessKeyFacts } from '../credentials/record.js';
import type { CompactJws } from '../protocol/compact-jws.js';
import { type JsonObject, own } from '../protocol/json-object.js';
import { formatScope } from '../protocol/scope.js';
import { deepFreeze } from './deep-freeze.js';
import { RepeatedFacts } from './repeated-facts.js';
import type { TokenClaims } from './token-claims.js';

/** What the platform says of every token of an issuer. */
export interface TokenPlatform {
  readonly apis: ApiMap;
  readonly environment: Environment | undefined;
  readonly repeated: RepeatedTokenFacts;
}

/** What the tokens of an issuer have in common. */
interface RepeatedTokenFacts {
  readonly reaches: RepeatedFacts<Pick<AccessPrincipal, 'scopes' | 'apis'>>;
  readonly texts: RepeatedFacts<string>;
}

export function repeatedFacts(): RepeatedTokenFacts {
  return { reaches: new RepeatedFacts(), texts: new RepeatedFacts() };
}

/** Claims whose text many tokens share. */
const SHARED_CLAIMS = ['iss', 'aud', 'scope'];

/** Makes the principal of a token: what it was granted, less what its access key has lost since. */
export function tokenPrincipal(
  { payload, header }: CompactJws,
  { clientId, scopes, expiresAt }: TokenClaims,
  accessKey: AccessKeyFacts | undefined,
  { apis, environment, repeated }: TokenPlatform,
): AccessPrincipal {
  const granted = accessKey === undefined ? scopes : scopes.filter((scope) => accessKey.scopes.includes(scope));
  const reach = repeated.reaches.once(formatScope(granted), () => ({
    scopes: granted,
    apis: [...new Set(granted.flatMap((scope) => apis.apisOf(scope)))],
  }));
  const principal: AccessPrincipal = {
    kind: 'access',
    keyId: clientId,
    clientId,
    account: accessKey?.account,
    environment: accessKey?.environment ?? environment,
    apis: reach.apis,
    scopes: reach.scopes,
    channels: accessKey?.channels ?? 'all',
    platform: accessKey?.platform,
    expiresAt,
    // `readTokenClaims` has checked the form of these.
    payload: deepFreeze(sharing(payload, repeated.texts)) as TokenPayload,
    header: deepFreeze(header),
  };
  return sealPrincipal(principal, apis);
}

/** The claims, with texts that other tokens have too in place of equal ones of their own. */
function sharing(payload: JsonObject, texts: RepeatedFacts<string>): JsonObject {
  const claims = payload as Record<string, unknown>;
  for (const name of SHARED_CLAIMS) {
    const text = own(claims, name);
    if (typeof text === 'string') claims[name] = texts.once(text, () => text);
  }
  // A client that acts for itself has one name (RFC 9068 section 2.2).
  const client = own(claims, 'client_id');
  if (client !== undefined && own(claims, 'sub') === client) claims.sub = client;
  return claims;
}
