import { type SpawnSyncOptions, spawnSync } from 'node:child_process';

/**
 * Runs a program, and blocks until it ends. It is killed after a minute, because no timeout of Jest fires while the test is
 * blocked.
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
