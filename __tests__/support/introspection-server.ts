import { type IntrospectedTokensOptions, introspectedTokens } from 'keyward';
import { createManualClock, type ManualClock, START } from './manual-clock.js';
import { type ScriptedAnswer, type SeenRequest, scriptedServer } from './scripted-server.js';
import { serveTokenApi } from './token-api.js';

export const AUDIENCE = 'https://api.keyward.test';
export const NOW = START / 1_000;

/** The members of an active token, as oidc-provider and Hydra give them. */
export const ACTIVE = { active: true, client_id: 'foreign', scope: 'payments', aud: AUDIENCE, exp: NOW + 3_600 };
export const INACTIVE = { active: false };

export interface IntrospectedApi {
  readonly origin: string;
  readonly clock: ManualClock;
  readonly api: Awaited<ReturnType<typeof serveTokenApi>>;
  readonly verifier: ReturnType<typeof introspectedTokens>;
  /** Requests to the introspection endpoint, in order. */
  readonly calls: readonly SeenRequest[];
  /** How often the metadata were fetched. */
  discoveries(): number;
  /** From now on the endpoint answers so. */
  answer(next: Answer | ScriptedAnswer): void;
  close(): Promise<void>;
}

type Answer = (request: SeenRequest) => ScriptedAnswer | Promise<ScriptedAnswer>;

/** An API behind `introspectedTokens`, and an issuer with metadata and an introspection endpoint. */
export async function introspectedApi(options: Partial<IntrospectedTokensOptions> = {}): Promise<IntrospectedApi> {
  let current: Answer = () => ({ body: ACTIVE });
  const calls: SeenRequest[] = [];
  let discoveries = 0;
  const server = await scriptedServer((request) => {
    if (request.path.startsWith('/.well-known/')) {
      discoveries += 1;
      return { body: { issuer: server.origin, introspection_endpoint: `${server.origin}/introspect` } };
    }
    calls.push(request);
    return current(request);
  });
  const clock = createManualClock();
  const verifier = introspectedTokens({
    issuer: server.origin,
    audience: AUDIENCE,
    client: { id: 'api', secret: 'secret' },
    clock,
    // A busy machine may answer late.
    timeout: 60_000,
    ...options,
  });
  const api = await serveTokenApi([verifier]);
  return {
    ...{ origin: server.origin, clock, api, verifier, calls, discoveries: () => discoveries },
    answer(next) {
      current = typeof next === 'function' ? next : () => next;
    },
    async close() {
      await api.close();
      await server.close();
    },
  };
}
