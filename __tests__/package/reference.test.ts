import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import { BearerError, type BearerErrorCode, bearerErrors } from 'keyward';
import request from 'supertest';
import ts from 'typescript';
import { BEARER_ERRORS } from '../../lib/protocol/bearer-error-codes.js';
import { bearerChallenge } from '../../lib/protocol/challenge.js';
import { TOKEN_ERRORS } from '../../lib/protocol/token-error-codes.js';
import { type LibSource, libSources, nodesOf } from '../support/lib-sources.js';
import { rowNamesOf, sectionOf } from '../support/markdown.js';

const page = (name: string) => readFileSync(new URL(`../../docs/reference/${name}.md`, import.meta.url), 'utf8');
const sorted = (names: Iterable<string>) => [...new Set(names)].sort();

describe('options.md', () => {
  const text = page('options');

  it.each([
    ['requireBearer', 'RequireBearerOptions', 'GateOptions'],
    ['accessTokens', 'AccessTokensOptions'],
    ['apiKeys', 'ApiKeysOptions'],
    ['introspectedTokens', 'IntrospectedTokensOptions'],
    ['dpop', 'DpopOptions', 'ProofOptions'],
    ['nonce', 'NonceSettings'],
    ['mtls', 'MtlsOptions'],
    ['memoryReplayCache', 'MemoryReplayCacheOptions'],
    ['cache', 'CacheOptions'],
    ['defineGuard', 'GuardDefinition'],
    ['requireRateLimit', 'RateLimitOptions'],
    ['bearerErrors', 'BearerErrorsOptions'],
    ['assertGuarded', 'AssertGuardedOptions'],
    ['KeyRecord', 'KeyRecord'],
    ['AccessKeyRecord', 'AccessKeyRecord'],
    ['createIssuer', 'IssuerOptions'],
    ['limits', 'BruteForceLimitOptions'],
    ['openStore', 'StoreOptions'],
    ['createManagement', 'ManagementOptions'],
    ['createManagementApi', 'ManagementApiOptions'],
    ['createDashboard', 'DashboardOptions', 'AppearanceOptions'],
    ['createSignIn', 'SignInOptions', 'AppearanceOptions'],
    ['tokenClient', 'TokenClientOptions'],
    ['openApiGate', 'OpenApiGateOptions'],
    ['resourceMetadata', 'ResourceMetadataOptions'],
    ['requireAuthenticationContext', 'AuthenticationContext'],
    ['mcpAuth', 'McpResourceOptions', 'ResourceMetadataOptions'],
    ['describeSecurity', 'DescribeSecurityOptions'],
    ['assertMatchesOpenApi', 'AssertMatchesOpenApiOptions'],
    ['ProofTraits', 'ProofTraits'],
    ['AssertionTraits', 'AssertionTraits'],
    ['TestCertificate', 'TestCertificate'],
  ])('has a row for each member of %s, and no other', (heading, ...types) => {
    expect(sorted(rowNamesOf(sectionOf(text, heading)))).toEqual(sorted(types.flatMap(membersOf)));
  });

  it.each([
    ['auditRoutes', ['RouteReport']],
    ['Principal', ['KeyPrincipal', 'AccessPrincipal']],
    ['TestKit', ['TestKit']],
    ['TestDpopClient', ['TestDpopClient', 'ProofTraits']],
    ['TestAssertions', ['TestAssertions', 'AssertionTraits']],
  ])('has a row for each field of its events about %s, and no other', (heading, types) => {
    expect(sorted(rowNamesOf(sectionOf(text, heading)))).toEqual(sorted(types.flatMap(membersOf)));
  });

  it('has a row for each option and each trait of createTestKit, and no other', () => {
    const types = ['TestKitOptions', 'CredentialTraits', 'KeyTraits', 'TokenTraits'];
    expect(sorted(rowNamesOf(sectionOf(text, 'createTestKit')))).toEqual(sorted(types.flatMap(membersOf)));
  });
});

describe('errors.md', () => {
  const text = page('errors');
  const codes = Object.keys(BEARER_ERRORS) as BearerErrorCode[];
  const challenged = codes.filter((code) => code !== 'temporarily_unavailable' && code !== 'too_many_requests');

  it.each(codes)('shows the status of %s', (code) => {
    expect(sectionOf(text, code)).toMatch(new RegExp(`^HTTP/1\\.1 ${BEARER_ERRORS[code].status} `, 'm'));
  });

  it.each(challenged)('shows the challenge of %s', (code) => {
    const ofDpop = code.includes('dpop') ? { schemes: ['DPoP' as const], algorithms: ['ES256'] } : {};
    const challenge = bearerChallenge({ realm: 'api', resourceMetadata: undefined, ...ofDpop }, code);
    expect(sectionOf(text, code)).toContain(`WWW-Authenticate: ${challenge}\n`);
  });

  it('has every error of the token endpoint with its status, and no other', () => {
    const section = sectionOf(text, 'Answers of the token endpoint');
    const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map(([, code, status]) => [code, Number(status)]);
    expect(rows).toEqual(Object.entries(TOKEN_ERRORS).map(([code, { status }]) => [code, status]));
  });

  it.each(codes.flatMap((code) => [[code, 'oauth'] as const, [code, 'problem'] as const]))(
    'shows the body of %s in the format %s',
    async (code, format) => {
      const app = express();
      app.use((_req, _res, next) => next(new BearerError(code, {}, undefined)));
      app.use(bearerErrors({ format }));
      const { body } = await request(app).get('/');
      const bodies = [...sectionOf(text, code).matchAll(/^```json\n(.*)\n```$/gm)].map(([, json = '']) =>
        JSON.parse(json),
      );
      expect(bodies).toContainEqual(body);
    },
  );
});

describe('events.md', () => {
  const text = page('events');
  const decisions = sectionOf(text, 'keyward:decision');
  const lookupReasons = literalTypesOf('LookupFailure', 'reason');

  it('has every channel', () => {
    const channels = libSources.flatMap(({ nodes }) => argumentsOf(nodes, 'eventChannel'));
    expect(sorted(rowNamesOf(text.split('\n## ', 1).join()))).toEqual(sorted(channels));
  });

  it.each([
    ['keyward:decision', 'Decision'],
    ['keyward:lookup-failure', 'LookupFailure'],
    ['keyward:key-set', 'KeySetFetch'],
    ['keyward:feed', 'FeedWarning'],
    ['keyward:token', 'TokenDecision'],
    ['keyward:issuer', 'IssuerWarning'],
  ])('has each member of the payload of %s', (channel, type) => {
    expect(rowNamesOf(sectionOf(text, channel))).toEqual(expect.arrayContaining([...membersOf(type)]));
  });

  it('has every reason of a decision, and no other', () => {
    const rows = rowNamesOf(decisions.slice(decisions.indexOf('\n### ')));
    const emitted = libSources.filter(({ folder }) => DECIDING.includes(folder)).flatMap(reasonsOf);
    expect(sorted(rows)).toEqual(sorted([...emitted, ...lookupReasons].map(asTold)));
  });

  it('has every reason of the token endpoint, and no other', () => {
    const rows = rowNamesOf(sectionOf(text, 'keyward:token')).filter(
      (name) => !membersOf('TokenDecision').includes(name),
    );
    const emitted = libSources
      .filter(({ name, folder }) => folder === 'issuer' && name !== 'issuer/create-issuer.ts')
      .flatMap((source) => [...reasonsOf(source), ...refusalsOf(source)]);
    const ends = libSources.flatMap(({ nodes }) => returnsOf(nodes, ['endedAt']));
    const ofBodies = textsOfUnion('BodyFault');
    expect(sorted(rows)).toEqual(sorted([...emitted, ...ends, ...ofBodies, ...lookupReasons].map(asTold)));
  });

  function asTold(reason: string): string {
    return lookupReasons.includes(reason) ? `lookup_${reason}` : reason;
  }

  it.each([
    ['keyward:lookup-failure', ['RecordError'], 'LookupFailure'],
    ['keyward:key-set', ['KeySetError', 'FetchError'], 'KeySetFetch'],
  ])('has every fault that %s may report, and no other', (channel, faults, payload) => {
    const messages = libSources.filter(isHeard).flatMap(({ nodes }) => messagesOf(nodes, faults));
    const members = membersOf(payload);
    const rows = rowNamesOf(sectionOf(text, channel)).filter((name) => !members.includes(name));
    const unexplained = messages.filter((message) => !rows.some((row) => message.test(row)));
    const unheard = rows.filter((row) => !messages.some((message) => message.test(row)));
    expect({ unexplained, unheard }).toEqual({ unexplained: [], unheard: [] });
  });
});

/** Folders whose sources decide about requests. */
const DECIDING = ['express', 'mcp', 'openapi', 'tokens', 'api-keys', 'cache', 'credentials'];

/** A set of one's own that breaks a rule throws at the start. */
function isHeard({ name, folder }: LibSource): boolean {
  return name !== 'tokens/jwks/key-set-option.ts' && folder !== 'dashboard';
}

/** Functions that return the name of what is wrong; those of a token's own rules are published as `token_…`. */
const JUDGES = [
  ...['readTokenHeader', 'readTokenClaims', 'endedAt', '#refusal'],
  ...['readProof', '#keyInHeader', '#brokenClaim'],
];
const OF_TOKENS = ['tokens/header.ts', 'tokens/claims.ts', 'tokens/access-tokens.ts'];

/** The reasons that a source gives: values of what is called `reason`, arguments of `refused`, verdicts of judges. */
function reasonsOf({ name, nodes }: LibSource): readonly string[] {
  const rules = [...argumentsOf(nodes, 'refused'), ...reasonsOfNegatives(nodes), ...returnsOf(nodes, JUDGES)];
  const names = OF_TOKENS.includes(name) ? rules.map((rule) => (rule === 'expired' ? rule : `token_${rule}`)) : rules;
  return [...names, ...nodes.filter(isReason).flatMap(({ initializer }) => literalsOf(initializer))];
}

/** The reasons of negative entries: `new NegativeEntry(subject, reason)`. */
function reasonsOfNegatives(nodes: readonly ts.Node[]): readonly string[] {
  return nodes
    .filter(ts.isNewExpression)
    .filter(({ expression }) => expression.getText() === 'NegativeEntry')
    .flatMap((creation) => literalsOf(creation.arguments?.[1]));
}

/** The reasons with which the token endpoint refuses: `new TokenRequestError(code, reason)`. */
function refusalsOf({ nodes }: LibSource): readonly string[] {
  return nodes
    .filter(ts.isNewExpression)
    .filter(({ expression }) => expression.getText() === 'TokenRequestError')
    .flatMap((creation) => literalsOf(creation.arguments?.[1]));
}

type Named = ts.PropertyAssignment | ts.VariableDeclaration | ts.BindingElement;

function isReason(node: ts.Node): node is Named {
  const isNamed = ts.isPropertyAssignment(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node);
  return isNamed && node.name.getText() === 'reason';
}

/** The texts that an expression may be, as far as they stand in it. */
function literalsOf(expression: ts.Expression | undefined): readonly string[] {
  if (expression === undefined) return [];
  if (ts.isStringLiteral(expression)) return [expression.text];
  if (ts.isConditionalExpression(expression)) {
    return [...literalsOf(expression.whenTrue), ...literalsOf(expression.whenFalse)];
  }
  return ts.isBinaryExpression(expression) ? [...literalsOf(expression.left), ...literalsOf(expression.right)] : [];
}

function argumentsOf(nodes: readonly ts.Node[], callee: string): readonly string[] {
  return nodes
    .filter(ts.isCallExpression)
    .filter(({ expression }) => expression.getText() === callee)
    .flatMap((call) => literalsOf(call.arguments[0]));
}

function returnsOf(nodes: readonly ts.Node[], functions: readonly string[]): readonly string[] {
  return nodes
    .filter((node) => ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    .filter((node) => functions.includes(node.name?.getText() ?? ''))
    .flatMap((node) => [...nodesOf(node)].filter(ts.isReturnStatement))
    .flatMap(({ expression }) => literalsOf(expression));
}

/** The messages that faults are made with; what is put in for `${...}` may be anything. */
function messagesOf(nodes: readonly ts.Node[], faults: readonly string[]): readonly RegExp[] {
  const made = nodes
    .filter(ts.isNewExpression)
    .filter(({ expression }) => faults.includes(expression.getText()))
    .flatMap((creation) => creation.arguments?.slice(0, 1) ?? [])
    .filter((message) => ts.isStringLiteral(message) || ts.isTemplateExpression(message))
    .map((message) =>
      message
        .getText()
        .slice(1, -1)
        .replaceAll(/\$\{[^}]*\}/g, '.+'),
    );
  const names = faults.includes('FetchError') ? returnsOf(nodes, ['reasonOf']) : [];
  return [...made, ...names].map((message) => new RegExp(`^${message}$`));
}

function membersOf(type: string): readonly string[] {
  return declarationOf(type).members.map((member) => member.name?.getText() ?? '');
}

function literalTypesOf(type: string, member: string): readonly string[] {
  const found = declarationOf(type).members.find(({ name }) => name?.getText() === member);
  return [...nodesOf(found ?? declarationOf(type))].filter(ts.isStringLiteral).map(({ text }) => text);
}

function textsOfUnion(type: string): readonly string[] {
  const found = libSources
    .flatMap(({ nodes }) => nodes.filter(ts.isTypeAliasDeclaration))
    .find(({ name }) => name.text === type);
  if (found === undefined) throw new Error(`no type ${type}`);
  return [...nodesOf(found)].filter(ts.isStringLiteral).map(({ text }) => text);
}

function declarationOf(type: string): ts.InterfaceDeclaration {
  const found = libSources
    .flatMap(({ tree }) => [...tree.statements])
    .filter(ts.isInterfaceDeclaration)
    .find(({ name }) => name.text === type);
  if (found === undefined) throw new Error(`no interface ${type}`);
  return found;
}
