import type { IncomingMessage } from 'node:http';
import { listedScopesOf } from '../../credentials/principal.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { authContextOf } from '../../express/gate/request-principal.js';
import type { Member } from '../member.js';
import { SCOPE_PERMISSIONS } from '../permissions.js';

/** A request that Express handles: `ip` is the address of the client. */
type RequestWithAddress = IncomingMessage & { readonly ip?: string | undefined };

/**
 * Derives a member from the principal of a request, by its scopes: `keys:read` lists and views; `keys:write` also
 * creates (Developer); `keys:manage` does everything (Owner). Mount the API behind a `requireBearer`.
 *
 * Only scopes that are listed on the credential count. A secret key without a list of scopes gives no permission,
 * although it has every scope of its APIs. A scope that another one implies (the option `implies` of `apiMap`) gives no
 * permission either. The member has the id and the account of the key. A sandbox credential manages only sandbox keys.
 *
 * @returns A function for the option `memberOf` of `createManagementApi`. It returns `undefined` (401) for a principal
 *   without an account, and throws a `KeywardError` `gate_not_passed` if no gate ran before.
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
        'keyward: no requireBearer ran before memberByScopes; mount one before the management API',
      );
    }
    const { principal } = context;
    if (principal?.account === undefined) return undefined;
    const { keyId, account } = principal;
    const permissions = listedScopesOf(principal).flatMap((scope) =>
      Object.hasOwn(SCOPE_PERMISSIONS, scope) ? (SCOPE_PERMISSIONS[scope] ?? []) : [],
    );
    // A sandbox credential is often less protected, so it must not reach live keys.
    const environment = principal.environment === 'sandbox' ? principal.environment : undefined;
    return { id: keyId, account, permissions, environment, address: req.ip ?? req.socket.remoteAddress };
  };
}
