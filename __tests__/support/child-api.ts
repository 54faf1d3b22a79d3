import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { JSONWebKeySet } from 'jose';
import type { KeyRecord } from 'keyward';

/** What the API in the child knows: digests and public keys, never a credential. */
export interface ChildTable {
  readonly express: string;
  readonly records: readonly (readonly [digest: string, record: KeyRecord])[];
  readonly issuer: string;
  readonly audience: string;
  readonly jwks: JSONWebKeySet;
  /** Milliseconds since 1970, where the child's clock stands. */
  readonly now: number;
}

/** An API in a process of its own. */
export interface ChildApi {
  readonly port: number;
  /** Collects garbage, writes a snapshot of the heap, and names its file. */
  snapshot(file: string): Promise<void>;
  /** Makes every listener on every channel throw from now on. */
  breakListeners(): Promise<void>;
  /** How many errors came up that nobody caught. */
  uncaught(): Promise<number>;
  stop(): Promise<void>;
}

const HOOKS = new URL('./run-typescript.js', import.meta.url).href;
const SCRIPT = new URL('./child-api-process.ts', import.meta.url);

export async function startChildApi(table: ChildTable): Promise<ChildApi> {
  const child = fork(SCRIPT, { execArgv: ['--import', HOOKS, '--expose-gc'], silent: true });
  const exited = once(child, 'exit');
  const { port } = (await ask(child, { start: table })) as { port: number };
  return {
    port,
    async snapshot(file) {
      await ask(child, { snapshot: file });
    },
    async breakListeners() {
      await ask(child, { breakListeners: true });
    },
    async uncaught() {
      const answer = (await ask(child, { uncaught: true })) as { uncaught: number };
      return answer.uncaught;
    },
    async stop() {
      child.kill();
      await exited;
    },
  };
}

async function ask(child: ChildProcess, message: object): Promise<unknown> {
  const answer = once(child, 'message');
  child.send(message);
  const [answered] = await answer;
  return answered;
}
