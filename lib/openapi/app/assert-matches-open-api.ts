/** Compares the routes of an app, and the credentials and scopes that they require, with its OpenAPI document. */
import { KeywardError } from '../../errors/keyward-error.js';
import { anything, type Option, type OptionTable, optional, readTable } from '../../options/option-table.js';
import { type OperationRequirement, readOperationRequirements } from '../document/operation-requirements.js';
import { type OpenApiDocument, readDocument } from '../document/read-document.js';
import { type Requirement, requirementKeys } from '../document/requirement.js';
import { readProofs, type Schemes } from '../document/scheme-verifiers.js';
import { type AppRoute, appRoutesOf, earlierRoute, handledBy, routeFor } from './app-routes.js';
import { requirementText, type SchemeNames, schemeNames } from './describe-requirement.js';
import { undocumentedRoutes } from './undocumented-routes.js';

/** Options of `assertMatchesOpenApi`. */
export interface AssertMatchesOpenApiOptions {
  /**
   * The verifier of each scheme of the document, as for `openApiGate`: the same verifiers as in the gates of the app.
   */
  readonly schemes: Schemes;
  /**
   * Routes and operations whose differences are ignored, such as `GET /health`. Name a route as in `auditRoutes`, and
   * an operation by its method and path. An entry that names neither a route nor an operation is an error.
   */
  readonly except?: readonly string[] | undefined;
  /**
   * The prefix of every path of the document, as for `openApiGate`. Default: the path of the URLs in `servers` of the
   * document.
   */
  readonly basePath?: string | undefined;
}

const names: Option<readonly string[]> = (options, name) => {
  const value = options.raw(name);
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value;
  throw options.wrongList(name, "a list of routes and operations such as 'GET /health'");
};

const OPTIONS = {
  schemes: anything,
  except: optional(names),
  basePath: anything,
} satisfies OptionTable<AssertMatchesOpenApiOptions>;

const FACTORY = 'assertMatchesOpenApi';

/**
 * Checks that an app and its document agree: every operation has a route, every route has an operation, and both
 * require the same credentials and scopes. Call it when the app starts or in a test, after the routes are mounted. The
 * app may use an `openApiGate`, or its own gates and guards.
 *
 * Guards that a document cannot express, such as `requireApi`, are not compared.
 *
 * @param app - An Express 4 or 5 app or router.
 * @param document - An OpenAPI 3.0, 3.1 or 3.2 document, parsed.
 * @param options - `schemes`: the verifiers of the document's schemes.
 * @throws KeywardError `openapi_mismatch` that lists each difference: the method and path, what the document requires,
 *   and what the app requires.
 * @throws TypeError as `openApiGate` and `auditRoutes` do, and if an entry of `except` is neither a route nor an
 *   operation.
 * @example
 * ```ts
 * import { accessTokens, requireBearer, requireScopes } from 'keyward';
 * import { assertMatchesOpenApi } from 'keyward/openapi';
 *
 * const tokens = accessTokens({ issuer: 'https://login.example', audience: 'pets' });
 * const pets = {
 *   openapi: '3.1.0',
 *   info: { title: 'Pets', version: '1' },
 *   components: { securitySchemes: { accessToken: { type: 'http', scheme: 'bearer' } } },
 *   paths: { '/pets': { get: { security: [{ accessToken: ['pets:read'] }], responses: {} } } },
 * };
 * app.get('/pets', requireBearer({ accept: [tokens] }), requireScopes('pets:read'), (_req, res) => res.json([]));
 * assertMatchesOpenApi(app, pets, { schemes: { accessToken: tokens } });
 * ```
 */
export function assertMatchesOpenApi(app: object, document: object, options: AssertMatchesOpenApiOptions): void {
  const { schemes, except = [], basePath } = readTable(FACTORY, options, OPTIONS);
  const parsed = readDocument(FACTORY, document, basePath);
  const operations = readOperationRequirements(FACTORY, parsed, schemes);
  const routes = appRoutesOf(app);
  checkExcept(except, parsed, routes);
  const namesOf = schemeNames(readProofs(FACTORY, schemes));
  const isNeeded = (name: string) => !except.includes(name);
  const { unknown, broader } = undocumentedRoutes(operations, routes);
  const namesIn = (found: readonly AppRoute[]) => found.map(({ name }) => name).filter(isNeeded);
  const missing = operations.filter(({ operation }) => isNeeded(nameOf(operation)));
  const differences = [
    ...missing.flatMap((linked) => differencesOf(linked, routes, namesOf)),
    ...namesIn(unknown).map((name) => `  ${name}: the app has this route, but the document does not describe it`),
    ...namesIn(broader).map(
      (name) => `  ${name}: the app handles more methods or paths with this route than the document describes`,
    ),
  ];
  if (differences.length === 0) return;
  const headline = `assertMatchesOpenApi: the app and the document differ in ${differences.length} place${differences.length === 1 ? '' : 's'}:`;
  throw new KeywardError('openapi_mismatch', [headline, ...differences].join('\n'));
}

function checkExcept(except: readonly string[], { operations }: OpenApiDocument, routes: readonly AppRoute[]): void {
  const known = [...operations.map(nameOf), ...routes.map(({ name }) => name)];
  const stale = except.filter((name) => !known.includes(name));
  if (stale.length === 0) return;
  throw new TypeError(
    `${FACTORY}: option "except" has entries that are neither a route of the app nor an operation of the document: ${stale.join(', ')}`,
  );
}

function differencesOf(
  { operation, requirement }: OperationRequirement,
  routes: readonly AppRoute[],
  namesOf: SchemeNames,
): readonly string[] {
  const name = nameOf(operation);
  const route = routeFor(operation, routes);
  if (route === undefined) return [`  ${name}: the document describes this operation, but the app has no route for it`];
  const keyOf = requirementKeys();
  const isSame = (other: Requirement | undefined) => other !== undefined && keyOf(other) === keyOf(requirement);
  const earlier = earlierRoute(operation, route, routes);
  if (earlier !== undefined) return isSame(earlier.requirement) ? [] : [`  ${name}: ${handledBy(earlier)}`];
  if (isSame(route.requirement)) return [];
  const [asked, given] = [requirement, route.requirement].map((side) => requirementText(side, namesOf));
  return [`  ${name}: the document requires ${asked}, but the app requires ${given}`];
}

function nameOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}
