import type { IncomingMessage } from 'node:http';
import { listedScopesOf } from '../../credentials/principal.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { authContextOf } from '../../express/gate/request-principal.js';
import type { Member } from '../member.js';
import { SCOPE_PERMISSIONS } from '../permissions.js';

const PERMISSIONS_BY_SCOPE = Object.entries(SCOPE_PERMISSIONS);

/** A request as Express passes it: `ip` is the address of the client, also behind a trusted proxy. */
type RequestWithAddress = IncomingMessage & { readonly ip?: string | undefined };

/**
 * Makes the function `memberOf` for a management API behind `requireBearer`. The scopes of the principal decide what
 * the member may do: `keys:read` lists and views keys (Reader), `keys:write` also creates them (Developer), and
 * `keys:manage` allows everything (Owner). The member has the id and the account of the key.
 *
 * Only scopes that are listed on the credential count. A secret key without a list of scopes gives no permission,
 * although it has every scope of its APIs. A scope that is only implied by another scope (the option `implies` of
 * `apiMap`) gives no permission either. A sandbox credential manages only sandbox keys.
 *
 * @returns A function for the option `memberOf` of `createManagementApi`. It returns `undefined` if the request has no
 *   principal, or a principal without an account; the response is then 401. It throws a `KeywardError`
 *   `gate_not_passed` if no `requireBearer` ran before.
 * @example
 * ```ts
 * import express from 'express';
 * import { type CredentialVerifier, requireBearer } from 'keyward';
 * import { createManagementApi, type Management, memberByScopes } from 'keyward/management';
 *
 * export function mountApi(app: express.Express, management: Management, keys: CredentialVerifier) {
 *   const api = createManagementApi({ management, memberOf: memberByScopes() });
 *   app.use('/api', requireBearer({ accept: [keys] }), api);
 * }
 * ```
 */
export function memberByScopes(): (req: IncomingMessage) => Member | undefined {
  return (req: RequestWithAddress) => {
    const context = authContextOf(req);
    if (context === undefined) {
      throw new KeywardError(
        'gate_not_passed',
        'keyward: requireBearer has not accepted this request; mount requireBearer before the management API',
      );
    }
    const { principal } = context;
    if (principal?.account === undefined) return undefined;
    const { keyId, account } = principal;
    const scopes = listedScopesOf(principal);
    const permissions = PERMISSIONS_BY_SCOPE.flatMap(([scope, permission]) =>
      scopes.includes(scope) ? [permission] : [],
    );
    // Sandbox credentials are often less protected, so a stolen sandbox credential must not give access to live keys.
    const environment = principal.environment === 'sandbox' ? principal.environment : undefined;
    return { id: keyId, account, permissions, environment, address: req.ip ?? req.socket.remoteAddress };
  };
}
