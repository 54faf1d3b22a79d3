/**
 * A process that revokes tokens until it is killed: `node soak/revocation-writer.js <url of a store> <id of an access key>...`. Every
 * revocation is written to the pipe before it begins, and again when the store has acknowledged it.
 */
import { randomUUID } from 'node:crypto';
import { writeSync } from 'node:fs';
import { openReady } from './store-rows.js';

const [url, ...ids] = process.argv.slice(2);
const STDOUT = 1;
const HOUR = 3_600_000;

const store = await openReady(url);
await Promise.all(ids.map(revoke));

async function revoke(id) {
  for (;;) {
    const jti = randomUUID();
    report({ id, begun: jti });
    await store.revokeToken(id, jti, new Date(Date.now() + HOUR));
    report({ id, done: jti });
  }
}

function report(line) {
  writeSync(STDOUT, `${JSON.stringify(line)}\n`);
}
