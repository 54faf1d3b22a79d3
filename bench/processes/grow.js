/** A process whose subject holds more and more keys. */
import { answer, given } from '../measure/answers.js';
import { cpuTime } from '../measure/cpu-time.js';
import { mintKeys } from '../platform/api-keys.js';
import { keyTable } from '../platform/key-table.js';
import { lane, requestWith } from '../platform/request.js';
import { subjectOf } from '../subjects.js';

/** Keys are met in an order that no cache of the processor foresees: so far apart, and prime. */
const STEP = 7_919;
const CALLS = 5_000;
const BATCH = 50;

const keys = mintKeys(given.most);
const table = keyTable(keys);
let way;
let count;

async function hold(size) {
  count = size;
  const { make } = await subjectOf(given.subject);
  const credentials = () => keys.slice(0, size);
  way = lane(await make({ credentials, resolveKey: table.resolve, capacity: size }));
  for (const key of credentials()) await way.send(requestWith(key));
}

/** Nanoseconds of CPU a call. */
async function calls() {
  let spent = 0;
  for (let made = 0; made < CALLS; made += BATCH) {
    const requests = Array.from({ length: BATCH }, (_, i) => requestWith(keys[((made + i) * STEP) % count]));
    const begun = cpuTime();
    for (const request of requests) await way.send(request);
    spent += cpuTime() - begun;
  }
  return (spent / CALLS) * 1_000;
}

await answer(() => 'ready', { hold, calls });
