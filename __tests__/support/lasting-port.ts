import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:net';

/** Below the ports that systems hand out: on Linux they begin at 32768, elsewhere at 49152 (RFC 6335 section 6). */
const [FIRST, END] = [20_000, 30_000];

/**
 * Lets a server listen on a port that nobody is given while nothing listens on it: one that is left for a while can be
 * taken again.
 */
export async function listenOnLastingPort(server: Server): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    server.listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}
