import type { Awaitable } from '../contracts/key-resolver.js';

/** Waits for a response, at most for this number of milliseconds. */
export async function withTimeout<T>(answer: Awaitable<T>, milliseconds: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('late'), { name: 'TimeoutError' });
    // `setImmediate` reads an answer that arrived while the event loop was blocked, so that it is not too late.
    timer = setTimeout(() => setImmediate(reject, error), milliseconds);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
