/** The management API of `keyward serve --api`. keyward's own middleware protects it, except its OpenAPI document. */
import { Router } from 'express';
import { apiKeys } from '../../api-keys/api-keys.js';
import { bearerErrors } from '../../express/bearer-error-handler.js';
import { requireBearer } from '../../express/gate/require-bearer.js';
import { createManagementApi } from '../../management/api/create-management-api.js';
import { memberByScopes } from '../../management/api/member-by-scopes.js';
import { createManagement } from '../../management/create-management.js';
import type { CredentialStore } from '../../store/credential-store.js';
import { accessTokens } from '../../tokens/access-tokens.js';

export const API_PATH = '/api';

interface ApiSettings {
  readonly issuer: string;
  readonly audience: string;
  readonly allowHttp?: boolean;
}

/**
 * Creates the router of the management API. It accepts secret keys, and access tokens of this issuer. Their scopes
 * `keys:read`, `keys:write` and `keys:manage` decide which operations they may call.
 */
export function serveManagementApi(store: CredentialStore, { issuer, audience, allowHttp }: ApiSettings): Router {
  const api = createManagementApi({ management: createManagement({ store }), memberOf: memberByScopes() });
  const gate = requireBearer({
    accept: [
      accessTokens({ issuer, audience, accessKeys: store, ...(allowHttp && { allowHttp }) }),
      apiKeys({ resolver: store, kinds: ['secret'], environment: 'any' }),
    ],
  });
  const router = Router();
  // The OpenAPI document is public: it needs no credential.
  router.get('/openapi.json', api);
  router.use(gate, api, bearerErrors({ format: 'problem' }));
  return router;
}
