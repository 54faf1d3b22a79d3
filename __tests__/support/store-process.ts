import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** What a child is asked to do, one thing at a time. */
export type StoreOrder =
  | { readonly open: string }
  /** Adds access keys, each with two secrets, one transaction each; answers with their ids. */
  | { readonly add: number }
  | { readonly revoke: string }
  /** Revokes, and is gone before anybody hears of it. */
  | { readonly revokeAndDie: string }
  /** Adds keys until that fails; answers with the code of the error. */
  | { readonly fill: true }
  | { readonly find: string }
  /** Presents a key to a gate's verifier over the store, with its cache. */
  | { readonly present: string }
  | { readonly close: true };

export interface StoreAnswer {
  readonly ids?: readonly string[];
  readonly code?: string;
  readonly found?: boolean;
  readonly outcome?: string;
}

/** A store in a process of its own. */
export interface StoreProcess {
  ask(order: StoreOrder): Promise<StoreAnswer>;
  /** Sends an order that is not answered. */
  send(order: StoreOrder): void;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  /** Resolves when it is gone, with its exit code. */
  readonly gone: Promise<number | null>;
}

const HOOKS = new URL('./run-typescript.js', import.meta.url).href;
const SCRIPT = fileURLToPath(new URL('./store-process-child.ts', import.meta.url));

/** @param largestFile - Blocks of 512 bytes that a file of it may have: then its disk is full. */
export function startStoreProcess(url: string, largestFile?: number): Promise<StoreProcess> {
  const node = [process.execPath, '--import', HOOKS, SCRIPT] as const;
  const limit = `trap '' XFSZ; ulimit -f ${largestFile}; exec "$@"`;
  const [command, ...args] = largestFile === undefined ? node : ['/bin/sh', '-c', limit, 'sh', ...node];
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  return opened(child, url);
}

async function opened(child: ChildProcess, url: string): Promise<StoreProcess> {
  const gone = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  async function ask(order: StoreOrder): Promise<StoreAnswer> {
    const answer = once(child, 'message') as Promise<StoreAnswer[]>;
    child.send(order);
    const [answered] = await Promise.race([
      answer,
      gone.then((code) => Promise.reject(new Error(`it ended: ${code}`))),
    ]);
    return answered ?? {};
  }
  await ask({ open: url });
  return {
    ask,
    send: (order) => void child.send(order),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
    gone,
  };
}
