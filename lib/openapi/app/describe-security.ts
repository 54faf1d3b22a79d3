/** Adds the security requirements of an app's gates and guards to its OpenAPI document. */
import type { CredentialVerifier } from '../../contracts/credential-verifier.js';
import { KeywardError } from '../../errors/keyward-error.js';
import { anything, type Option, type OptionTable, readTable } from '../../options/option-table.js';
import { type OpenApiDocument, type Operation, readDocument } from '../document/read-document.js';
import { linkSecurity, neededAlternatives, type Requirement, requirementKeys } from '../document/requirement.js';
import { linkSchemes, readProofs, type SchemeProof, type Schemes } from '../document/scheme-verifiers.js';
import { type AppRoute, appRoutesOf, earlierRoute, handledBy, routeFor } from './app-routes.js';
import { requirementText, schemeNames } from './describe-requirement.js';
import { changesOf, type DocumentChange, type WrittenOperation, withChanges } from './document-changes.js';

/** Options of `describeSecurity`. */
export interface DescribeSecurityOptions {
  /** The parsed document to extend: OpenAPI 3.0, 3.1 or 3.2. It is not changed. */
  readonly into: object;
  /**
   * The verifiers of the app's gates, by the name of their security scheme, or `'mutualTLS'`. Schemes that the document
   * does not have are added. A scheme that no operation of the document requires is an error.
   */
  readonly schemes: Schemes;
  /**
   * The prefix of every path of the document, as for `openApiGate`. Default: the path of the URLs in `servers` of the
   * document.
   */
  readonly basePath?: string | undefined;
}

const document: Option<object> = (options, name) => {
  const value = options.raw(name);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw options.mistake(name, 'a parsed OpenAPI document');
};

const OPTIONS = {
  into: document,
  schemes: anything,
  basePath: anything,
} satisfies OptionTable<DescribeSecurityOptions>;

const FACTORY = 'describeSecurity';

/**
 * Adds the security requirements of an app's gates and guards to a document: it writes `components.securitySchemes`,
 * and `security` of every operation that has none yet. The operation of an open route gets `security: []`.
 *
 * It never changes a requirement that the document already has: if the app and the document differ, it throws an error,
 * even if the app is stricter. Guards that a document cannot express, such as `requireApi`, are left out.
 *
 * @param app - An Express 4 or 5 app or router, with its routes mounted.
 * @param options - `into`: the document, with its paths. `schemes`: the verifiers of the gates by scheme.
 * @returns A new document. Parts that did not change are shared with the given one.
 * @throws KeywardError `openapi_mismatch` that lists each conflict with both sides, each operation without a route,
 *   each gate whose verifier has no name in `schemes`, and each route whose guards let only some kinds of a verifier
 *   pass.
 * @throws TypeError as `auditRoutes` does, for a document that cannot be read, and if an `http` scheme needs scopes in
 *   OpenAPI 3.0, which does not support them.
 * @example
 * ```ts
 * import { accessTokens, requireBearer } from 'keyward';
 * import { describeSecurity } from 'keyward/openapi';
 *
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: 'pets' });
 * app.get('/pets', requireBearer({ accept: [tokens], scopes: ['pets:read'] }), (_req, res) => res.json([]));
 * const info = { title: 'Pets', version: '1' };
 * const described = describeSecurity(app, {
 *   into: { openapi: '3.1.0', info, paths: { '/pets': { get: { responses: {} } } } },
 *   schemes: { accessToken: tokens },
 * });
 * console.log(JSON.stringify(described));
 * ```
 */
export function describeSecurity(app: object, options: DescribeSecurityOptions): Record<string, unknown> {
  const changes = securityChanges(app, options);
  return withChanges(options.into, changes);
}

/** Returns the changes that `describeSecurity` makes in the document. */
export function securityChanges(app: object, options: DescribeSecurityOptions): readonly DocumentChange[] {
  const { into, schemes, basePath } = readTable(FACTORY, options, OPTIONS);
  const parsed = readDocument(FACTORY, into, basePath);
  const proofs = readProofs(FACTORY, schemes);
  const routes = appRoutesOf(app);
  const found = parsed.operations.map((operation) => ({ operation, route: routeFor(operation, routes) }));
  const conflicts = conflictsOf(found, parsed, proofs, routes);
  if (conflicts.length > 0) {
    const headline = 'describeSecurity: the security requirements of the app cannot be added to the document:';
    throw new KeywardError('openapi_mismatch', [headline, ...conflicts].join('\n'));
  }
  const namesOf = schemeNames(proofs);
  const written = found.flatMap(({ operation, route }): readonly WrittenOperation[] => {
    if (operation.security.isStated || route?.requirement === undefined) return [];
    return [
      { operation, security: securityOf(route.requirement, (verifier) => namesOf(verifier)[0] as string, proofs) },
    ];
  });
  checkUsed(parsed.operations, written, proofs);
  return changesOf(parsed, written, proofs, schemelessVerifiers(found));
}

interface FoundOperation {
  readonly operation: Operation;
  readonly route: AppRoute | undefined;
}

function conflictsOf(
  found: readonly FoundOperation[],
  parsed: OpenApiDocument,
  proofs: ReadonlyMap<string, SchemeProof>,
  routes: readonly AppRoute[],
): readonly string[] {
  const known = new Map([...proofs].filter(([name]) => parsed.schemes.has(name)));
  const linked = linkSchemes(FACTORY, parsed, known);
  const namesOf = schemeNames(proofs);
  const namesMutualTls = [...proofs.values()].includes('mutualTLS');
  return found.flatMap(({ operation, route }) => {
    const name = `  ${operation.method} ${operation.path}`;
    if (route === undefined) return [`${name}: the document describes this operation, but the app has no route for it`];
    const { requirement } = route;
    const text = requirementText(requirement, namesOf);
    if (requirement === undefined || requirement.isClosed) return [`${name}: the app requires ${text}`];
    const isNamed = requirement.alternatives.every(({ verifier }) => namesOf(verifier).length > 0);
    if (!isNamed) return [`${name}: the app requires ${text}; add every verifier of this route to "schemes"`];
    if (!namesMutualTls && requirement.alternatives.some(({ mutualTls }) => mutualTls)) {
      return [
        `${name}: the app requires ${text}; add a scheme for mutualTLS to "schemes", such as { mtls: 'mutualTLS' }`,
      ];
    }
    const keyOf = requirementKeys();
    const earlier = earlierRoute(operation, route, routes);
    if (earlier !== undefined && (!earlier.requirement || keyOf(earlier.requirement) !== keyOf(requirement))) {
      return [`${name}: ${handledBy(earlier)}`];
    }
    if (!operation.security.isStated) return [];
    const stated = linkSecurity(operation.security, linked);
    if (keyOf(stated) === keyOf(requirement)) return [];
    return [`${name}: the document requires ${requirementText(stated, namesOf)}, but the app requires ${text}`];
  });
}

function securityOf(
  requirement: Requirement,
  nameOf: (verifier: CredentialVerifier) => string,
  proofs: ReadonlyMap<string, SchemeProof>,
): WrittenOperation['security'] {
  const mutual = [...proofs].find(([, proof]) => proof === 'mutualTLS')?.[0];
  const alternatives = neededAlternatives(requirement).map(({ verifier, scopes, mutualTls }) => ({
    [nameOf(verifier)]: [...scopes],
    ...(mutualTls && mutual !== undefined ? { [mutual]: [] } : {}),
  }));
  return requirement.isOptional ? [...alternatives, {}] : alternatives;
}

/** Refuses a scheme that no operation requires, because `openApiGate` refuses a document with such a scheme. */
function checkUsed(
  operations: readonly Operation[],
  written: readonly WrittenOperation[],
  proofs: ReadonlyMap<string, SchemeProof>,
): void {
  const stated = operations.flatMap(({ security }) => security.alternatives).flatMap(({ schemes }) => schemes);
  const added = written.flatMap(({ security }) => security).flatMap((alternative) => Object.keys(alternative));
  const used = new Set([...stated.map(({ name }) => name), ...added]);
  const idle = [...proofs.keys()].find((name) => !used.has(name));
  if (idle !== undefined)
    throw new TypeError(
      `${FACTORY}: option "schemes.${idle}" is a scheme that no operation of the document requires; remove it from "schemes", or add the operations of its routes to the document`,
    );
}

/**
 * Returns the verifiers whose gates all accept a key without `Bearer`. A verifier of keys among them gets a scheme of
 * the type `apiKey`.
 */
function schemelessVerifiers(found: readonly FoundOperation[]): ReadonlySet<CredentialVerifier> {
  const alternatives = found.flatMap(({ route }) => route?.requirement?.alternatives ?? []);
  const strict = new Set(
    alternatives.filter(({ allowSchemeless }) => !allowSchemeless).map(({ verifier }) => verifier),
  );
  return new Set(alternatives.map(({ verifier }) => verifier).filter((verifier) => !strict.has(verifier)));
}
