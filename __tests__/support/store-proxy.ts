import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listenOnLastingPort } from './lasting-port.js';
import { withoutWords } from './store-proxy-words.js';

/** The network between a store and PostgreSQL, as a test wants it. */
export interface StoreProxy {
  /** A URL of the same database that leads through here. */
  urlOf(url: string): string;
  /** Nobody answers at this address any more; what is connected is cut. */
  refuse(): Promise<void>;
  /** Connections are accepted again. */
  accept(): Promise<void>;
  /** Milliseconds that every answer takes longer from now on; 0 for none. */
  delay(milliseconds: number): void;
  /** Every n-th piece of an answer takes 400 ms longer, as one does that was lost and sent again; 0 for none. */
  lose(everyNth: number): void;
  /**
   * From now on the packets of open connections are dropped in both directions, without an error. New connections work.
   *
   * @param which - All, or only those on which LISTEN was said.
   */
  silence(which: 'all' | 'listening'): void;
  /** How many connections on which LISTEN was said stand. */
  listening(): number;
  /** Like a pooler that takes LISTEN and delivers nothing. */
  deafen(): void;
  /** Like a database that does not know the word. */
  forgetListen(): void;
  /** Like a replica, which only reads: LISTEN is refused, with its SQLSTATE. */
  refuseListen(): void;
  /**
   * From now on statements that match are answered by another schema: what another node behind the same address holds.
   *
   * @param to - A name as long as the one it stands for.
   */
  divert(from: string, to: string, matching: RegExp): void;
  /** From now on the answers to statements that match are held back, and all that follows on their connections. */
  holdAnswersTo(matching: RegExp): void;
  /** Held answers are sent when a request to cancel a statement comes: the statement had succeeded before. */
  releaseWhenCancelled(): void;
  /** How many requests to cancel a statement came through here. */
  cancellations(): number;
  close(): Promise<void>;
}

interface Link {
  readonly client: Socket;
  readonly server: Socket;
  isListening: boolean;
  isSilent: boolean;
  isHeld: boolean;
  readonly withheld: Buffer[];
}

const LOST_FOR = 400;
/** A message that only cancels: its length, and the code of a CancelRequest. */
const CANCEL_REQUEST = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e]);
const NOTHING = /(?!)/;

export async function startStoreProxy(target: string): Promise<StoreProxy> {
  const { hostname, port } = new URL(target);
  const links = new Set<Link>();
  const network = {
    delay: 0,
    loseEvery: 0,
    isDeaf: false,
    rewrite: (text: string) => text,
    held: NOTHING,
    releases: false,
  };
  let pieces = 0;
  let cancellations = 0;

  const listener = createServer({ noDelay: true }, (client) => {
    const server = connect({ host: hostname, port: Number(port) || 5432, noDelay: true });
    const link: Link = { client, server, isListening: false, isSilent: false, isHeld: false, withheld: [] };
    links.add(link);
    const words = withoutWords('A');
    client.on('data', (chunk) => {
      link.isListening ||= chunk.includes('listen "');
      link.isHeld ||= network.held.test(chunk.toString('latin1'));
      if (chunk.subarray(0, CANCEL_REQUEST.length).equals(CANCEL_REQUEST)) {
        cancellations += 1;
        if (network.releases) {
          release();
          return;
        }
      }
      if (!link.isSilent) server.write(network.rewrite(chunk.toString('latin1')), 'latin1');
    });
    server.on('data', (chunk) => {
      if (link.isHeld) link.withheld.push(chunk);
      if (link.isSilent || link.isHeld) return;
      const answer = network.isDeaf ? words(chunk) : chunk;
      const wait = network.delay + lossOf();
      if (wait === 0) client.write(answer);
      else setTimeout(() => link.isSilent || client.write(answer), wait).unref();
    });
    for (const [end, other] of [
      [client, server],
      [server, client],
    ] as const) {
      end.on('error', () => undefined);
      end.on('close', () => {
        links.delete(link);
        if (!link.isSilent || end === client) other.destroy();
      });
    }
  });

  /** The cancel request itself is not passed on. */
  function release(): void {
    network.held = NOTHING;
    for (const link of links) {
      link.isHeld = false;
      for (const chunk of link.withheld.splice(0)) link.client.write(chunk);
    }
  }

  function lossOf(): number {
    pieces += 1;
    return network.loseEvery > 0 && pieces % network.loseEvery === 0 ? LOST_FOR : 0;
  }

  async function listen(at: number): Promise<void> {
    listener.listen(at, '127.0.0.1');
    await once(listener, 'listening');
  }

  async function refuse(): Promise<void> {
    const closed = listener.listening ? once(listener, 'close') : undefined;
    if (closed !== undefined) listener.close();
    for (const { client, server } of links) {
      client.destroy();
      server.destroy();
    }
    await closed;
  }

  const own = await listenOnLastingPort(listener);
  return {
    urlOf(url) {
      const through = new URL(url);
      through.host = `127.0.0.1:${own}`;
      return through.href;
    },
    refuse,
    accept: () => listen(own),
    delay: (milliseconds) => Object.assign(network, { delay: milliseconds }),
    lose: (everyNth) => Object.assign(network, { loseEvery: everyNth }),
    silence(which) {
      for (const link of links) link.isSilent ||= which === 'all' || link.isListening;
    },
    listening: () => [...links].filter(({ isListening }) => isListening).length,
    deafen: () => Object.assign(network, { isDeaf: true }),
    forgetListen: () => Object.assign(network, { rewrite: misspelt }),
    refuseListen: () => Object.assign(network, { rewrite: asReplica }),
    divert(from, to, matching) {
      network.rewrite = (text) => (matching.test(text) ? text.replaceAll(from, to) : text);
    },
    holdAnswersTo: (matching) => Object.assign(network, { held: matching }),
    releaseWhenCancelled: () => Object.assign(network, { releases: true }),
    cancellations: () => cancellations,
    close: refuse,
  };
}

function misspelt(text: string): string {
  return text.replaceAll('listen "', 'lisfen "');
}

/** What a message says of its length stays true. */
function asReplica(text: string): string {
  return text.replace(/listen "[^\0]*/, (words) => "do 'begin raise sqlstate $a$25006$a$; end'".padEnd(words.length));
}
