/** Handles SIGINT, SIGTERM or SIGHUP while a command finishes what it has started. */

/** The exit codes of shells: 128 plus the number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type SignalName = keyof typeof EXIT_CODES;

export interface ReceivedSignal {
  readonly name: SignalName;
  readonly exitCode: number;
}

export interface Interruption {
  /** Resolves with the first signal. A second one ends the process immediately. */
  readonly received: Promise<ReceivedSignal>;
  /** The first signal, if there was one. */
  readonly signal: ReceivedSignal | undefined;
  /** Restores the default handling. */
  ignore(): void;
}

export function listenForInterruption(): Interruption {
  const names = Object.keys(EXIT_CODES) as SignalName[];
  let signal: ReceivedSignal | undefined;
  let resolve: (signal: ReceivedSignal) => void;
  const received = new Promise<ReceivedSignal>((done) => {
    resolve = done;
  });
  function ignore(): void {
    for (const name of names) process.off(name, onSignal);
  }
  function onSignal(name: SignalName): void {
    ignore();
    signal = { name, exitCode: EXIT_CODES[name] };
    resolve(signal);
  }
  for (const name of names) process.on(name, onSignal);
  return {
    received,
    ignore,
    get signal() {
      return signal;
    },
  };
}
