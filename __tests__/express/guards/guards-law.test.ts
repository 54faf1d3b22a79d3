import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import {
  accessTokens,
  apiKeys,
  apiMap,
  BearerError,
  type Gate,
  type Guard,
  type KeyKind,
  requireAny,
  requireApi,
  requireBearer,
  requireChannel,
  requireKeyKind,
  requireScopes,
} from 'keyward';
import { mintKey } from '../../../lib/credentials/keyward-format.js';
import {
  type Ask,
  answerByTable,
  type Caller,
  callers,
  MAPPED,
  type Route,
  routes,
} from '../../support/guard-table.js';
import { law } from '../../support/law.js';
import { createManualClock, START } from '../../support/manual-clock.js';
import { bearing, pass } from '../../support/passage.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../../support/token-forge.js';

describe('guards behind a gate', () => {
  law('accept the principals that the truth table accepts, and refuse the others as it says, looked up or cached', () =>
    fc.asyncProperty(callers, routes, async (caller, route) => {
      const gate = gateFor(route);
      const guards = route.guards.map(guardOf);
      const credential = introduce(caller);
      for (const _turn of ['looked up', 'cached']) {
        const req = bearing(credential, { channel: route.channel });
        const { passed, error } = await pass(req, gate, ...guards);
        const answer = error instanceof BearerError ? { status: error.status, scopes: error.scopes } : error;
        expect(passed ? 'passed' : answer).toEqual(answerByTable(caller, route));
      }
    }),
  );
});

const signer = createKey('ES256');
const gates = new Map<string, Gate>();

/** The record that resolvers find: the last one that was set. */
let record: object;
let introduced = 0;

/** Puts a caller into the store; returns its credential. */
function introduce({ kind, granted, revoked, ...facts }: Caller): string {
  introduced += 1;
  const id = `id-${introduced}`;
  record = { ...facts, id, kind, account: 'acc_1', revokedAt: new Date(revoked ? START : START + 1) };
  if (kind !== 'access') return mintKey(kind, facts.environment);
  return forge(signer, { sub: id, client_id: id, scope: granted.join(' ') });
}

function gateFor({ kinds, environment, mapped }: Route): Gate {
  const name = JSON.stringify([kinds, environment, mapped]);
  const gate = gates.get(name) ?? makeGate(kinds, environment, mapped);
  gates.set(name, gate);
  return gate;
}

function makeGate(kinds: Route['kinds'], environment: Route['environment'], mapped: boolean): Gate {
  const apis = mapped ? apiMap(MAPPED) : undefined;
  const shared = { apis, clock: createManualClock(), cache: { max: 10, negativeMax: 10 } };
  const tokens = accessTokens({
    ...{ ...shared, issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer) },
    accessKeys: { resolveAccessKey: () => record as never },
    environment: environment === 'any' ? undefined : environment,
  });
  const keys = (...some: KeyKind[]) =>
    apiKeys({ ...shared, resolver: () => record as never, kinds: some, environment });
  return requireBearer({ accept: kinds.map((kind) => (kind === 'access' ? tokens : keys(kind))) });
}

function guardOf(ask: Ask): Guard {
  if (ask === 'channel') return requireChannel((req) => (req as { channel?: unknown }).channel);
  if ('apis' in ask) return requireApi(...ask.apis);
  if ('kinds' in ask) return requireKeyKind(...ask.kinds);
  return 'scopes' in ask ? requireScopes(...ask.scopes) : requireAny(...ask.any.map(guardOf));
}
