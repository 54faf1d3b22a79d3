import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import ts from 'typescript';
import { codeBlocksOf, markdownFiles } from '../support/markdown.js';
import { build, FLAGS, ROOT } from './built-service.js';

// Time to build the package, where that has not been done.
jest.setTimeout(120_000);
beforeAll(build);

/** The examples that test a guarded app with a kit: they need nothing but what they say, and end badly if it is wrong. */
const programs = markdownFiles.flatMap((file) =>
  codeBlocksOf(file)
    .filter(({ info, code }) => info === 'ts' && code.includes("'keyward/testing'") && code.includes('supertest'))
    .map(({ line, code }) => [`${file.name}:${line}`, code] as const),
);

describe('the documentation', () => {
  it('shows how to test your own routes, in README.md and in the guide', () => {
    const files = programs.map(([place]) => place.split(':')[0]);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/guide.md']));
  });

  it.each(programs)('%s gets the answers that it says', (_place, code) => {
    const compilerOptions = {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
    };
    const { outputText } = ts.transpileModule(code, { compilerOptions });
    const run = spawnSync(process.execPath, [...FLAGS, '--input-type=module', '--eval', outputText], {
      ...{ cwd: ROOT, encoding: 'utf8', timeout: 20_000 },
    });
    expect([run.stderr, run.status]).toEqual(['', 0]);
  });
});
