/** Who a verified token stands for. */
import type { ApiMap } from '../credentials/api-map.js';
import type { Environment } from '../credentials/kind.js';
import { type AccessPrincipal, sealPrincipal } from '../credentials/principal.js';
import type { AccessKeyFacts } from '../credentials/record.js';
import type { CompactJws } from '../protocol/compact-jws.js';
import { deepFreeze } from './deep-freeze.js';
import type { TokenClaims } from './token-claims.js';

/** What the platform says of every token of an issuer. */
export interface TokenPlatform {
  readonly apis: ApiMap;
  readonly environment: Environment | undefined;
}

/** Makes the principal of a token: what it was granted, less what its access key has lost since. */
export function tokenPrincipal(
  { payload, header }: CompactJws,
  { clientId, scopes, expiresAt }: TokenClaims,
  accessKey: AccessKeyFacts | undefined,
  { apis, environment }: TokenPlatform,
): AccessPrincipal {
  const held = accessKey === undefined ? scopes : scopes.filter((scope) => accessKey.scopes.includes(scope));
  const principal: AccessPrincipal = {
    kind: 'access',
    keyId: clientId,
    clientId,
    account: accessKey?.account,
    environment: accessKey?.environment ?? environment,
    apis: [...new Set(held.flatMap((scope) => apis.apisOf(scope)))],
    scopes: held,
    channels: accessKey?.channels ?? 'all',
    platform: accessKey?.platform,
    expiresAt,
    payload: deepFreeze(payload),
    header: deepFreeze(header),
  };
  return sealPrincipal(principal, apis);
}
