/** A process that holds one subject, and calls its middlewares without a socket. */
import { answer, given } from '../measure/answers.js';
import { cpuTime } from '../measure/cpu-time.js';
import { holdSubject } from '../platform/held.js';
import { lane, requestByExpress, requestWith } from '../platform/request.js';

/** Requests that are alive at once, as many as a busy server has; garbage is made of them as there. */
const BATCH = 50;

let middlewares;
/** Those of a second subject in the same process, with code that V8 compiled once for both. */
let beside;
let warm;
let cold;
/** How many of the credentials to be cached have been presented once. */
let met = 0;

async function begin() {
  ({ middlewares, warm, cold } = await holdSubject(given));
  if (given.beside !== undefined) beside = (await holdSubject({ ...given, subject: given.beside })).middlewares;
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

/** As `callsWarm`, for both subjects of the process: they take turns of `BATCH` calls, and every other time backwards. */
async function callsOfBoth({ credentials, milliseconds }) {
  const ways = [lane(middlewares), lane(beside)];
  for (; met < credentials; met += 1) for (const way of ways) await way.send(requestWith(warm[met]));
  const spent = [0, 0];
  let calls = 0;
  for (; spent[0] < milliseconds * 1_000; calls += BATCH) {
    for (const index of (calls / BATCH) % 2 === 0 ? [0, 1] : [1, 0]) {
      const requests = Array.from({ length: BATCH }, (_, i) => requestWith(warm[(calls + i) % credentials]));
      spent[index] += await batch(ways[index], requests);
    }
  }
  const [own, other] = spent.map((microseconds) => (microseconds / calls) * 1_000);
  return { own, beside: other };
}

/** Microseconds of CPU for the calls with these requests, one after the other. */
async function batch(way, requests) {
  const begun = cpuTime();
  for (const one of requests) {
    const sent = way.send(one);
    if (sent !== undefined) await sent;
  }
  return cpuTime() - begun;
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

await answer(begin, { callsWarm, callsOfBoth, callsCold });
