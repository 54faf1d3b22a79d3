/**
 * One process of a platform: `node soak/usage-process.js <url of a store>`. Its parent sends `{ texts }`, credentials to present to a gate one
 * after the other, and gets the status of each; or `'close'`, after which the process closes its store and ends.
 */
import { apiKeys, requireBearer } from 'keyward';
import { openReady } from './store-rows.js';
import { present } from './synthetic-request.js';

const store = await openReady(process.argv[2]);
const gate = requireBearer({ accept: [apiKeys({ resolver: store, kinds: ['secret'], environment: 'live' })] });

process.once('disconnect', () => process.exit());
process.on('message', async (order) => {
  if (order === 'close') {
    await store.close();
    process.disconnect();
    return;
  }
  const statuses = [];
  for (const text of order.texts) statuses.push(await present([gate], text));
  process.send(statuses);
});
process.send('ready');
