/** The service as `npm start` runs it: built from the sources as they are now, in a process of its own. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

declare const EXPRESS: 4 | 5;

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = join(ROOT, 'examples/payments-service');
const MAIN = join(EXAMPLE, 'dist/main.js');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const ROLLUP = join(ROOT, 'node_modules/rollup/dist/bin/rollup');
const BUILD: readonly (readonly string[])[] = [
  [TSC, '-p', 'tsconfig.build.json'],
  [ROLLUP, '--config', '--silent'],
  [TSC, '-p', 'examples/payments-service'],
];

const BUILD_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 60_000;

/** Makes Node load Express 4 where the service asks for Express. */
const WITH_EXPRESS_4 = dataUrl(`
  import { register } from 'node:module';
  register(${JSON.stringify(
    dataUrl("export const resolve = (name, context, next) => next(name === 'express' ? 'express4' : name, context);"),
  )});
`);

export const FLAGS = EXPRESS === 4 ? ['--import', WITH_EXPRESS_4] : [];

export interface RunningService {
  /** What it has printed until now. */
  printed(): string;
  /** Resolves when it has printed what matches; rejects after a minute. A test file may wait for it where it is loaded. */
  until(pattern: RegExp): Promise<void>;
  /** Sends a signal, and resolves with the exit code: `null` where the signal killed it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly port?: number;
  /** Where its keys are: `file:keyward.db`. */
  readonly database?: string;
  /** Where it runs: a folder of its own, gone when it ends. */
  readonly folder?: string;
}

export async function startService({
  args = [],
  port = 0,
  database,
  folder,
}: StartOptions = {}): Promise<RunningService> {
  await build();
  const cwd = folder ?? mkdtempSync(join(tmpdir(), 'keyward-example-'));
  const { DATABASE_URL: _, ...env }: NodeJS.ProcessEnv = { ...process.env, PORT: String(port) };
  const place = database === undefined ? {} : { DATABASE_URL: database };
  const child = spawn(process.execPath, [...FLAGS, MAIN, ...args], { cwd, env: { ...env, ...place } });
  const closed = once(child, 'close');
  let isClosed = false;
  child.on('close', () => {
    isClosed = true;
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  }
  const until = async (pattern: RegExp) => {
    const signal = AbortSignal.timeout(START_TIMEOUT_MS);
    while (!pattern.test(printed)) {
      if (isClosed) throw new Error(`the service ended with ${child.exitCode}:\n${printed}`);
      if (signal.aborted) throw new Error(`the service did not print ${pattern}:\n${printed}`);
      await Promise.race([once(child.stdout, 'data', { signal }).catch(() => undefined), closed]);
    }
  };
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const [code] = await closed;
    if (folder === undefined) rmSync(cwd, { recursive: true, force: true });
    return code;
  };
  return { printed: () => printed, until, end };
}

/** Builds the package and the service where they are older than their sources; one process at a time. */
export async function build(): Promise<void> {
  const lock = join(tmpdir(), `keyward-build-${createHash('sha256').update(ROOT).digest('hex').slice(0, 16)}`);
  while (isStale()) {
    if (acquire(lock)) {
      try {
        for (const args of BUILD)
          execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'pipe', timeout: BUILD_TIMEOUT_MS });
      } finally {
        rmSync(lock, { recursive: true, force: true });
      }
      // A source whose time is in the future stays newer than what was built.
      return;
    }
    await setTimeout(100);
  }
}

function isStale(): boolean {
  const library = join(ROOT, 'dist/index.js');
  if (!existsSync(library) || !existsSync(MAIN)) return true;
  const [libraryBuilt, serviceBuilt] = [changedAt(library), changedAt(MAIN)];
  return libraryBuilt < newestIn(join(ROOT, 'lib')) || serviceBuilt < newestIn(join(EXAMPLE, 'src'));
}

function acquire(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    // The process that held the lock for so long has ended.
    if (existsSync(lock) && Date.now() - changedAt(lock) > BUILD.length * BUILD_TIMEOUT_MS)
      rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function newestIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return Math.max(...files.map((name) => changedAt(join(folder, name))));
}

function changedAt(path: string): number {
  return statSync(path).mtimeMs;
}

function dataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
