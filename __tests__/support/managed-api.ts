import express from 'express';
import type { Clock } from 'keyward';
import { accessTokens, apiKeys, bearerErrors, requireApi, requireBearer, requireChannel, requireScopes } from 'keyward';
import { createIssuer, memorySigningKeys } from 'keyward/issuer';
import type { CredentialStore } from 'keyward/store';
import { answerOf } from './answers.js';
import { serve } from './raw-http.js';

/** Payments and disputes behind keyward, with the token endpoint, over one store: what its keys are good for. */
export interface ManagedApi {
  readonly url: string;
  /** Sends a form to the token endpoint. */
  obtain(body: string, headers?: Record<string, string>): Promise<TokenResult>;
  /** How a credential is answered: on `/`, `/payments`, `/disputes`, `/refunds`, or `/pay?channel=…`. */
  ask(path: string, credential: string): Promise<ReturnType<typeof answerOf>>;
  status(path: string, credential: string): Promise<number>;
  /** Obtains a token, and returns the answer of the token endpoint. */
  obtainToken(id: string, secret: string, scope?: string): Promise<TokenResult>;
  close(): Promise<void>;
}

interface TokenResult {
  readonly status: number;
  readonly token: string;
  readonly scope: string | undefined;
  readonly error: string | undefined;
}

const AUDIENCE = 'https://api.example.com';

export async function serveManaged(store: CredentialStore, clock: Clock): Promise<ManagedApi> {
  const app = express();
  const { port, close } = await serve(app);
  const url = `http://127.0.0.1:${port}`;
  const signingKeys = memorySigningKeys();
  app.use(createIssuer({ issuer: url, audience: AUDIENCE, accessKeys: store, signingKeys, algorithm: 'ES256', clock }));
  const tokens = accessTokens({ issuer: url, audience: AUDIENCE, accessKeys: store, clock });
  const keys = apiKeys({ resolver: store, kinds: ['secret', 'public'], environment: 'live', clock });
  app.use(requireBearer({ accept: [tokens, keys] }));
  app.get('/', (req, res) => void res.json((req as { auth?: unknown }).auth));
  app.get('/payments', requireApi('payments'), (_req, res) => void res.end());
  app.get('/disputes', requireApi('disputes'), (_req, res) => void res.end());
  app.get('/refunds', requireScopes('payments:refund'), (_req, res) => void res.end());
  app.get(
    '/pay',
    requireChannel((req) => req.query.channel),
    (_req, res) => void res.end(),
  );
  app.use(bearerErrors());

  async function ask(path: string, credential: string) {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${credential}` } });
    await response.arrayBuffer();
    return answerOf({ status: response.status, headers: Object.fromEntries(response.headers) });
  }

  async function obtain(body: string, headers: Record<string, string> = {}): Promise<TokenResult> {
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await fetch(`${url}/connect/token`, { method: 'POST', headers: { ...type, ...headers }, body });
    const answer = (await response.json()) as Record<string, string>;
    return { status: response.status, token: String(answer.access_token), scope: answer.scope, error: answer.error };
  }

  return {
    ask,
    status: async (path, credential) => (await ask(path, credential)).status,
    url,
    obtain,
    async obtainToken(id, secret, scope) {
      const asked = scope === undefined ? {} : { scope };
      const headers = { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
      return await obtain(`${new URLSearchParams({ grant_type: 'client_credentials', ...asked })}`, headers);
    },
    close,
  };
}
