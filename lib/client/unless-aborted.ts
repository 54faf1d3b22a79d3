/**
 * Waits for a promise, but stops waiting if a signal aborts first. Other callers wait for the same promise, so its work
 * continues. The signal must not have aborted yet.
 *
 * @returns A promise that rejects with the reason of the signal if it aborts first.
 */
export function unlessAborted<T>(shared: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort);
    shared.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
