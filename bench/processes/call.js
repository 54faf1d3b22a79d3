/** A process that holds one subject, and calls its middlewares without a socket. */
import { answer, given } from '../measure/answers.js';
import { cpuTime } from '../measure/cpu-time.js';
import { median } from '../measure/statistics.js';
import { holdSubject } from '../platform/held.js';
import { lane, requestByExpress, requestWith } from '../platform/request.js';

/** Requests that are alive at once, as many as a busy server has; garbage is made of them as there. */
const BATCH = 50;
/** In a millisecond. */
const NANOSECONDS = 1_000_000;

let middlewares;
let warm;
let cold;
/** How many of the credentials to be cached have been presented once. */
let met = 0;

async function begin() {
  ({ middlewares, warm, cold } = await holdSubject(given));
}

/** Nanoseconds of CPU for one call, with the first `credentials` credentials in turn, for about so many milliseconds. */
async function callsWarm({ credentials, made, milliseconds }) {
  const request = made === 'express' ? requestByExpress : requestWith;
  const way = lane(middlewares);
  for (; met < credentials; met += 1) await way.send(requestWith(warm[met]));
  let [spent, calls] = [0, 0];
  while (spent < milliseconds * 1_000) {
    spent += await batch(
      way,
      Array.from({ length: BATCH }, (_, i) => request(warm[(calls + i) % credentials])),
    );
    calls += BATCH;
  }
  return (spent / calls) * 1_000;
}

/**
 * Nanoseconds for one warm call with credentials at even places (`own`), and at odd ones (`beside`). They take turns of `BATCH`
 * calls, and every other time backwards. Most turns are too short for a garbage collection or another process to fall into them,
 * so the median of the differences is exact to nanoseconds.
 */
async function callsOfHalves({ credentials, milliseconds }) {
  const way = lane(middlewares);
  for (; met < credentials; met += 1) await way.send(requestWith(warm[met]));
  const until = performance.now() + milliseconds;
  const [others, differences] = [[], []];
  for (let turn = 0; performance.now() < until; turn += 1) {
    const taken = [0, 0];
    for (const half of turn % 2 === 0 ? [0, 1] : [1, 0]) {
      const at = (i) => (2 * (turn * BATCH + i) + half) % credentials;
      const requests = Array.from({ length: BATCH }, (_, i) => requestWith(warm[at(i)]));
      const begun = performance.now();
      await sendAll(way, requests);
      taken[half] = ((performance.now() - begun) / BATCH) * NANOSECONDS;
    }
    others.push(taken[1]);
    differences.push(taken[0] - taken[1]);
  }
  const other = median(others);
  return { own: other + median(differences), beside: other };
}

/** Microseconds of CPU for the calls with these requests, one after the other. */
async function batch(way, requests) {
  const begun = cpuTime();
  await sendAll(way, requests);
  return cpuTime() - begun;
}

async function sendAll(way, requests) {
  for (const one of requests) {
    const sent = way.send(one);
    if (sent !== undefined) await sent;
  }
}

/** Microseconds of CPU a call, for credentials that were never presented before, so many of them in flight. */
async function callsCold({ from, count, inFlight }) {
  const requests = cold.slice(from, from + count).map(requestWith);
  if (requests.length < count) throw new Error('too few credentials that are new');
  let next = 0;
  const drive = async () => {
    const way = lane(middlewares);
    while (next < count) {
      next += 1;
      await way.send(requests[next - 1]);
    }
  };
  const begun = cpuTime();
  await Promise.all(Array.from({ length: inFlight }, drive));
  return (cpuTime() - begun) / count;
}

await answer(begin, { callsWarm, callsOfHalves, callsCold });
