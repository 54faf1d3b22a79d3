/** Removes the type declarations from dist/ that no entry point reaches, because nothing can import them. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../', import.meta.url);
const DIST = new URL('dist/', ROOT);
const RELATIVE_IMPORT = /(?:\bfrom |\bimport\(|\bimport )['"](\.[^'"]+)\.js['"]/g;

const { exports } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const reached = new Set();
for (const { types } of Object.values(exports)) if (types !== undefined) reach(new URL(types, ROOT));
for (const name of readdirSync(DIST, { recursive: true })) {
  const declaration = new URL(name, DIST);
  if (name.endsWith('.d.ts') && !reached.has(declaration.href)) rmSync(fileURLToPath(declaration));
}

function reach(declaration) {
  if (reached.has(declaration.href)) return;
  reached.add(declaration.href);
  for (const [, path] of readFileSync(declaration, 'utf8').matchAll(RELATIVE_IMPORT)) {
    reach(new URL(`${path}.d.ts`, declaration));
  }
}
