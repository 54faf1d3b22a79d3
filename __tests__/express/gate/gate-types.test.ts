import { describe, expect, it } from '@jest/globals';
import { complaintsAbout } from '../../support/type-check.js';

const SERVICE = `
import express from 'express';
import { accessTokens, apiKeys, requireBearer, type AccessKeyResolver, type CredentialVerifier, type Gate, type KeyKind,
  type AccessPrincipal, type KeyPrincipal, type Middleware, type Principal } from 'keyward';

declare const accessKeys: AccessKeyResolver;
declare const isOptional: boolean;
declare const someKinds: KeyKind[];
const named = { issuer: 'https://issuer.test', audience: 'api' };
const tokens = accessTokens({ ...named, accessKeys });
const foreign = accessTokens(named);
const secret = apiKeys({ resolver: () => null, kinds: ['secret'], environment: 'live' });
const both = apiKeys({ resolver: () => null, kinds: ['secret', 'public'], environment: 'live' });
const app = express();
export { accessKeys, app, both, foreign, isOptional, named, requireBearer, secret, someKinds, tokens };
export type Used = [AccessPrincipal, CredentialVerifier, Gate, KeyPrincipal, Middleware, Principal];
`;

const good: Record<string, string> = {
  'the kinds of keys': `
    const gate = requireBearer({ accept: [secret] });
    app.get('/', gate, (req) => { const kind: 'secret' = gate.principal(req).kind; return kind; });`,
  'the kinds of several verifiers': `
    const gate = requireBearer({ accept: [tokens, secret] });
    app.get('/', gate, (req) => { const kind: 'secret' | 'access' = gate.principal(req).kind; return kind; });`,
  'an account, where accessKeys is given': `
    const gate = requireBearer({ accept: [tokens, both] });
    app.get('/', gate, (req) => { const account: string = gate.principal(req).account; return account; });`,
  'an account by the short form with accessKeys': `
    const gate = requireBearer({ ...named, accessKeys, scopes: ['payments'] });
    app.get('/', gate, (req) => { const account: string = gate.principal(req).account; return account; });`,
  'the claims of a token, without asking for the kind': `
    const gate = requireBearer(named);
    app.get('/', gate, (req) => gate.principal(req).payload.iss);`,
  'narrowing by kind': `
    const gate = requireBearer({ accept: [foreign, both] });
    app.get('/', gate, (req) => {
      const principal = gate.principal(req);
      return principal.kind === 'access' ? principal.clientId : principal.keyAcceptedUntil;
    });`,
  'undefined behind optional': `
    const gate = requireBearer({ accept: [secret], optional: true });
    app.get('/', gate, (req) => { const account: string | undefined = gate.principal(req)?.account; return account; });`,
  'no undefined where optional is false': `
    const gate = requireBearer({ accept: [secret], optional: false });
    app.get('/', gate, (req) => gate.principal(req).account.length);`,
  'a verifier of the user': `
    type Tenant = KeyPrincipal<'secret'> & { readonly tenant: string };
    declare const verifier: CredentialVerifier<Tenant>;
    const gate = requireBearer({ accept: [verifier] });
    app.get('/', gate, (req) => { const tenant: string = gate.principal(req).tenant; return tenant; });`,
  'a verifier of no more than a principal': `
    declare const verifier: CredentialVerifier;
    const gate = requireBearer({ accept: [verifier] });
    app.get('/', gate, (req) => { const principal: Principal = gate.principal(req); return principal; });`,
  'a verifier and a resolver that copy what may be absent': `
    const wrapped: CredentialVerifier = { kinds: foreign.kinds, claims: foreign.claims, tokens: foreign.tokens,
      claimsRest: foreign.claimsRest, verify: (credential) => foreign.verify(credential) };
    const resolver: AccessKeyResolver = { resolveAccessKey: () => null, watch: accessKeys.watch,
      recordUse: accessKeys.recordUse, usageOf: accessKeys.usageOf };
    app.use(requireBearer({ accept: [wrapped] }), requireBearer({ ...named, accessKeys: resolver }));`,
  'a gate where any gate is expected': `
    const gates: Gate[] = [requireBearer({ accept: [secret] }), requireBearer(named)];
    const middleware: Middleware[] = gates;
    const typed: Gate<AccessPrincipal> = requireBearer(named);
    app.use(typed, ...middleware);`,
};

/** Each has one mistake, at the line below the comment. */
const bad: Record<string, string> = {
  'a kind that is not accepted': `
    const gate = requireBearer({ accept: [secret] });
    // @ts-expect-error
    app.get('/', gate, (req) => { const kind: 'public' = gate.principal(req).kind; return kind; });`,
  'an account without accessKeys': `
    const gate = requireBearer({ accept: [foreign, secret] });
    // @ts-expect-error
    app.get('/', gate, (req) => { const account: string = gate.principal(req).account; return account; });`,
  'an account by the short form': `
    const gate = requireBearer(named);
    // @ts-expect-error
    app.get('/', gate, (req) => { const account: string = gate.principal(req).account; return account; });`,
  'a principal behind optional': `
    const gate = requireBearer({ accept: [secret], optional: true });
    // @ts-expect-error
    app.get('/', gate, (req) => gate.principal(req).account);`,
  'a principal where optional may be true': `
    const gate = requireBearer({ accept: [secret], optional: isOptional });
    // @ts-expect-error
    app.get('/', gate, (req) => gate.principal(req).account);`,
  'one kind of a list that is not known': `
    const gate = requireBearer({ accept: [apiKeys({ resolver: () => null, kinds: someKinds, environment: 'live' })] });
    // @ts-expect-error
    app.get('/', gate, (req) => { const kind: 'secret' = gate.principal(req).kind; return kind; });`,
  'the claims of what may be a key': `
    const gate = requireBearer({ accept: [foreign, secret] });
    // @ts-expect-error
    app.get('/', gate, (req) => gate.principal(req).payload);`,
  'accept beside issuer': `
    // @ts-expect-error
    requireBearer({ accept: [secret], ...named });`,
  'a misspelt option of the gate': `
    // @ts-expect-error
    requireBearer({ accept: [secret], relm: 'api' });`,
  'a misspelt option of the short form': `
    // @ts-expect-error
    requireBearer({ ...named, algoritms: ['ES256'] });`,
  'the former name of allowSchemeless': `
    // @ts-expect-error
    requireBearer({ accept: [secret], bareKeys: true });`,
};

describe('the type of gate.principal(req)', () => {
  it.each(Object.entries(good))('R15 compiles: %s', (_name, source) => {
    expect(complaintsAbout(SERVICE + source)).toEqual([]);
  });

  it.each(Object.entries(bad))('R15 does not compile: %s', (_name, source) => {
    expect(complaintsAbout(SERVICE + source)).toEqual([]);
    expect(complaintsAbout(SERVICE + source.replace(/.*@ts-expect-error\n/, ''))).toHaveLength(1);
  });
});
