/** Token clients whose token endpoint a test scripts. The servers are closed after each test. */
import { afterEach } from '@jest/globals';
import { type TokenClientOptions, tokenClient } from 'keyward/client';
import { createManualClock } from './manual-clock.js';
import { type ScriptedAnswer, type ScriptedServer, type SeenRequest, scriptedServer } from './scripted-server.js';

export const SECRET = 'S'.repeat(43);
const servers: ScriptedServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

/** A token endpoint that answers `token-1`, `token-2`, …; and what a test scripts before that. */
export async function issuerWith(
  script: (number: number, request: SeenRequest) => ScriptedAnswer | undefined = () => undefined,
) {
  let issued = 0;
  return started((request, number) => {
    const scripted = script(number, request);
    if (scripted !== undefined) return scripted;
    issued += 1;
    return { body: { access_token: `token-${issued}`, token_type: 'Bearer', expires_in: 3_600 } };
  });
}

/** A server that is closed after the test. */
export async function started(answer: Parameters<typeof scriptedServer>[0]) {
  const server = await scriptedServer(answer);
  servers.push(server);
  return server;
}

export function clientOf(issuer: ScriptedServer, options: Partial<TokenClientOptions> = {}) {
  const clock = createManualClock();
  const given = { tokenEndpoint: `${issuer.origin}/connect/token`, clientId: 'ack_1', clientSecret: SECRET, clock };
  return { client: tokenClient({ ...given, ...options }), clock };
}

export const rejected = (promise: Promise<unknown>) => promise.then(() => undefined).catch((error: unknown) => error);
export const invalidToken: ScriptedAnswer = {
  status: 401,
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
};
