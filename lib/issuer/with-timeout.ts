import type { Awaitable } from '../contracts/key-resolver.js';
import { afterReads } from '../http/after-socket-reads.js';

/** Waits for an answer, at most for this number of milliseconds; then it throws a `TimeoutError`. */
export async function withTimeout<T>(answer: Awaitable<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('late'), { name: 'TimeoutError' });
    timer = setTimeout(afterReads, milliseconds, () => reject(error));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
