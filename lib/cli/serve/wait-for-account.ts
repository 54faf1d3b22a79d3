import { setTimeout as wait } from 'node:timers/promises';
import type { AccountChoice } from './served-dashboard.js';

/** How often the server checks whether the account of the Dashboard exists and the database can be reached. */
const INTERVAL_MS = 1_000;

/**
 * Tries to choose the account of the Dashboard about once a second, until there is an account, or until it is certain
 * that there will be no Dashboard. It yields each new reason for waiting, and finally the last choice.
 *
 * @param firstReason - The reason for waiting that was already printed. It is not yielded again.
 * @param ended - Aborts the wait: nothing more is yielded.
 * @param pause - Waits between two attempts; rejects if the wait was aborted. Tests replace it.
 */
export async function* waitForAccount(
  choose: () => Promise<AccountChoice>,
  firstReason: string,
  ended: AbortSignal,
  pause: (ended: AbortSignal) => Promise<unknown> = (signal) => wait(INTERVAL_MS, undefined, { signal }),
): AsyncGenerator<AccountChoice> {
  for (let reason = firstReason; ; ) {
    const isEnded = await pause(ended).then(
      () => false,
      () => true,
    );
    if (isEnded) return;
    const choice = await choose();
    if (choice.state !== 'waiting' || choice.reason !== reason) yield choice;
    if (choice.state !== 'waiting') return;
    reason = choice.reason;
  }
}
