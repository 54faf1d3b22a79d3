/** Starts the MCP server and its issuer: `npm run example:mcp`, `PORT=8080 npm run example:mcp`. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { digestOf } from 'keyward';
import { createApp } from './app.js';
import { welcome } from './welcome.js';

// The client secret is printed, so only this machine may connect.
const HOST = '127.0.0.1';
const CLIENT_ID = 'ack_notes';

const clientSecret = randomBytes(32).toString('base64url');
const server = createServer();
server.listen(Number(process.env.PORT ?? 3000), HOST);
await once(server, 'listening');

// The issuer is known by the URL of the service, which ends in a port that may have been chosen just now.
const baseUrl = `http://${HOST}:${(server.address() as AddressInfo).port}`;
server.on(
  'request',
  createApp(baseUrl, {
    id: CLIENT_ID,
    account: 'acme',
    environment: 'live',
    secrets: [{ digest: digestOf(clientSecret) }],
    scopes: ['notes:read', 'notes:write'],
    defaultScopes: ['notes:read'],
  }),
);
console.log(welcome(baseUrl, CLIENT_ID, clientSecret));

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
