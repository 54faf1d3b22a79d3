import type { Decision } from 'keyward';

export interface LineLimit {
  /** Lines of each outcome that are written in a second. */
  readonly perSecond: number;
  readonly write: (decision: Decision) => void;
  /** Called before the next line of that outcome: how many lines were left out. */
  readonly dropped: (outcome: Decision['outcome'], lines: number) => void;
  /** Milliseconds, never set back. */
  readonly now?: () => number;
}

/** Keeps a flood of one outcome from filling the log, or from hiding another outcome in it. */
export function limitLines({ perSecond, write, dropped, now = () => performance.now() }: LineLimit) {
  const seconds = new Map<Decision['outcome'], { readonly since: number; lines: number }>();
  return (decision: Decision): void => {
    const { outcome } = decision;
    let second = seconds.get(outcome);
    if (second === undefined || now() - second.since >= 1_000) {
      if (second !== undefined && second.lines > perSecond) dropped(outcome, second.lines - perSecond);
      second = { since: now(), lines: 0 };
      seconds.set(outcome, second);
    }
    second.lines += 1;
    if (second.lines <= perSecond) write(decision);
  };
}
