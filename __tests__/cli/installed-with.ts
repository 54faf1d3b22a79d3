/** The command line in a project that lacks a package: built, and installed there. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../examples/built-service.js';

const INSTALLED = join(ROOT, 'node_modules');

export interface Installed {
  /** The project. */
  readonly folder: string;
  run(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  remove(): void;
}

/** Packages that are there are links: what they need themselves is found where they are. */
export function installedWith(packages: readonly string[]): Installed {
  const folder = mkdtempSync(join(tmpdir(), 'keyward-installed-'));
  const modules = join(folder, 'node_modules');
  const own = join(modules, 'keyward');
  mkdirSync(own, { recursive: true });
  cpSync(join(ROOT, 'dist'), join(own, 'dist'), { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(own, 'package.json'));
  for (const name of packages) symlinkSync(join(INSTALLED, name), join(modules, name), 'junction');
  // As it is where its compiled half was neither fetched nor made.
  if (!packages.includes('better-sqlite3') && packages.includes('bindings')) {
    for (const name of ['package.json', 'lib']) {
      const [from, to] = [INSTALLED, modules].map((root) => join(String(root), 'better-sqlite3', name));
      cpSync(String(from), String(to), { recursive: true });
    }
  }

  function run(...args: string[]) {
    const { KEYWARD_DATABASE: _, DATABASE_URL: __, NODE_OPTIONS: ___, ...env } = process.env;
    return new Promise<Awaited<ReturnType<Installed['run']>>>((resolve) => {
      const program = join(own, 'dist/cli/main.js');
      execFile(process.execPath, [program, ...args], { cwd: folder, env }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err });
      });
    });
  }

  return { folder, run, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
