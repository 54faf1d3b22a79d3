import { type SpawnSyncOptions, spawnSync } from 'node:child_process';

/**
 * Runs a program to its end, while the test does nothing else. It is killed after a minute: no timer of Jest could fire
 * before it ends.
 */
export function runSync(program: string, args: readonly string[], options: SpawnSyncOptions = {}) {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    ...{ timeout: 60_000, killSignal: 'SIGKILL' },
    ...options,
    encoding: 'utf8',
  });
  if (error !== undefined) throw error;
  return { status, stdout, stderr };
}
