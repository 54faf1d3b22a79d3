/** Loads an Express app from a module that somebody else wrote. */
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Express } from 'express';
import { CliError, EXIT } from './io.js';

/** @throws CliError for a module that is not there, that throws, or that exports no app. */
export async function loadApp(module: string): Promise<Express> {
  const path = resolve(module);
  if (!existsSync(path)) throw new CliError(`There is no file ${module}.`, EXIT.usage);
  const loaded = await ofModule(module, async () => import(pathToFileURL(path).href));
  const exported = exportOf(loaded);
  const app =
    typeof exported === 'function' && !isApp(exported) ? await ofModule(module, async () => exported()) : exported;
  if (!isApp(app)) throw new CliError(`${module} exports no Express app, by default or as "app".`, EXIT.usage);
  return app;
}

interface Exports {
  readonly default?: unknown;
  readonly app?: unknown;
}

/** Of a CommonJS module the default export is all its exports, which has the one that TypeScript made of `export default`. */
function exportOf(loaded: Exports): unknown {
  const main = loaded.default as (Exports & { readonly __esModule?: unknown }) | undefined;
  const inner = main?.__esModule ? (main.app ?? main.default) : undefined;
  return inner ?? main?.app ?? main ?? loaded.app;
}

function isApp(value: unknown): value is Express {
  return typeof value === 'function' && typeof (value as { handle?: unknown }).handle === 'function';
}

async function ofModule<T>(module: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
    const place = placeIn(stack);
    const where = place === undefined ? '' : ` (at ${place})`;
    throw new CliError(`${module} cannot be loaded: ${message}${where}`, EXIT.usage);
  }
}

/** A file and a line: of what cannot be parsed the stack begins with them, of what was thrown its first frame has them. */
const UNPARSED = /^(file:\/\/\S+:\d+|(?:\/|[A-Za-z]:\\).*:\d+)\n/;
const FRAME = /\n\s+at (?:.*?[\s(])??((?:file:\/\/|\/|[A-Za-z]:\\)[^()\n]*:\d+:\d+)/;

function placeIn(stack: string): string | undefined {
  const place = (UNPARSED.exec(stack) ?? FRAME.exec(stack))?.[1];
  if (place === undefined) return undefined;
  const [, path = '', position = ''] = /^(.*?)((?::\d+)+)$/.exec(place) ?? [];
  const file = path.startsWith('file:') ? fileURLToPath(path) : path;
  // The frame below those of the module: what it threw says no place.
  if (file === fileURLToPath(import.meta.url)) return undefined;
  const short = relative('', file);
  return (short.startsWith('..') ? file : short) + position;
}
