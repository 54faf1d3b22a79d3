import type { Awaitable } from '../contracts/key-resolver.js';
import { afterSocketReads } from '../http/after-socket-reads.js';

/** Waits for a promise. If the promise does not settle within `milliseconds`, a `TimeoutError` is thrown instead. */
export async function withTimeout<T>(answer: Awaitable<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('no answer within the time limit'), { name: 'TimeoutError' });
    timer = setTimeout(afterSocketReads, milliseconds, () => reject(error));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
