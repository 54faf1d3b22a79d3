/** A network between a store and its PostgreSQL that can fail in the ways that networks do. */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** What a client sends that listens; nothing is encrypted on the way. */
const LISTENS = 'listen "';
const NOTIFICATION = 'A'.charCodeAt(0);
/** A letter, a length that counts itself, and the process id of who notified. */
const BEFORE_CHANNEL = 9;

/**
 * Starts a proxy before the server of a URL. Its own `url` leads through it.
 *
 * @param passes - Whether a notification on a channel is let through.
 */
export async function postgresProxy(url, passes = () => true) {
  const target = new URL(url);
  const links = new Set();
  let isDropping = false;
  const proxy = { swallowed: 0 };

  const server = createServer((socket) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const link = { listens: false, drops: isDropping, ends: [socket, upstream] };
    links.add(link);
    socket.on('data', (chunk) => {
      if (link.drops) return;
      link.listens ||= chunk.includes(LISTENS);
      upstream.write(chunk);
    });
    const messages = messageReader();
    upstream.on('data', (chunk) => {
      for (const message of link.drops ? [] : messages(chunk)) {
        const channel = channelOf(message);
        if (channel === undefined || passes(channel)) socket.write(message);
        else proxy.swallowed += 1;
      }
    });
    // Of a link whose packets are dropped, the client never hears that the server has closed it.
    upstream.on('close', () => link.drops || socket.destroy());
    socket.on('close', () => {
      upstream.destroy();
      links.delete(link);
    });
    for (const end of link.ends) end.on('error', () => undefined).setNoDelay(true);
  });
  await listen(server, 0);
  const { port } = server.address();

  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  const cut = (chosen) => chosen.flatMap(({ ends }) => ends).forEach((end) => void end.destroy());
  return Object.assign(proxy, {
    url: through.href,
    /** As a server that was stopped: refuses connections, and those that are open end. */
    refuse() {
      server.close();
      cut([...links]);
    },
    /** Like a broken network: every packet is dropped without an error. */
    drop() {
      isDropping = true;
      for (const link of links) link.drops = true;
    },
    /** Drops every packet of the connections that listen, and of no other; returns how many there are. */
    dropListening() {
      const listening = [...links].filter(({ listens, drops }) => listens && !drops);
      for (const link of listening) link.drops = true;
      return listening.length;
    },
    /** Whole again. What was dropped stays lost. */
    async heal() {
      isDropping = false;
      if (!server.listening) await listen(server, port);
    },
    close() {
      server.close();
      cut([...links]);
    },
  });
}

async function listen(server, port) {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

/** Cuts what a server sends into messages. */
function messageReader() {
  let rest = Buffer.alloc(0);
  return function* messages(chunk) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (rest.length >= 5) {
      const length = 1 + rest.readInt32BE(1);
      if (rest.length < length) return;
      yield rest.subarray(0, length);
      rest = rest.subarray(length);
    }
  };
}

function channelOf(message) {
  if (message[0] !== NOTIFICATION) return undefined;
  return message.toString('utf8', BEFORE_CHANNEL, message.indexOf(0, BEFORE_CHANNEL));
}
