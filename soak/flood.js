/** X13: distinct bad keys against good ones that are cached. */
import { apiKeys, requireBearer } from 'keyward';
import { heapAfterGc, megabytes } from './figures.js';
import { keyTable, strangers } from './keys.js';
import { present } from './synthetic-request.js';

const GOOD = 1_000;

export async function flood(count) {
  const table = keyTable();
  const keys = apiKeys({ resolver: table.resolve, kinds: ['secret'], environment: 'live', cache: { ttl: 86_400_000 } });
  const gate = [requireBearer({ accept: [keys] })];
  const good = Array.from({ length: GOOD }, () => table.add());
  for (const key of good) await present(gate, key);
  const stranger = strangers();
  const before = heapAfterGc();

  let [hits, asked, accepted, faults] = [0, 0, 0, 0];
  for (let i = 0; i < count; i += 1) {
    const status = await present(gate, stranger());
    if (status === 200) accepted += 1;
    if (status >= 500) faults += 1;
    if (i % 10 !== 0) continue;
    const lookups = table.lookups;
    if ((await present(gate, good[(i / 10) % GOOD])) !== 200) faults += 1;
    asked += 1;
    if (table.lookups === lookups) hits += 1;
  }
  const grown = heapAfterGc() - before;
  const ratio = hits / asked;
  return {
    title: `Flood: ${count.toLocaleString('en')} distinct bad keys against ${GOOD.toLocaleString('en')} good ones`,
    figures: [
      ['bad keys accepted', accepted, accepted === 0],
      ['answers of 500 and more', faults, faults === 0],
      ['good requests served from the cache', `${(ratio * 100).toFixed(2)} %`, ratio >= 0.99],
      ['heap grown by', `${megabytes(grown)} MB`, grown < 16 * 1_048_576],
    ],
  };
}
