/**
 * Calls a function after Node has read the answers that have arrived: the event loop reads from sockets between a timer
 * and `setImmediate`. For timeouts, because an answer may have arrived in time while the event loop was blocked:
 * `setTimeout(afterReads, 1_000, onTimeout)`.
 *
 * @param onTimeout - It must check whether the answer has arrived, because clearing the timer may then be too late.
 */
export const afterReads: (onTimeout: () => void) => void = setImmediate;
