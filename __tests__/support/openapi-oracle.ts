/**
 * What OpenAPI says about a request, written from the specification alone: a second opinion about `openApiGate`. It is slow, knows only
 * what the laws draw, and shares no code with the gate.
 */
export type Security = readonly Readonly<Record<string, readonly string[]>>[];

export interface DrawnDocument {
  readonly security: Security | undefined;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Security | null>>>>;
}

export interface DrawnCredential {
  readonly scheme: string;
  readonly scopes: readonly string[];
  readonly isGood: boolean;
}

interface Candidate {
  readonly path: string;
  readonly security: Security;
}

export type OracleAnswer = 200 | 401 | 403 | 404;

/** "Security Requirement Object": one of the list must be satisfied; `{}` makes it optional; an operation's own list replaces. */
export function oracleAnswer(
  document: DrawnDocument,
  method: string,
  path: string,
  credential: DrawnCredential | undefined,
): OracleAnswer {
  const matching = candidates(document, method, path);
  const concrete = matching.filter((candidate) => !candidate.path.includes('{'));
  const templated = matching.filter((candidate) => candidate.path.includes('{'));
  // "Path Templating": concrete paths are matched before templated ones. Another spelling of one, where it matters: nobody knows.
  const isAmbiguous = concrete.some((one) =>
    templated.some((other) => meaning(one.security) !== meaning(other.security)),
  );
  if (isAmbiguous && !concrete.some((candidate) => candidate.path === path)) return 404;
  const found = concrete.find((candidate) => candidate.path === path) ?? concrete[0] ?? templated[0];
  return found === undefined ? 404 : decide(found.security, credential);
}

function decide(security: Security, credential: DrawnCredential | undefined): OracleAnswer {
  const asked = security.filter((alternative) => Object.keys(alternative).length > 0);
  if (asked.length === 0) return 200;
  const isOptional = asked.length < security.length;
  if (credential === undefined) return isOptional ? 200 : 401;
  const fitting = asked.filter((alternative) => Object.hasOwn(alternative, credential.scheme));
  if (!credential.isGood || fitting.length === 0) return 401;
  if (isOptional) return 200;
  const holdsAll = fitting.some((alternative) =>
    (alternative[credential.scheme] ?? []).every((scope) => credential.scopes.includes(scope)),
  );
  return holdsAll ? 200 : 403;
}

function candidates({ security, paths }: DrawnDocument, method: string, path: string): readonly Candidate[] {
  return Object.entries(paths).flatMap(([template, operations]) => {
    const own = method === 'HEAD' ? (operations.head ?? operations.get) : operations[method.toLowerCase()];
    if (own === undefined || !expressionOf(template).test(path)) return [];
    return [{ path: template, security: own ?? security ?? [] }];
  });
}

/** As Express reads it by default: whatever the case, with or without a slash at the end. */
function expressionOf(template: string): RegExp {
  const source = template
    .replace(/\/$/, '')
    .replaceAll('.', '\\.')
    .replaceAll(/\{\w+\}/g, '[^/]+');
  return new RegExp(template === '/' ? '^//?$' : `^${source}/?$`, 'i');
}

/** Whether a document says two things about one path, which OpenAPI leaves open. */
export function isAmbiguous(document: DrawnDocument, paths: readonly string[], methods: readonly string[]): boolean {
  const shapes = Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.keys(operations).map((method) => `${method} ${template.replaceAll(/\{\w+\}/g, '{}')}`),
  );
  if (new Set(shapes).size < shapes.length) return true;
  return paths.some((path) =>
    methods.some((method) => {
      const found = candidates(document, method, path);
      return [true, false].some((isConcrete) => {
        const same = found.filter((candidate) => candidate.path.includes('{') !== isConcrete);
        return new Set(same.map((candidate) => meaning(candidate.security))).size > 1;
      });
    }),
  );
}

/** What a requirement means: for every credential that there may be, the answer. */
function meaning(security: Security): string {
  const sets = [[], ['r'], ['w'], ['r', 'w']];
  const credentials = ['t', 'k'].flatMap((scheme) => sets.map((scopes) => ({ scheme, scopes, isGood: true })));
  return [undefined, ...credentials, { scheme: 't', scopes: [], isGood: false }]
    .map((credential) => decide(security, credential))
    .join();
}
