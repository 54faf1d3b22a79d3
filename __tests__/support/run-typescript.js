/**
 * Lets a child process of a test run TypeScript: `node --import <this file> script.ts`. What has been compiled once is kept in
 * a folder, because to compile some 130 files takes seconds, and many tests start several processes.
 */
import { hash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire, register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

const COMPILED = new URL('../../node_modules/.cache/keyward-tests/', import.meta.url);
const { version } = createRequire(import.meta.url)('typescript/package.json');
/** What the output depends on beside the source: the compiler, and its options, which are in this file. */
const COMPILER = `${version} ${readFileSync(new URL(import.meta.url), 'utf8')}`;

export function resolve(specifier, context, next) {
  const [, entry] = /^keyward((?:\/\w+)?)$/.exec(specifier) ?? [];
  if (entry !== undefined) return next(new URL(`../../lib${entry}/index.ts`, import.meta.url).href, context);
  const isOurs = specifier.startsWith('.') && context.parentURL?.endsWith('.ts');
  return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const text = await readFile(new URL(url), 'utf8');
  const file = new URL(`${hash('sha256', `${COMPILER} ${text}`)}.js`, COMPILED);
  const source = await readFile(file, 'utf8').catch(() => compile(text, file));
  return { format: 'module', source, shortCircuit: true };
}

async function compile(text, file) {
  const { default: ts } = await import('typescript');
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  const { outputText } = ts.transpileModule(text, { compilerOptions });
  await mkdir(COMPILED, { recursive: true });
  // Another process may read the file at the same time, so it appears whole or not at all.
  const unfinished = new URL(randomUUID(), COMPILED);
  await writeFile(unfinished, outputText);
  await rename(unfinished, file);
  return outputText;
}
