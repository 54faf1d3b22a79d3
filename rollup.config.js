/**
 * Bundles the files that `tsc` wrote to .build/: each entry point of package.json becomes one file of dist/, and what several of them
 * share goes to dist/chunks/. Loading 123 small modules takes longer than running them (docs/decisions/0030-bundled-entry-points.md).
 */
import { readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Rollup names modules by their real path.
const FROM = realpathSync(fileURLToPath(new URL('.build', import.meta.url)));
const { exports, bin } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const ENTRIES = [...Object.values(exports).map((target) => target.default), ...Object.values(bin)]
  .filter((path) => path !== undefined)
  .map((path) => path.replace(/^\.\/dist\/(.*)\.js$/, '$1'));

/** Entry points that are loaded without Express: they must not load what only a gate needs. */
const WITHOUT_EXPRESS = ['client/index', 'store/index'];

export default {
  input: Object.fromEntries(ENTRIES.map((name) => [name, fileOf(name)])),
  external: (id) => !id.startsWith('.') && !isAbsolute(id),
  output: {
    dir: 'dist',
    chunkFileNames: 'chunks/[name].js',
    manualChunks: chunkOf,
    // Stack traces and imports keep the names of the source.
    minifyInternalExports: false,
  },
  plugins: [{ name: 'without-doc-comments', renderChunk: withoutDocComments }],
  onwarn(warning) {
    const isExpected = warning.code === 'EMPTY_BUNDLE' && warning.names?.join() === 'augment';
    if (!isExpected) throw new Error(warning.message);
  },
};

function fileOf(name) {
  return join(FROM, `${name}.js`);
}

/** Removes comments such as this one, which editors read from the declarations. Comments in functions stay. */
function withoutDocComments(code) {
  return { code: code.replaceAll(/^[ \t]*\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n/gm, ''), map: null };
}

/**
 * Two chunks for the modules of the main entry point: `base` for those that an entry point without Express needs too, `core`
 * for the others. Rollup divides the rest. A module is in one chunk only, so that a class or WeakMap is the same in all entry points.
 */
function chunkOf(id, { getModuleInfo }) {
  const isLoadedBy = (name) => loadedBy(fileOf(name), getModuleInfo).has(id);
  if (getModuleInfo(id)?.isEntry || !isLoadedBy('index')) return undefined;
  return WITHOUT_EXPRESS.some(isLoadedBy) ? 'base' : 'core';
}

/** All modules that are loaded with a module. Dynamic imports are not followed. */
function loadedBy(id, getModuleInfo, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of getModuleInfo(id)?.importedIds ?? []) loadedBy(imported, getModuleInfo, found);
  return found;
}
