import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { type LibSource, libSources } from '../support/lib-sources.js';

const GROUND = ['errors', 'protocol', 'credentials', 'contracts', 'events', 'options', 'http'];
const CORE = [...GROUND, 'cache', 'replay', 'tokens', 'api-keys'];
const WITH_STORE = [...CORE, 'express', 'store'];

/** Design section 3: which folders each folder stands on. What is beside it is not among them. */
const STANDS_ON: Readonly<Record<string, readonly string[]>> = {
  errors: [],
  protocol: [],
  credentials: ['errors', 'options', 'protocol'],
  contracts: ['options', 'protocol', 'credentials', 'http'],
  events: ['errors', 'protocol', 'credentials'],
  http: ['errors', 'protocol', 'credentials'],
  options: [],
  client: GROUND,
  cache: GROUND,
  replay: GROUND,
  tokens: [...GROUND, 'cache', 'replay'],
  'api-keys': [...GROUND, 'cache'],
  express: [...GROUND, 'tokens'],
  store: CORE,
  mcp: [...CORE, 'express'],
  openapi: [...CORE, 'express'],
  management: WITH_STORE,
  issuer: WITH_STORE,
  testing: WITH_STORE,
  dashboard: [...WITH_STORE, 'management', 'issuer'],
  cli: [...WITH_STORE, 'management', 'issuer', 'dashboard', 'openapi'],
};

/** Packages that a folder may load; `node:` modules apart. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  http: ['jose'],
  dashboard: ['express', 'jose'],
  cache: ['lru-cache'],
  tokens: ['jose', 'lru-cache'],
  mcp: ['express'],
  testing: ['jose'],
  store: ['better-sqlite3', 'jose', 'kysely', 'kysely/migration', 'pg'],
  cli: ['commander', 'csv-parse', 'express', 'yaml'],
  management: ['express'],
  issuer: ['express', 'jose', 'lru-cache', 'rate-limiter-flexible'],
};

/** Folders that speak HTTP: `http` and `express` for the core, and those that are routers themselves. */
const SPEAK_HTTP = ['http', 'express', 'mcp', 'openapi', 'management', 'issuer', 'dashboard', 'cli'];

/** What the two pure folders may load of Node: no clock, disk or network among it. Of `node:net` they use `isIP` and
 * `BlockList`, which open nothing. */
const PURE_MODULES = ['node:buffer', 'node:crypto', 'node:util', 'node:net'];
const IMPURE_GLOBALS = ['Date', 'performance', 'fetch', 'setTimeout', 'setInterval', 'setImmediate'];

/** Lines of code: comments and empty lines are not counted. */
const LONGEST_FILE = 200;
const NO_CODE = /^\s*(?:\/\/|\/\*|\*|$)/;

const NOT_ASCII = /\P{ASCII}/u;
/** Beside ASCII, in comments: section signs, dashes, dots, and the signs of mathematics. */
const UNUSUAL = /[^\p{ASCII}\u00A7\u2013\u2026\u00B7\u2071\u1D62\p{Sm}\p{No}\p{Script=Greek}]/u;

const byName = new Map(libSources.map((source) => [source.name, source]));
const entryPoints = readEntryPoints();

describe('lib', () => {
  it('has no folder that the design does not name', () => {
    const folders = new Set(libSources.map(({ folder }) => folder));
    expect([...folders].filter((folder) => folder !== '' && !(folder in STANDS_ON))).toEqual([]);
  });

  it('has only entry points at its top', () => {
    expect(libSources.filter(({ folder, name }) => folder === '' && !entryPoints.includes(name))).toEqual([]);
  });

  it('imports, also types, only from its own folder and from lower layers', () => {
    const isUpward = ({ folder }: LibSource, target: string) => {
      const other = target.split('/', 1).join();
      return folder !== '' && folder !== other && STANDS_ON[folder]?.includes(other) !== true;
    };
    expect(pairsWhere(isUpward)).toEqual([]);
  });

  it('imports, in express, only from lower folders: guards and gates do not import the route audit', () => {
    const levels = ['gate', 'guards', 'route-audit'];
    const levelOf = (name: string) => (name.startsWith('express/') ? levels.indexOf(name.split('/')[1] ?? '') : -1);
    const isUpward = ({ name, folder }: LibSource, target: string) =>
      folder === 'express' && levelOf(target) > levelOf(name);
    expect(pairsWhere(isUpward)).toEqual([]);
  });

  it('imports only existing files', () => {
    expect(pairsWhere((_source, target) => !byName.has(target))).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(libSources.map(({ name }) => cycleThrough(name)).filter((cycle) => cycle !== undefined)).toEqual([]);
  });

  it('never imports an entry point', () => {
    expect(pairsWhere((_source, target) => entryPoints.includes(target))).toEqual([]);
  });

  it('is reached from the entry points, every file of it', () => {
    const reached = new Set(entryPoints);
    for (const name of reached) for (const target of byName.get(name)?.inner ?? []) reached.add(target);
    expect([...byName.keys()].filter((name) => !reached.has(name))).toEqual([]);
  });

  it('loads jose and lru-cache only where allowed, and no other package', () => {
    const strangers = libSources.flatMap(({ name, folder, outer }) =>
      outer
        .filter((specifier) => !specifier.startsWith('node:') && PACKAGES[folder]?.includes(specifier) !== true)
        .map((specifier) => `${name} loads ${specifier}`),
    );
    expect(strangers).toEqual([]);
  });

  it('uses req, res and next, in the core, only in express', () => {
    const knowing = libSources
      .filter(({ folder }) => !SPEAK_HTTP.includes(folder))
      .filter((source) => source.outer.includes('node:http') || takesRequests(source))
      .map(({ name }) => name);
    expect(knowing).toEqual([]);
  });

  it('uses no clock, disk or network in protocol and credentials', () => {
    const impure = libSources
      .filter(({ folder }) => folder === 'protocol' || folder === 'credentials')
      .filter((source) => source.outer.some((name) => !PURE_MODULES.includes(name)) || asks(source, IMPURE_GLOBALS))
      .map(({ name }) => name);
    expect(impure).toEqual([]);
  });

  it('reads no environment variable, except for the command line', () => {
    const rest = libSources.filter(({ folder }) => folder !== 'cli');
    const users = rest.filter((source) => mentions(source, 'process'));
    // It calls `process.emitWarning`.
    expect(users.map(({ name }) => name)).toEqual(['express/route-audit/error-handler-warning.ts']);
    expect(users.filter((source) => mentions(source, 'env'))).toEqual([]);
  });

  it('has no file with a vague name', () => {
    const vague = /(?:^|\/)(?:utils?|helpers?|common|types)(?:\/|\.ts$)/;
    expect([...byName.keys()].filter((name) => vague.test(name))).toEqual([]);
  });

  it('re-exports from entry points only, name by name', () => {
    const barrels = libSources.filter(({ name, tree }) =>
      tree.statements.some(
        (statement) =>
          ts.isExportDeclaration(statement) &&
          statement.moduleSpecifier !== undefined &&
          (!entryPoints.includes(name) || statement.exportClause === undefined),
      ),
    );
    expect(barrels.map(({ name }) => name)).toEqual([]);
  });

  it(`has no file of more than ${LONGEST_FILE} lines of code`, () => {
    const linesOf = (text: string) => text.split('\n').filter((line) => !NO_CODE.test(line)).length;
    const long = libSources.map(({ name, text }) => ({ name, lines: linesOf(text) }));
    expect(long.filter(({ lines }) => lines > LONGEST_FILE)).toEqual([]);
  });

  it('is plain ASCII apart from comments', () => {
    const coded = libSources.flatMap(({ name, tree, nodes }) =>
      nodes
        .filter((node) => node.getChildCount(tree) === 0)
        .map((token) => token.getText(tree))
        .filter((token) => NOT_ASCII.test(token))
        .map((token) => `${name}: ${token}`),
    );
    expect(coded).toEqual([]);
  });

  it('has only ASCII and a few other characters in comments', () => {
    const unusual = libSources.flatMap(({ name, text }) => {
      const found = UNUSUAL.exec(text);
      return found === null ? [] : [`${name}: ${found[0]}`];
    });
    expect(unusual).toEqual([]);
  });
});

/** The sources behind the `exports` of package.json. */
function readEntryPoints(): readonly string[] {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const targets = [...Object.values<string | { default: string }>(manifest.exports), manifest.bin.keyward];
  return targets
    .map((target) => (typeof target === 'string' ? target : target.default))
    .filter((path) => path.startsWith('./dist/'))
    .map((path) => path.replace('./dist/', '').replace(/\.js$/, '.ts'));
}

/** Imports within lib/, `from -> to`, that a rule speaks of. */
function pairsWhere(isSo: (source: LibSource, target: string) => boolean): readonly string[] {
  return libSources.flatMap((source) =>
    source.inner.filter((target) => isSo(source, target)).map((target) => `${source.name} -> ${target}`),
  );
}

/** A way from a file back to itself. */
function cycleThrough(start: string): string | undefined {
  const seen = new Set<string>();
  const ways = [[start]];
  for (const way of ways) {
    for (const target of byName.get(way.at(-1) ?? '')?.inner ?? []) {
      if (target === start) return [...way, start].join(' -> ');
      if (!seen.has(target)) ways.push([...way, target]);
      seen.add(target);
    }
  }
  return undefined;
}

function takesRequests({ nodes }: LibSource): boolean {
  return nodes.some((node) => ts.isParameter(node) && /^_?(?:req|res|next)$/.test(node.name.getText()));
}

function mentions({ nodes }: LibSource, name: string): boolean {
  return nodes.some((node) => ts.isIdentifier(node) && node.text === name);
}

/** Whether a global is called, made or read from: `Date` as a type is none of that. */
function asks({ nodes }: LibSource, globals: readonly string[]): boolean {
  return nodes.some(
    (node) =>
      (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isPropertyAccessExpression(node)) &&
      ts.isIdentifier(node.expression) &&
      globals.includes(node.expression.text),
  );
}
