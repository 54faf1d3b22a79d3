import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { compile, type Program } from '../support/compile.js';
import { type LibSource, libSources } from '../support/lib-sources.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A function or class that an entry point exports, with the code of its `@example`, if it has one. */
interface PublicValue {
  readonly name: string;
  readonly example: Program | undefined;
}

const values = entryPoints().flatMap(publicValuesOf);

describe('each public function and class', () => {
  it('is found in every entry point', () => {
    expect(values.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['requireBearer', 'BearerError', 'openStore']),
    );
  });

  it('has an @example', () => {
    expect(values.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('has an @example that compiles', () => {
    expect(compile(values.flatMap(({ example }) => example ?? []))).toEqual([]);
  });
});

function entryPoints(): readonly LibSource[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: object };
  const names = Object.values(exports).flatMap((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'types' in entry ? String(entry.types) : [],
  );
  return names.map((name) => sourceOf(name.replace(/^\.\/dist\/(.*)\.d\.ts$/, '$1.ts')));
}

function publicValuesOf({ name: from, tree }: LibSource): readonly PublicValue[] {
  return tree.statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.isTypeOnly || statement.moduleSpecifier === undefined)
      return [];
    const specifier = (statement.moduleSpecifier as ts.StringLiteral).text;
    const source = sourceOf(posix.join(posix.dirname(from), specifier).replace(/\.js$/, '.ts'));
    return namedExports(statement).map((name) => ({ name, example: exampleOf(source, name) }));
  });
}

function namedExports({ exportClause }: ts.ExportDeclaration): readonly string[] {
  if (exportClause === undefined || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.filter(({ isTypeOnly }) => !isTypeOnly).map(({ name }) => name.text);
}

/** The lines of the example stand where they do in the source, so that a fault has the right line. */
function exampleOf({ name: file, tree, text }: LibSource, name: string): Program | undefined {
  const declaration = tree.statements.find(
    (statement) =>
      (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name?.text === name,
  );
  if (declaration === undefined) return undefined;
  const [comment] = (ts.getLeadingCommentRanges(text, declaration.pos) ?? []).slice(-1);
  const docs = comment === undefined ? '' : text.slice(comment.pos, comment.end);
  const match = /@example\n \* ```ts\n([\s\S]*?) \* ```/.exec(docs);
  if (comment === undefined || match === null) return undefined;
  const before = text.slice(0, comment.pos + match.index).split('\n').length + 1;
  const code = (match[1] ?? '').replaceAll(/^ \* ?/gm, '');
  const path = join(ROOT, `lib/${file}.${before}.ts`);
  // An example may use `app` without saying that it is an Express app.
  const app = code.includes('const app =') ? '' : `declare const app: import('express').Express;`;
  return { path, text: `${app}${'\n'.repeat(before)}${code}export {};\n` };
}

function sourceOf(name: string): LibSource {
  const source = libSources.find((one) => one.name === name);
  if (source === undefined) throw new Error(`no file lib/${name}`);
  return source;
}
