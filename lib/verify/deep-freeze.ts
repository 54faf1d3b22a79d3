/** Freezes parsed JSON at every depth, so that no handler can change what the next request sees. */
export function deepFreeze<T>(value: T): T {
  // What is no object counts as frozen.
  if (!Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value as object)) deepFreeze(member);
  }
  return value;
}
