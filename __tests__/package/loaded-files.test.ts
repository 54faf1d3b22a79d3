/** What a user's process loads for each entry point, read from the imports of the files that are published. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { build, ROOT } from '../examples/built-service.js';
import { runSync } from '../support/run-sync.js';

const DIST = join(ROOT, 'dist');

interface Loaded {
  readonly files: Set<string>;
  readonly packages: Set<string>;
}

beforeAll(build, 300_000);

describe('an entry point', () => {
  it('keyward is three files, and loads lru-cache only', () => {
    const { files, packages } = loadedBy('index.js');
    expect(namesOf(files)).toEqual(['chunks/base.js', 'chunks/core.js', 'index.js']);
    expect([...packages]).toEqual(['lru-cache']);
  });

  it('keyward/client loads no package, and nothing that only a gate needs', () => {
    const { files, packages } = loadedBy('client/index.js');
    expect(namesOf(files)).toEqual(['chunks/base.js', 'client/index.js']);
    expect([...packages]).toEqual([]);
  });

  it('keyward/store loads no driver, and nothing that only a gate needs', () => {
    const { files, packages } = loadedBy('store/index.js');
    expect(namesOf(files)).not.toContain('chunks/core.js');
    expect([...packages]).toEqual([]);
  });

  it.each(['mcp', 'openapi', 'management', 'dashboard'])('keyward/%s does not load jose', (name) => {
    expect([...loadedBy(`${name}/index.js`).packages]).not.toContain('jose');
  });

  // The first use of ICU in a process takes 20 ms.
  it.each(['keyward', 'keyward/client', 'keyward/store', 'keyward/mcp', 'keyward/openapi', 'keyward/management'])(
    '%s formats nothing for a locale while it loads',
    (name) => {
      const script = `
        const used = [];
        Number.prototype.toLocaleString = function () { used.push('toLocaleString'); return String(this); };
        globalThis.Intl = new Proxy({}, { get: (_, name) => { used.push(String(name)); return class {}; } });
        await import('${name}');
        console.log(JSON.stringify(used));`;
      const { stdout, stderr } = runSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual([]);
    },
  );

  it('shares its classes and principals with the others', () => {
    const script = `
      import { authOf, KeywardError, requireBearer } from 'keyward';
      import { TokenClientError } from 'keyward/client';
      import { ManagementError } from 'keyward/management';
      import { StoreError } from 'keyward/store';
      import { createTestKit } from 'keyward/testing';
      const kit = createTestKit();
      const req = { method: 'GET', url: '/', headers: { authorization: \`Bearer \${kit.secretKey()}\` } };
      req.rawHeaders = ['Authorization', req.headers.authorization];
      await new Promise((resolve, reject) => {
        requireBearer({ accept: kit.accept })(req, {}, (error) => (error ? reject(error) : resolve()));
      });
      const errors = [TokenClientError, ManagementError, StoreError].map((type) => type.prototype instanceof KeywardError);
      console.log(JSON.stringify([errors, authOf(req).kind]));`;
    const { stdout, stderr } = runSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual([[true, true, true], 'secret']);
  });
});

/** The files and packages that are loaded with a file of dist/. Dynamic imports are left out. */
function loadedBy(name: string): Loaded {
  const loaded: Loaded = { files: new Set(), packages: new Set() };
  follow(join(DIST, name), loaded);
  return loaded;
}

function follow(file: string, loaded: Loaded): void {
  if (loaded.files.has(file)) return;
  loaded.files.add(file);
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022);
  for (const statement of statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    if (statement.moduleSpecifier === undefined) continue;
    const { text } = statement.moduleSpecifier as ts.StringLiteral;
    if (text.startsWith('.')) follow(join(file, '..', text), loaded);
    else if (!text.startsWith('node:')) loaded.packages.add(text);
  }
}

function namesOf(files: ReadonlySet<string>): readonly string[] {
  return [...files].map((file) => relative(DIST, file)).sort();
}
