/** The other end of `startChildApi`: run in a process of its own. */
import { subscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeHeapSnapshot } from 'node:v8';
import { accessTokens, apiKeys, bearerErrors, requireBearer } from 'keyward';
import type { ChildTable } from './child-api.js';
import { channelNames } from './eavesdrop.js';

type Message = Partial<{ start: ChildTable; snapshot: string; breakListeners: true; uncaught: true }>;

let uncaught = 0;
let close = () => {};

process.on('uncaughtException', () => {
  uncaught += 1;
});

process.on('message', async ({ start, snapshot, breakListeners }: Message) => {
  if (start !== undefined) process.send?.({ port: await serve(start) });
  else if (snapshot !== undefined) {
    close();
    await idle();
    globalThis.gc?.();
    process.send?.({ file: writeHeapSnapshot(snapshot) });
  } else {
    if (breakListeners) for (const name of channelNames) subscribe(name, throwing);
    process.send?.({ uncaught });
  }
});

async function serve({ express, records, issuer, audience, jwks, now }: ChildTable): Promise<number> {
  const { default: createApp } = await import(express);
  const table = new Map(records.map(([digest, record]) => [digest, record]));
  const clock = { now: () => now, monotonic: () => 0 };
  const app = createApp();
  const tokens = accessTokens({ issuer, audience, jwks, clock });
  const keys = apiKeys({ resolver: ({ digest }) => table.get(digest), kinds: ['secret'], environment: 'live', clock });
  app.get('/', requireBearer({ accept: [tokens, keys] }), (_req: unknown, res: { end(): void }) => res.end());
  app.use(bearerErrors());
  const server = createServer(app as RequestListener);
  close = () => server.closeAllConnections();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function throwing(): never {
  throw new Error('this listener is broken');
}

/** Lets closed sockets go. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
