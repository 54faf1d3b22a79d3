import type { Awaitable } from '../contracts/key-resolver.js';

/** Waits for an answer, at most for this number of milliseconds; then it throws a `TimeoutError`. */
export async function withTimeout<T>(answer: Awaitable<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('late'), { name: 'TimeoutError' });
    // The event loop reads from sockets between a timer and `setImmediate`. So an answer that arrived while the loop
    // was blocked is still in time.
    timer = setTimeout(() => setImmediate(reject, error), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
