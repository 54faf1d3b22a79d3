import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  accessTokens,
  apiKeys,
  type Guard,
  type Kind,
  requireAny,
  requireApi,
  requireBearer,
  requireChannel,
  requireKeyKind,
  requireScopes,
} from 'keyward';
import { lacking, S3 } from '../support/answers.js';
import { createKeyTable } from '../support/key-table.js';
import { createManualClock } from '../support/manual-clock.js';
import { type Answer, type ServedApp, serveApp } from '../support/served-app.js';
import { AUDIENCE, createKey, forge, ISSUER, jwksOf } from '../support/token-forge.js';

const APIS = ['payments', 'disputes', 'reports'];
const KINDS: readonly Kind[] = ['secret', 'public', 'access'];
const CHANNELS: Record<Kind, 'all' | readonly string[]> = { secret: ['c1'], public: ['c1', 'c2'], access: 'all' };

/** Who asks: one for every subset of the APIs and every kind. */
interface Caller {
  readonly kind: Kind;
  readonly apis: readonly string[];
}

/** What is asked, who passes by this table's own reckoning, and the scopes that a refusal names. */
interface Rule {
  readonly name: string;
  readonly guard: Guard;
  passes(caller: Caller): boolean;
  readonly scopes?: string;
}

function subsetsOf<T>(members: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 2 ** members.length }, (_, bits) => members.filter((_member, at) => bits & (1 << at)));
}

const callers: readonly Caller[] = subsetsOf(APIS).flatMap((apis) => KINDS.map((kind) => ({ kind, apis })));

const apiRules = subsetsOf(APIS)
  .slice(1)
  .map(
    (names): Rule => ({
      name: `api ${names}`,
      guard: requireApi(...names),
      passes: ({ apis }) => names.filter((name) => apis.includes(name)).length === names.length,
    }),
  );

const kindRules = subsetsOf(KINDS)
  .slice(1)
  .map(
    (kinds): Rule => ({
      name: `kind ${kinds}`,
      guard: requireKeyKind(...kinds),
      passes: ({ kind }) => kinds.includes(kind),
    }),
  );

// A secret key has every scope of its APIs, a public key and a token those that they list: here read, of every API.
const scopeRules = [['payments:read'], ['disputes:read'], ['reports:read', 'payments:read'], ['payments:refund']].map(
  (scopes): Rule => ({
    name: `scope ${scopes}`,
    guard: requireScopes(...scopes),
    scopes: scopes.join(' '),
    passes: ({ kind, apis }) =>
      scopes.every((scope) => {
        const [api = '', action] = scope.split(':');
        return apis.includes(api) && (kind === 'secret' || action === 'read');
      }),
  }),
);

const channelRules = [undefined, 'c1', 'c2', 'c3'].map(
  (named): Rule => ({
    name: `channel ${named}`,
    guard: requireChannel(() => named),
    passes: ({ kind }) => {
      const allowed: Record<Kind, readonly (string | undefined)[]> = {
        secret: [undefined, 'c1'],
        public: ['c1', 'c2'],
        access: [undefined, 'c1', 'c2', 'c3'],
      };
      return allowed[kind].includes(named);
    },
  }),
);

const single = [...apiRules, ...kindRules, ...scopeRules, ...channelRules];

// Two guards of each kind, one that most principals pass and one that few pass, in every combination.
const paired = [
  apiRules[0],
  apiRules[6],
  kindRules[0],
  kindRules[5],
  scopeRules[0],
  scopeRules[3],
  ...channelRules.slice(0, 2),
];

const pairs = paired.flatMap((first, at) =>
  paired.slice(at + 1).flatMap((second): Rule | [] => {
    if (first === undefined || second === undefined) return [];
    const scopes = first.scopes ?? second.scopes;
    return {
      name: `${first.name} or ${second.name}`,
      guard: requireAny(first.guard, second.guard),
      passes: (caller) => first.passes(caller) || second.passes(caller),
      ...(scopes === undefined ? {} : { scopes }),
    };
  }),
);

const rules = [...single, ...pairs];
const signer = createKey('ES256');
const table = createKeyTable();
const credentials = callers.map(({ kind, apis }) => {
  const scopes = APIS.map((api) => `${api}:read`);
  if (kind === 'access') return forge(signer, { scope: apis.map((api) => `${api}:read`).join(' ') });
  const listed = kind === 'public' ? { scopes } : {};
  return table.add({ kind, apis, channels: CHANNELS[kind], ...listed });
});

let api: ServedApp;

beforeAll(async () => {
  const clock = createManualClock();
  const gateOf = (cache: false | object) => {
    const tokens = accessTokens({ issuer: ISSUER, audience: AUDIENCE, jwks: jwksOf(signer), clock, cache });
    const keys = apiKeys({ resolver: table, kinds: ['secret', 'public'], environment: 'live', clock, cache });
    return requireBearer({ accept: [tokens, keys] });
  };
  api = await serveApp((app, handler) => {
    app.use('/cached', gateOf({}));
    app.use('/uncached', gateOf(false));
    app.get(
      '/:gate/:rule',
      (req, res, next) => {
        const rule = rules[Number(req.params.rule)];
        if (rule === undefined) next('route');
        else rule.guard(req, res, next);
      },
      handler,
    );
  });
});

afterAll(() => api.close());

function expected({ passes, scopes }: Rule, caller: Caller): Answer {
  if (passes(caller)) return { status: 200, challenge: undefined };
  return scopes === undefined ? S3 : lacking(scopes);
}

describe('every kind and every set of APIs with every guard', () => {
  it.each([
    ['cached', 'requireApi', apiRules],
    ['cached', 'requireKeyKind', kindRules],
    ['cached', 'requireScopes', scopeRules],
    ['cached', 'requireChannel', channelRules],
    ['cached', 'requireAny of pairs', pairs],
    ['uncached', 'requireApi', apiRules],
    ['uncached', 'requireKeyKind', kindRules],
    ['uncached', 'requireScopes', scopeRules],
    ['uncached', 'requireChannel', channelRules],
    ['uncached', 'requireAny of pairs', pairs],
  ])('%s, %s', async (gate, _guards, asked) => {
    for (const [at, caller] of callers.entries()) {
      const credential = credentials[at] ?? '';
      const wanted = asked.map((rule) => ({ ...caller, rule: rule.name, ...expected(rule, caller) }));
      const turns = asked.map((rule) => [`/${gate}/${rules.indexOf(rule)}`, credential] as const);
      const answers = await api.askPipelined(turns);
      expect(asked.map((rule, index) => ({ ...caller, rule: rule.name, ...answers[index] }))).toEqual(wanted);
    }
  });

  it('the table is complete', () => {
    expect([callers.length, single.length, pairs.length]).toEqual([24, 22, 28]);
    const passing = rules.flatMap((rule) => callers.filter((caller) => rule.passes(caller))).length;
    expect(passing).toBeGreaterThan(0);
    expect(passing).toBeLessThan(rules.length * callers.length);
  });
});
