import { Agent, request } from 'node:http';

/** What became of a request: a status, or the code of the error. */
export interface Outcome {
  readonly status: number | undefined;
  readonly error: string | undefined;
  /** Milliseconds, as of `performance.now()`, when it ended. */
  readonly at: number;
}

export interface Target {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request. */
export function send(agent: Agent, { port, path, method = 'GET', headers, body }: Target): Promise<Outcome> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', port, agent, path, method, headers });
    const end = (status: number | undefined, error: string | undefined) =>
      resolve({ status, error, at: performance.now() });
    sent.on('error', (error: NodeJS.ErrnoException) => end(undefined, error.code ?? error.message));
    sent.on('response', (res) => {
      res.resume();
      res.on('end', () => end(res.statusCode, undefined));
      res.on('error', (error: NodeJS.ErrnoException) => end(undefined, `within the answer: ${error.code}`));
    });
    sent.end(body);
  });
}

/** Clients that send one request after the other, each over a connection that it keeps, until nobody answers there. */
export function keepBusy(target: Target, clients: number): Promise<readonly Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const outcomes: Outcome[] = [];
  async function one(): Promise<void> {
    for (;;) {
      const outcome = await send(agent, target);
      outcomes.push(outcome);
      if (outcome.error === 'ECONNREFUSED') return;
    }
  }
  return Promise.all(Array.from({ length: clients }, one)).then(() => {
    agent.destroy();
    return outcomes;
  });
}
