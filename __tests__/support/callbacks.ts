/** Callbacks of a user that return what nobody waits for, in a process that an unhandled rejection ends. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export interface CallbackCase {
  readonly callback:
    | 'recordUse of a key'
    | 'recordUse of an access key'
    | 'watch of keys'
    | 'watch of access keys'
    | 'select of a channel'
    | 'scopesOf of a guard'
    | 'certificateOf';
  readonly returns:
    | 'nothing'
    | 'a promise that rejects'
    | 'a promise that rejects later'
    | 'a promise that never settles'
    | 'a thenable that throws';
}

export interface CallbackAnswer {
  readonly status: number;
  /** What was heard on `keyward:callback-failure`. */
  readonly events: readonly unknown[];
}

export function startCallbacks(): ChildProcess {
  const hooks = new URL('./run-typescript.js', import.meta.url).href;
  return fork(new URL('./callbacks-process.ts', import.meta.url), { execArgv: ['--import', hooks] });
}

/** Runs one case; it throws where the process ends. */
export async function runCallback(child: ChildProcess, given: CallbackCase): Promise<CallbackAnswer> {
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the process ended with ${code}`)));
  const answer = once(child, 'message').then(([message]) => message as CallbackAnswer);
  child.send(given);
  return await Promise.race([answer, ended]);
}
