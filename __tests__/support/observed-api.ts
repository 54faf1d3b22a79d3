import type { RequestHandler } from 'express';
import { requireApi, requireBearer } from 'keyward';
import { createTestKit, type TestKit } from 'keyward/testing';
import { type AskOptions, type Reply, serveApp } from './served-app.js';

/** An API of payments behind a gate, with the events of its requests. */
export interface ObservedApi {
  readonly kit: TestKit;
  ask(credential?: string, path?: string, options?: AskOptions): Promise<Reply>;
  close(): Promise<void>;
}

export interface ObservedApiOptions {
  /** What stands before the gate. */
  readonly before?: readonly RequestHandler[];
  /** What stands behind it. */
  readonly behind?: readonly RequestHandler[];
}

export async function serveObserved({ before = [], behind = [] }: ObservedApiOptions = {}): Promise<ObservedApi> {
  const kit = createTestKit();
  const gate = requireBearer({ accept: kit.accept });
  const { ask, close } = await serveApp((app, handler) => {
    app.use('/payments', ...before, gate, ...behind, requireApi('payments'), handler);
  });
  return { kit, close, ask: (credential, path = '/payments', options = {}) => ask(path, credential, options) };
}

/** Lets a gate refuse a number of distinct credentials, without the cost of HTTP. */
export function flood(requests: number): void {
  const gate = requireBearer({ accept: createTestKit().accept });
  const res = { headersSent: false, getHeader: () => undefined, setHeader: () => undefined };
  for (let i = 0; i < requests; i += 1) {
    const authorization = `Bearer guess-${i}`;
    const req = { headers: { authorization }, rawHeaders: [], method: 'GET', url: `/payments/${i}` };
    gate(req as never, res as never, () => undefined);
  }
}
