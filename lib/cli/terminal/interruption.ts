/** Handles SIGINT, SIGTERM and SIGHUP, so that a command can finish what it has started before it ends. */

/** The exit code after each signal, as in shells: 128 plus the number of the signal. */
const EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type SignalName = keyof typeof EXIT_CODES;

export interface ReceivedSignal {
  readonly name: SignalName;
  readonly exitCode: number;
}

export interface Interruption {
  /** Resolves with the first signal. A second signal ends the process immediately. */
  readonly received: Promise<ReceivedSignal>;
  /** The first signal; `undefined` if there was none yet. */
  readonly signal: ReceivedSignal | undefined;
  /** Stops listening: after that, a signal ends the process. */
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
