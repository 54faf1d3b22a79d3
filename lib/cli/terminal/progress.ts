/**
 * Shows the progress of a long command in one line of the terminal, which is overwritten each time. If the output is
 * not a terminal, it prints nothing.
 */
import type { Output } from '../io.js';

export interface Progress {
  show(text: string): void;
  /** Removes the line. */
  clear(): void;
}

/** The control characters that move the cursor to the beginning of the line and erase the line. */
const ERASE_LINE = '\r\u001b[K';

export function progressOn(output: Output): Progress {
  if (!output.isTerminal) return { show: () => undefined, clear: () => undefined };
  return {
    show: (text) => output.write(ERASE_LINE + text),
    clear: () => output.write(ERASE_LINE),
  };
}
