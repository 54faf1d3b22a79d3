import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from '@jest/globals';
import { trackConnections } from '../../lib/cli/serve/track-connections.js';
import { eventually } from '../support/store-wait.js';

it('the open connections of a server are those that nobody has closed', async () => {
  const server = createServer((socket) => void socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets = trackConnections(server);
  const { port } = server.address() as AddressInfo;
  const [first, second] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  await eventually(() => sockets.size === 2);
  first.destroy();
  await eventually(() => sockets.size === 1);
  expect([...sockets].map(({ remotePort }) => remotePort)).toEqual([second.localPort]);
  second.destroy();
  server.close();
  await eventually(() => sockets.size === 0);
});
