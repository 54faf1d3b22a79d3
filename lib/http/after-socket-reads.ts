/**
 * For timeouts: `setTimeout(afterSocketReads, 1_000, onTimeout)` calls `onTimeout` only after Node has read the data that has
 * already arrived. If the event loop was blocked, a timer can fire although the answer arrived in time. The event loop
 * reads from sockets after its timers and before `setImmediate`.
 *
 * @param onTimeout - Must check whether the answer has arrived: after the timer has fired, `clearTimeout` has no
 *   effect.
 */
export const afterSocketReads: (onTimeout: () => void) => void = setImmediate;
