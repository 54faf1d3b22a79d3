import { Agent, request } from 'node:http';

/** What became of a request: a status, or the code of the error. */
export interface Outcome {
  readonly status: number | undefined;
  readonly error: string | undefined;
  /** Whether the server had begun it: it answered `100 Continue`. */
  readonly begun: boolean;
}

/** Clients that send requests until nobody answers. */
export interface BusyClients {
  /** How many requests have ended so far. */
  count(): number;
  /** Resolves when the server refuses connections. */
  readonly outcomes: Promise<readonly Outcome[]>;
}

export interface Target {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends one request, and its body when the server says that it has begun it. */
export function send(agent: Agent, { port, path, method = 'GET', headers, body }: Target): Promise<Outcome> {
  return new Promise((resolve) => {
    const sent = request({
      ...{ host: '127.0.0.1', port, agent, path, method },
      headers: { ...headers, expect: '100-continue' },
    });
    let begun = false;
    const end = (status: number | undefined, error: string | undefined) => resolve({ status, error, begun });
    sent.on('continue', () => {
      begun = true;
      sent.end(body);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => end(undefined, error.code ?? error.message));
    sent.on('response', (res) => {
      res.resume();
      res.on('end', () => end(res.statusCode, undefined));
      res.on('error', (error: NodeJS.ErrnoException) => end(undefined, `within the answer: ${error.code}`));
    });
    sent.flushHeaders();
  });
}

/** Clients that send one request after the other, each over a connection that it keeps, until nobody answers there. */
export function keepBusy(target: Target, clients: number): BusyClients {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const outcomes: Outcome[] = [];
  async function one(): Promise<void> {
    for (;;) {
      const outcome = await send(agent, target);
      outcomes.push(outcome);
      if (outcome.error === 'ECONNREFUSED') return;
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, one)).then(() => {
    agent.destroy();
    return outcomes;
  });
  return { count: () => outcomes.length, outcomes: ended };
}
