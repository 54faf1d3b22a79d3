/**
 * What can be wrong with the channel that announces revocations. Each fault takes a place on PostgreSQL, and gives the
 * `url` that resource servers reach it by, `begin()`, `end()`, and `struck()`: how often it did its harm.
 */
import { onPostgres } from '../../soak/store-places.js';
import { postgresProxy } from '../../soak/store-proxy.js';

/** Milliseconds between two blows: at least, and at most so much more. */
const STRIKE_AFTER = 300;
const STRIKE_WITHIN = 1_200;

export const faults = {
  /** The server ends the connections that listen, again and again. */
  async terminated({ url, schema }) {
    const strike = async (client) => {
      const { rowCount } = await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = $1 and query ~ '^(listen|notify) '`,
        [schema],
      );
      return rowCount;
    };
    return { url, ...repeatedly(() => onPostgres(strike)) };
  },

  /** Every packet of the connections that listen is dropped without an error, and so are the packets of later connections. */
  async dropped({ url }) {
    const proxy = await postgresProxy(url);
    const { begin, struck, end } = repeatedly(async () => proxy.dropListening());
    return { url: proxy.url, begin, struck, end: () => end().then(proxy.close) };
  },

  /** The channel proves itself alive, and no step is ever announced on it. */
  unannounced: (place) => withoutNotifications(place, (channel) => channel.startsWith('keyward_beat_')),

  /** A pooler that takes LISTEN and delivers nothing. */
  deaf: (place) => withoutNotifications(place, () => false),
};

async function withoutNotifications({ url }, passes) {
  const proxy = await postgresProxy(url, passes);
  return { url: proxy.url, begin() {}, struck: () => proxy.swallowed, end: async () => proxy.close() };
}

function repeatedly(strike) {
  let count = 0;
  let timer;
  let striking;
  async function blow() {
    count += await strike();
    begin();
  }
  function begin() {
    timer = setTimeout(
      () => {
        striking = blow();
      },
      STRIKE_AFTER + STRIKE_WITHIN * Math.random(),
    );
  }
  async function end() {
    await striking;
    clearTimeout(timer);
  }
  return { begin, struck: () => count, end };
}
