import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { RateLimit } from 'keyward';

/** Starts, sends so many requests, or ends. */
export type LimitedOrder =
  | { readonly url: string; readonly run: string; readonly limits: readonly RateLimit[] }
  | number
  | 'close';

/** A guard with a shared counter in a process of its own. */
export interface Limited {
  /** Sends requests, five at a time; how many of them passed. */
  ask(requests: number): Promise<number>;
  close(): Promise<void>;
}

const HOOKS = new URL('./run-typescript.js', import.meta.url).href;
const SCRIPT = new URL('./rate-limit-process.ts', import.meta.url);

/** @param run - Sets the counts of one test apart. */
export async function startLimited(url: string, run: string, limits: readonly RateLimit[]): Promise<Limited> {
  const child = fork(SCRIPT, { execArgv: ['--disable-warning=ExperimentalWarning', '--import', HOOKS] });
  const gone = once(child, 'exit');
  async function send(order: LimitedOrder): Promise<number> {
    const answer = once(child, 'message');
    child.send(order);
    const [passed] = await Promise.race([answer, gone.then(() => Promise.reject(new Error('it ended')))]);
    return passed as number;
  }
  await send({ url, run, limits });
  return {
    ask: send,
    async close() {
      child.send('close');
      await gone;
    },
  };
}
