/** An app on an Express that instrumentation has wrapped, in a process of its own: what wraps a module wraps it for all. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXPRESS } from './audited.js';

/** The options of the process. */
export interface Instrumented {
  readonly by: 'nobody' | 'OpenTelemetry' | 'express-async-errors';
  readonly load: 'require' | 'import';
  /** A folder that has both packages. */
  readonly folder: string;
}

export interface InstrumentedResult {
  /** Path, credential, status and body of each request. */
  readonly answers: readonly string[];
  readonly audited: readonly string[];
  /** What `assertGuarded` said. */
  readonly fault: string;
  readonly isWrapped: boolean;
  /** The names of the spans. */
  readonly spans: readonly string[];
}

const HOOKS = new URL('./run-typescript.js', import.meta.url).href;
const SCRIPT = new URL('./instrumented-app-process.ts', import.meta.url);
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const WRAPPED = ['express', 'express-async-errors'] as const;

/**
 * Runs the app on the version of Express under test. Instrumentation knows Express by the name of its folder, which is
 * another one for version 4 here: so the packages are copied into a folder of their own.
 */
export async function runInstrumented(options: Pick<Instrumented, 'by' | 'load'>): Promise<InstrumentedResult> {
  const folder = await mkdtemp(join(tmpdir(), 'keyward-instrumented-'));
  try {
    const modules = join(folder, 'node_modules');
    for (const name of WRAPPED) {
      const source = name === 'express' && EXPRESS === 4 ? 'express4' : name;
      await cp(join(MODULES, source), join(modules, name), { recursive: true, dereference: true });
    }
    await writeFile(join(folder, 'load.mjs'), "export { default } from 'express';");
    return await askProcess({ ...options, folder });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function askProcess(instrumented: Instrumented): Promise<InstrumentedResult> {
  const env = { ...process.env, NODE_PATH: MODULES };
  const child = fork(SCRIPT, { execArgv: ['--import', HOOKS], env, silent: true });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'exit');
  const answer = once(child, 'message').then(([message]) => message as InstrumentedResult);
  child.send(instrumented);
  try {
    return await Promise.race([answer, ended.then(() => Promise.reject(new Error(`the process ended: ${said}`)))]);
  } finally {
    child.kill();
    await ended;
  }
}
