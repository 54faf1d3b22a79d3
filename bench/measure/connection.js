/**
 * Connections that stay open, for requests whose bytes were made beforehand. They look for the end of each answer and no
 * further, so that the machine is busy with the servers and not with their client.
 */
import { once } from 'node:events';
import { connect } from 'node:net';

/** Opens a connection to the server of a URL. `ask` sends bytes, and resolves with the answer; one request at a time. */
export async function openConnection(url) {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port, noDelay: true });
  await once(socket, 'connect');
  let text = '';
  let asked;
  socket.setEncoding('latin1');
  socket.on('data', (chunk) => {
    text += chunk;
    const end = text.indexOf('\r\n\r\n') + 4;
    const [, length] = /^content-length: *(\d+)/im.exec(text.slice(0, end)) ?? [];
    if (end < 4 || text.length < end + Number(length ?? Number.POSITIVE_INFINITY)) return;
    const answer = { status: Number(text.slice(9, 12)), body: text.slice(end) };
    text = '';
    asked.resolve(answer);
  });
  socket.on('close', () => asked?.reject(new Error('the server closed a connection')));
  const ask = (bytes) =>
    new Promise((resolve, reject) => {
      asked = { resolve, reject };
      socket.write(bytes);
    });
  return { ask, close: () => socket.destroy() };
}

/** The bytes of a request that presents a credential, or none. */
export function getWith(url, credential) {
  const { host } = new URL(url);
  const lines = [`GET /payments HTTP/1.1`, `Host: ${host}`, 'User-Agent: bench', 'Accept: */*'];
  if (credential !== undefined) lines.push(`Authorization: Bearer ${credential}`);
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
