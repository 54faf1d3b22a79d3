/**
 * Waits for a promise that others share, unless a signal aborts first. The work behind the promise goes on, and no
 * listener stays on the signal.
 *
 * @returns A promise that rejects with the reason of the signal if it aborts first.
 */
export function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
