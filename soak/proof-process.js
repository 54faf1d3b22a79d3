/**
 * One process of a platform: `node soak/proof-process.js`. It verifies DPoP proofs, and notes the used ones in the store or the Redis of a
 * URL, as the other processes do. Its parent sends the URL with the options of `accessTokens`; then a token with proofs, and gets the status
 * of each.
 */
import { accessTokens, requireBearer } from 'keyward';
import { pause } from './store-clock.js';
import { presentProof } from './synthetic-request.js';

/** Few enough that no answer of the replay cache takes a second, on a slow machine too. Files have one writer at a time. */
const AT_ONCE = { 'file:': 1, 'postgres:': 5, 'redis:': 5 };
const READY_EVERY = 20;

let gate;
let atOnce = 1;
let close = async () => {};

process.once('disconnect', () => process.exit());
process.on('message', async ({ url, options, token, proofs }) => {
  if (url !== undefined) {
    await close();
    const replay = url.startsWith('redis:') ? await onRedis(url) : await onStore(url);
    const dpop = { ...options.dpop, replay };
    gate = requireBearer({ accept: [accessTokens({ ...options, dpop })] });
    atOnce = AT_ONCE[new URL(url).protocol];
    process.send('ready');
    return;
  }
  const statuses = [];
  let next = 0;
  const work = async () => {
    while (next < proofs.length) {
      const index = next++;
      statuses[index] = await presentProof([gate], token, proofs[index]);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  process.send(statuses);
});

async function onStore(url) {
  const { openStore } = await import('keyward/store');
  const store = await openStore(url);
  while (!(await store.ready())) await pause(READY_EVERY);
  close = () => store.close();
  return store;
}

/** As examples/replay-cache/node-redis.ts. */
async function onRedis(url) {
  const { createClient } = await import('redis');
  const client = await createClient({ url }).connect();
  close = () => client.close();
  return {
    async firstUse(id, seconds) {
      const expiration = { type: 'EX', value: Math.ceil(seconds) };
      return (await client.set(`keyward:used:${id}`, '', { condition: 'NX', expiration })) === 'OK';
    },
  };
}
