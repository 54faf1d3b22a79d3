import { jest } from '@jest/globals';

const SPEED = 10;

/** Does work while `performance.now` is fast: a command that waits ten seconds for its database gives up after one. */
export async function onFastClock<T>(work: () => Promise<T>, speed = SPEED): Promise<T> {
  const now = performance.now.bind(performance);
  const start = now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => start + speed * (now() - start));
  try {
    return await work();
  } finally {
    clock.mockRestore();
  }
}
