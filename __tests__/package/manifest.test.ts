/** What projects that install the package find in its package.json. scripts/check-consumers.js tries it in packed consumers. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { codeBlocksOf, markdownFiles } from '../support/markdown.js';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, ROOT), 'utf8');
const manifest = JSON.parse(read('package.json'));
const entries: readonly string[] = Object.keys(manifest.exports).filter((path) => /^\.\/(?!package\.json)/.test(path));
const CONSUMER = 'scripts/consumers/jest';

describe('package.json', () => {
  it('N42 names the types of every entry point for moduleResolution node10, which does not read exports', () => {
    const types = entries.map((path) => [path.slice(2), [manifest.exports[path].types]]);
    expect(manifest.typesVersions).toEqual({ '*': Object.fromEntries(types) });
  });

  it.each([
    ['node10', ts.ModuleResolutionKind.Node10, ts.ModuleKind.CommonJS],
    ['node16', ts.ModuleResolutionKind.Node16, ts.ModuleKind.Node16],
    ['bundler', ts.ModuleResolutionKind.Bundler, ts.ModuleKind.ESNext],
  ])('N42 TypeScript finds every entry point by moduleResolution %s', (_name, moduleResolution, module) => {
    const files = new Map([['/app/node_modules/keyward/package.json', JSON.stringify(manifest)]]);
    for (const path of ['.', ...entries]) files.set(`/app/node_modules/keyward/${manifest.exports[path].types}`, '');
    const names = [...files.keys()].map((name) => name.replace('/./', '/'));
    const host: ts.ModuleResolutionHost = {
      fileExists: (name) => names.includes(name),
      readFile: (name) => files.get(name) ?? '',
      directoryExists: (name) => names.some((file) => file.startsWith(`${name}/`)),
    };
    const options = { module, moduleResolution };
    const resolved = ['keyward', ...entries.map((path) => `keyward${path.slice(1)}`)].map(
      (name) => ts.resolveModuleName(name, '/app/index.ts', options, host).resolvedModule?.resolvedFileName,
    );
    expect(resolved).toEqual(names.slice(1));
  });

  it('N42 the configuration of Jest in the guide is the one that a packed consumer is tested with', () => {
    const guide = markdownFiles.find(({ name }) => name === 'docs/guide.md');
    const shown = codeBlocksOf(guide ?? { name: '', text: '' }).find(({ code }) => code.includes('jest.config.cjs'));
    const codeOf = (text: string) => text.replaceAll(/ *\/\/.*$/gm, '').trim();
    expect(codeOf(shown?.code ?? '')).toBe(codeOf(read(`${CONSUMER}/jest.config.cjs`)));
    expect(existsSync(new URL(`${CONSUMER}/gate.test.ts`, ROOT))).toBe(true);
  });

  it('has no script that npm runs, or warns about, when the package is installed', () => {
    const scripts = Object.keys(manifest.scripts);
    expect(scripts.filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
  });
});
