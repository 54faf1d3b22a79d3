/** A process that meets bad credentials among good ones, without a socket. It must run with --expose-gc. */
import { answer, given } from '../measure/answers.js';
import { strangers } from '../platform/api-keys.js';
import { holdSubject } from '../platform/held.js';
import { forged } from '../platform/issuer.js';
import { lane, requestWith } from '../platform/request.js';

/** Bad ones in flight, and how many come before each good one. */
const IN_FLIGHT = 16;
const BETWEEN = 10;

let held;

/** How many of the good ones were answered from the cache, and how many bytes the heap has grown. */
async function flood({ count }) {
  const { middlewares, warm } = held;
  const bad = given.kind === 'key' ? strangers() : () => forged(warm[0]);
  const good = lane(middlewares);
  for (const credential of warm) await good.send(requestWith(credential));
  let [sent, asked, hits, accepted] = [0, 0, 0, 0];
  async function drive() {
    const way = lane(middlewares);
    while (sent < count) {
      sent += 1;
      const isTurn = sent % BETWEEN === 0;
      if (await isAccepted(way, bad())) accepted += 1;
      if (isTurn) await askGood();
    }
  }
  async function askGood() {
    const answered = lane(middlewares).send(requestWith(warm[asked % warm.length]));
    asked += 1;
    if (answered === undefined) hits += 1;
    else await answered;
  }
  const before = settledHeap();
  await Promise.all(Array.from({ length: IN_FLIGHT }, drive));
  return { hits: hits / asked, asked, accepted, grown: settledHeap() - before };
}

async function isAccepted(way, credential) {
  try {
    await way.send(requestWith(credential));
    return true;
  } catch {
    return false;
  }
}

function settledHeap() {
  for (let i = 0; i < 4; i += 1) globalThis.gc();
  return process.memoryUsage().heapUsed;
}

async function begin() {
  held = await holdSubject(given);
}

await answer(begin, { flood });
