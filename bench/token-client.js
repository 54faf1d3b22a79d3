/** A client that sends one request over and over to the URL of a token endpoint. */
import { openConnection } from './measure/connection.js';
import { BODY, HEADERS } from './token-request.js';

/** Opens so many connections to the URL of a token endpoint. */
export async function openClient(url, connections) {
  const { host, pathname } = new URL(url);
  const lines = Object.entries({ Host: host, ...HEADERS, 'Content-Length': BODY.length });
  const head = [`POST ${pathname} HTTP/1.1`, ...lines.map((line) => line.join(': '))].join('\r\n');
  const bytes = Buffer.from(`${head}\r\n\r\n${BODY}`, 'latin1');
  const opened = await Promise.all(Array.from({ length: connections }, () => openConnection(url)));
  const postTo = async ({ ask }) => {
    const { status, body } = await ask(bytes);
    if (status !== 200) throw new Error(`no token was issued:\n${body}`);
    return body;
  };
  return {
    /** Posts the request so many times, each connection as soon as it has its answer. */
    async post(times) {
      let left = times;
      const work = async (connection) => {
        while (left > 0) {
          left -= 1;
          await postTo(connection);
        }
      };
      await Promise.all(opened.map(work));
    },
    /** Posts it once, and hands the answer's body over. */
    postOnce: () => postTo(opened[0]),
    close() {
      for (const { close } of opened) close();
    },
  };
}
