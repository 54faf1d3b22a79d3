/** Loads the Express app that a module of the user exports. */
import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Express } from 'express';
import { CliError, EXIT } from './cli-error.js';
import { asksForJson } from './reorder-args.js';
import { escapeText } from './terminal/escape-text.js';
import { jsonLine } from './terminal/output.js';

/**
 * Loads the Express app that a module exports. If the module exports a function that is not an app, the function is
 * called and must return the app.
 *
 * @throws CliError if the module does not exist, throws an error, or exports no app.
 */
export async function loadApp(module: string): Promise<Express> {
  return appOf(module, await loadModule(module));
}

/** Loads the app of a module, and another export of the module by its name. */
export async function loadAppWith(module: string, name: string): Promise<{ app: Express; value: unknown }> {
  const loaded = await loadModule(module);
  const { [name]: own, default: main } = loaded as Exports & Readonly<Record<string, unknown>>;
  return {
    app: await appOf(module, loaded),
    value: own ?? (main as Readonly<Record<string, unknown>> | undefined)?.[name],
  };
}

async function loadModule(module: string): Promise<Exports> {
  const path = resolve(module);
  if (!existsSync(path)) throw new CliError(`the file ${module} does not exist`, EXIT.usage);
  return ofModule(module, async () => import(pathToFileURL(path).href));
}

async function appOf(module: string, loaded: Exports): Promise<Express> {
  const exported = exportOf(loaded);
  const app =
    typeof exported === 'function' && !isApp(exported) ? await ofModule(module, async () => exported()) : exported;
  if (!isApp(app))
    throw new CliError(
      `${module} does not export an Express app; export it as the default export or as "app"`,
      EXIT.usage,
    );
  return app;
}

interface Exports {
  readonly default?: unknown;
  readonly app?: unknown;
}

/**
 * Returns the exported app, or the function that makes it: the export `app` or the default export. An app is preferred
 * to a function, because an exported function may do something else, such as starting a server.
 *
 * TypeScript compiles `export default` to `module.exports.default`, and Node makes `module.exports` the default export,
 * so both levels are checked.
 */
function exportOf(loaded: Exports): unknown {
  const main = loaded.default as (Exports & { readonly __esModule?: unknown }) | undefined;
  const inner = main?.__esModule ? [main.app, main.default] : [];
  const exported = [...inner, main?.app, main, loaded.app].filter((value) => value !== undefined && value !== null);
  return exported.find(isApp) ?? exported[0];
}

function isApp(value: unknown): value is Express {
  return typeof value === 'function' && typeof (value as { handle?: unknown }).handle === 'function';
}

async function ofModule<T>(module: string, work: () => Promise<T>): Promise<T> {
  // A module may end the process, or wait for a promise that never settles. Without this listener, Node would exit
  // without our error message, and the exit code could be 0.
  const onExit = () => {
    const message = `${module} cannot be loaded: it exited the process, or it awaits a promise that never settles`;
    const error = { code: 'usage', message, exitCode: EXIT.usage };
    const isJson = asksForJson(process.argv.slice(2));
    process.stderr.write(isJson ? jsonLine({ error }) : `${escapeText(message)}\n`);
    process.exitCode = EXIT.usage;
  };
  // An error that a timer or an event of the module throws would end the process with a stack, and without our message.
  let onUncaught: NodeJS.UncaughtExceptionListener = () => undefined;
  const uncaught = new Promise<never>((_, reject) => {
    onUncaught = (error) => {
      // A listener of the module may handle the error, so that the module can still be loaded.
      if (process.listenerCount('uncaughtException') === 1) reject(error);
    };
  });
  process.once('exit', onExit);
  process.on('uncaughtException', onUncaught);
  try {
    return await Promise.race([work(), uncaught]);
  } catch (error) {
    const { message = String(error), stack = '' } = (error ?? {}) as Partial<Error>;
    const place = placeIn(stack);
    const where = place === undefined ? '' : ` (at ${place})`;
    throw new CliError(`${module} cannot be loaded: ${message}${where}`, EXIT.usage);
  } finally {
    process.off('exit', onExit);
    process.off('uncaughtException', onUncaught);
  }
}

/**
 * These expressions find the file and line of an error in its stack: `UNPARSED` at the beginning, for a syntax error in
 * CommonJS or TypeScript and for an import that does not exist; `FRAME` in the first frame with a file, for any other
 * error. The stack of a syntax error in an ES module has no place.
 */
const UNPARSED = /^(file:\/\/\S+:\d+|(?:\/|[A-Za-z]:\\).*:\d+)\n/;
const FRAME = /\n\s+at (?:.*?[\s(])??((?:file:\/\/|\/|[A-Za-z]:\\)[^()\n]*:\d+:\d+)/;

function placeIn(stack: string): string | undefined {
  const place = (UNPARSED.exec(stack) ?? FRAME.exec(stack))?.[1];
  if (place === undefined) return undefined;
  const located = place.startsWith('file:') ? fileURLToPath(place) : place;
  // If the first frame is in load-app.ts, the error did not come from the module of the user, so no place is named.
  if (located.startsWith(`${fileURLToPath(import.meta.url)}:`)) return undefined;
  const short = relative('', located);
  return short.startsWith('..') ? located : short;
}
