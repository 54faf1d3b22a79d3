/** F16 and F17: instances that are asked to end, and rolling restarts. */
import { pause } from './store-clock.js';
import { load, present, startInstance } from './store-fleet.js';
import { placesOf } from './store-places.js';
import { seedKeys } from './store-rows.js';

/** Requests a second, and milliseconds that a handler takes. */
const RATE = 500;
const WORK = 20;
const EXIT_WITHIN = 10_000;
const BEFORE = 1_500;
const KEYS = 200;
const INSTANCES = 3;
/** Milliseconds (design rule 6). */
const REFUSED_WITHIN = 5_000;

/** Terminates one instance on each engine under load, and restarts three on PostgreSQL in turn, so many times round. */
export async function storeRestart(rounds) {
  const figures = [];
  for (const engine of Object.keys(placesOf))
    figures.push(...(await on(engine, termination)).map(([name, ...rest]) => [`SIGTERM, ${engine}: ${name}`, ...rest]));
  figures.push(...(await on('PostgreSQL', (place, keys) => rollingRestart(place, keys, rounds))));
  return { title: `Restarts at ${RATE} requests a second`, figures };
}

async function on(engine, work) {
  const place = placesOf[engine]();
  try {
    return await work(place, await seedKeys(place.url, KEYS));
  } finally {
    await place.remove();
  }
}

async function termination({ url }, keys) {
  const instance = await startInstance(url);
  const statuses = [];
  const endLoad = load(
    RATE,
    async (i) => void statuses.push(await present(instance, keys[i % KEYS].text, `/?work=${WORK}`)),
  );
  await pause(BEFORE);
  const { code, took, left, begun = Number.NaN } = await instance.stop();
  await endLoad();
  const answered = statuses.filter((status) => typeof status === 'number');
  const cut = begun - answered.length;
  return [
    [`requests cut, of ${begun} begun`, cut, cut === 0],
    ['answers other than 200', answered.filter((status) => status !== 200).length, answered.every((s) => s === 200)],
    ['exit', `code ${code} after ${Math.round(took)} ms`, code === 0 && took <= EXIT_WITHIN],
    ['handles left open', left?.join(', ') || 'none', left?.length === 0],
  ];
}

async function rollingRestart({ url }, keys, rounds) {
  const [good, doomed] = [keys.slice(0, KEYS / 2), keys.slice(KEYS / 2)];
  const writer = await startInstance(url);
  const instances = await Promise.all(Array.from({ length: INSTANCES }, () => startInstance(url)));
  const seen = { faults: 0, wrong: 0, unanswered: 0, elsewhere: 0, made: 0 };
  const revoked = new Set();
  let leaving;

  /** As a load balancer does: an instance that is being restarted gets nothing, and one that takes none is passed over. */
  async function ask(i) {
    const isGood = i % 2 === 0;
    const { id, text } = (isGood ? good : doomed)[(i >> 1) % good.length];
    const right = isGood ? [200] : revoked.has(id) ? [401] : [200, 401];
    for (let turn = 0; turn < INSTANCES; turn += 1) {
      const serving = instances.filter((instance) => instance !== leaving);
      const status = await present(serving[(i + turn) % serving.length], text);
      if (typeof status !== 'number') seen.elsewhere += 1;
      else if (status >= 500) seen.faults += 1;
      else if (!right.includes(status)) seen.wrong += 1;
      if (typeof status === 'number') return;
    }
    seen.unanswered += 1;
  }

  const endLoad = load(RATE, ask);
  let next = 0;
  const endRevocations = load(2, async () => {
    const key = doomed[next];
    next += 1;
    if (key === undefined) return;
    await writer.revoke(key.id);
    // What is asked from here on must be refused everywhere.
    await pause(REFUSED_WITHIN);
    revoked.add(key.id);
  });
  let slowest = 0;
  for (let restart = 0; restart < rounds * INSTANCES; restart += 1) {
    const place = restart % INSTANCES;
    leaving = instances[place];
    const { took } = await leaving.stop();
    slowest = Math.max(slowest, took);
    instances[place] = await startInstance(url);
    await pause(BEFORE / 3);
  }
  await endRevocations();
  seen.made = await endLoad();
  await Promise.all([writer, ...instances].map((instance) => instance.stop()));
  return [
    ['rolling restart: instances restarted', rounds * INSTANCES],
    [`rolling restart: answers of 500 and more, of ${seen.made}`, seen.faults, seen.faults === 0],
    ['rolling restart: wrong answers', seen.wrong, seen.wrong === 0],
    ['rolling restart: requests that no instance answered', seen.unanswered, seen.unanswered === 0],
    ['rolling restart: requests passed on to the next instance', seen.elsewhere],
    ['rolling restart: keys revoked meanwhile', revoked.size, revoked.size > 0],
    ['rolling restart: slowest exit', `${Math.round(slowest)} ms`, slowest <= EXIT_WITHIN],
  ];
}
