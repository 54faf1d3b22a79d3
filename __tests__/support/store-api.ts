import type { ApiKeysOptions } from 'keyward';
import { accessTokens, apiKeys, requireBearer } from 'keyward';
import type { CredentialStore } from 'keyward/store';
import { answerOf } from './answers.js';
import { type ServedApp, serveApp } from './served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from './token-forge.js';

/** An API over HTTP, whose keys and access keys are in a store. */
export interface StoreApi {
  /** How a credential is answered: status, challenge, `Retry-After`. */
  answer(credential: string): Promise<ReturnType<typeof answerOf>>;
  status(credential: string): Promise<number>;
  /** What the handler saw: the principal. */
  principal(credential: string): Promise<Readonly<Record<string, unknown>>>;
  /** A token that an access key of the store has obtained. */
  token(accessKey: string): string;
  /** How many lookups of API keys were made. */
  lookups(): number;
  /** How many were in flight at most. */
  mostInFlight(): number;
  close(): Promise<void>;
}

const SIGNER = createKey('ES256', 'ours');

export async function serveStore(store: CredentialStore, options: Partial<ApiKeysOptions> = {}): Promise<StoreApi> {
  let lookups = 0;
  let inFlight = 0;
  let mostInFlight = 0;
  const counted: CredentialStore = {
    ...store,
    async resolveKey(key) {
      lookups += 1;
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      try {
        return await store.resolveKey(key);
      } finally {
        inFlight -= 1;
      }
    },
  };
  const keys = apiKeys({ resolver: counted, kinds: ['secret', 'public'], environment: 'live', ...options });
  const tokens = accessTokens({
    issuer: ISSUER,
    audience: AUDIENCE,
    jwks: jwksOf(SIGNER),
    accessKeys: counted,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  });
  const app: ServedApp = await serveApp((express, handler) => {
    express.get('/', requireBearer({ accept: [tokens, keys] }), handler);
  });
  const answer = async (credential: string) => answerOf(await app.ask('/', credential));
  return {
    answer,
    status: async (credential) => (await answer(credential)).status,
    principal: async (credential) => JSON.parse((await app.ask('/', credential)).body),
    token(accessKey) {
      const now = Math.floor((options.clock ?? Date).now() / 1_000);
      return forge(SIGNER, { sub: accessKey, client_id: accessKey, iat: now, exp: now + 3_600 });
    },
    lookups: () => lookups,
    mostInFlight: () => mostInFlight,
    close: () => app.close(),
  };
}
