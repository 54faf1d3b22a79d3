import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import express, { type Express, type RequestHandler } from 'express';
import { bearerErrors } from 'keyward';
import { sendRaw, serve } from './raw-http.js';

/** An app over real HTTP, and a client that keeps its connections. */
export interface ServedApp {
  readonly port: number;
  /** How often a handler ran. */
  handled(): number;
  /** Sends a request with a credential; none where it is `undefined`. */
  ask(path: string, credential?: string, options?: AskOptions): Promise<Reply>;
  /** Sends many over one connection, none waiting for the answer to another; the answers, in order. */
  askPipelined(requests: readonly Turn[]): Promise<readonly Answer[]>;
  close(): Promise<void>;
}

/** A path, and the credential presented there. */
export type Turn = readonly [path: string, credential: string];

export interface Answer {
  readonly status: number;
  readonly challenge: string | undefined;
}

export interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Serves an app until it is closed.
 *
 * @param mount - Mounts gates, guards and the handler, which answers with the principal as JSON.
 */
export async function serveApp(mount: (app: Express, handler: RequestHandler) => void): Promise<ServedApp> {
  let handled = 0;
  const app = express();
  mount(app, (req, res) => {
    handled += 1;
    res.json((req as { auth?: unknown }).auth ?? null);
  });
  app.use(bearerErrors());
  const { port, close } = await serve(app);
  const agent = new Agent({ keepAlive: true });

  function ask(path: string, credential?: string, { method = 'GET', headers = {} }: AskOptions = {}): Promise<Reply> {
    const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
    return new Promise((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', agent, path, method, headers: { ...authorization, ...headers } });
      sent.on('error', reject);
      sent.on('response', (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('end', () => {
          const body = Buffer.concat(chunks).toString();
          resolve({ status: res.statusCode ?? 0, headers: flat(res.headers), body });
        });
      });
      sent.end();
    });
  }

  async function askPipelined(requests: readonly Turn[]): Promise<readonly Answer[]> {
    const heads = requests.map(([path, credential], at) => {
      const connection = at === requests.length - 1 ? 'close' : 'keep-alive';
      const lines = ['Host: api.test', `Connection: ${connection}`, `Authorization: Bearer ${credential}`];
      return [`GET ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
    });
    const { text } = await sendRaw(port, heads.join(''));
    return text
      .split('HTTP/1.1 ')
      .slice(1)
      .map((answer) => ({
        status: Number(answer.slice(0, 3)),
        challenge: /^WWW-Authenticate: (.*)\r$/m.exec(answer)?.[1],
      }));
  }

  return {
    port,
    ask,
    askPipelined,
    handled: () => handled,
    close: () => {
      agent.destroy();
      return close();
    },
  };
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
