import { afterEach, describe, expect, it } from '@jest/globals';
import { accessTokens, apiKeys, apiMap, type CredentialVerifier, requireBearer, requireScopes } from 'keyward';
import { createKeyTable } from '../support/key-table.js';
import { createManualClock } from '../support/manual-clock.js';
import { type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const clock = createManualClock();
const signer = createKey('ES256');

let api: ServedApp;

afterEach(() => api.close());

interface Instance {
  readonly verifier: CredentialVerifier;
  /** What this one takes and the other does not. */
  readonly credential: string;
  /** How the other refuses it. */
  readonly foreign: number;
}

function tokens(options: { readonly issuer?: string; readonly audience?: string }): CredentialVerifier {
  return accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock, ...options });
}

function keysOf(environment: 'live' | 'sandbox', table = createKeyTable()): Instance {
  const verifier = apiKeys({ resolver: table, kinds: ['secret'], environment, clock });
  return { verifier, credential: table.add({ environment }), foreign: 401 };
}

/** One table for two instances that read its scopes by other maps. */
function mapped(): readonly [Instance, Instance] {
  const table = createKeyTable();
  const [payments, disputes] = ['payments', 'disputes'].map((name): Instance => {
    const apis = apiMap({ [name]: ['gateway'], other: ['unused'] });
    const verifier = apiKeys({ resolver: table, kinds: ['secret'], environment: 'live', clock, apis });
    return { verifier, credential: table.add({ apis: [name] }), foreign: 403 };
  });
  if (payments === undefined || disputes === undefined) throw new Error('there are two');
  return [payments, disputes];
}

const byAudience = (audience: string): Instance => ({
  verifier: tokens({ audience }),
  credential: forge(signer, { aud: audience, scope: 'gateway' }),
  foreign: 401,
});

const byIssuer = (issuer: string): Instance => ({
  verifier: tokens({ issuer }),
  credential: forge(signer, { iss: issuer, scope: 'gateway' }),
  foreign: 401,
});

describe('two instances in one process are independent, in either order', () => {
  it.each([
    ['APIs', mapped],
    ['an audience', () => [byAudience('https://a.test'), byAudience('https://b.test')]],
    ['an issuer', () => [byIssuer('https://a.test'), byIssuer('https://b.test')]],
    ['an environment', () => [keysOf('live'), keysOf('sandbox')]],
    ['a store', () => [keysOf('live'), keysOf('live')]],
  ] as [string, () => readonly [Instance, Instance]][])('S04 that differ by %s', async (_what, make) => {
    const [a, b] = make();
    api = await serveApp((app, handler) => {
      const guard = requireScopes('gateway');
      app.get('/a', requireBearer({ accept: [a.verifier] }), guard, handler);
      app.get('/b', requireBearer({ accept: [b.verifier] }), guard, handler);
    });
    const statuses: unknown[] = [];
    for (const path of ['/a', '/b', '/b', '/a', '/a', '/b']) {
      for (const { credential } of [a, b]) statuses.push((await api.ask(path, credential)).status);
    }
    const [onA, onB] = [
      [200, b.foreign],
      [a.foreign, 200],
    ];
    expect(statuses).toEqual([onA, onB, onB, onA, onA, onB].flat());
  });
});
