/**
 * Shows the progress of a long command on a terminal, in one line that is rewritten. It prints nothing if the output is
 * not a terminal.
 */
import type { Output } from '../io.js';

export interface Progress {
  show(text: string): void;
  /** Removes the line. */
  clear(): void;
}

/** Moves to the beginning of the line and erases it. */
const ERASE_LINE = '\r\u001b[K';

export function progressOn(output: Output): Progress {
  if (!output.isTerminal) return { show: () => undefined, clear: () => undefined };
  return {
    show: (text) => output.write(ERASE_LINE + text),
    clear: () => output.write(ERASE_LINE),
  };
}
