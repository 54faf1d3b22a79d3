import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

/** One file of lib/, read by TypeScript's own parser. */
export interface LibSource {
  /** As it stands under lib/: `protocol/authorization-header.ts`. */
  readonly name: string;
  /** The first folder of its path: `cli` for `cli/commands/keys.ts`; `''` for an entry point at the top. */
  readonly folder: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
  /** Every node of the tree. */
  readonly nodes: readonly ts.Node[];
  /** What it imports of lib/, types too, by the same names. */
  readonly inner: readonly string[];
  /** What it imports of elsewhere, by specifier. */
  readonly outer: readonly string[];
}

const LIB = new URL('../../lib/', import.meta.url);

/** Every file of lib/. */
export const libSources: readonly LibSource[] = readdirSync(LIB, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map(readSource);

/** A node and every node within it. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(child);
  });
  for (const child of children) yield* nodesOf(child);
}

function readSource(name: string): LibSource {
  const text = readFileSync(new URL(name, LIB), 'utf8');
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  const folder = posix.dirname(name);
  const tree = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  return {
    name,
    folder: folder === '.' ? '' : folder.split('/', 1).join(),
    text,
    tree,
    nodes: [...nodesOf(tree)],
    inner: specifiers.filter(isRelative).map((path) => posix.join(folder, path).replace(/\.js$/, '.ts')),
    outer: specifiers.filter((path) => !isRelative(path)),
  };
}

function isRelative(specifier: string): boolean {
  return specifier.startsWith('.');
}
