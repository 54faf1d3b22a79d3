/** Usage: what a store has counted is what a load generator got answered, but for a last minute of a process that is killed. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { now, pause } from './store-clock.js';
import { placesOf } from './store-places.js';
import { openReady, seedKeys } from './store-rows.js';

const PROCESS = fileURLToPath(new URL('usage-process.js', import.meta.url));
const PROCESSES = 4;
const KEYS = 20;
/** Requests of one order. */
const BATCH = 100;
/** The first process is killed when it has got this share of its orders. */
const KILLED_AT = 0.9;
/** Counts are written once a minute; the write itself may take a while where the machine is busy. */
const AT_MOST_LOST_MS = 60_000 + 10_000;

/** Sends so many requests to four processes on one store of each engine, over so many seconds. */
export async function usageCounts(count, seconds) {
  const figures = [];
  for (const [engine, makePlace] of Object.entries(placesOf)) {
    const place = makePlace();
    try {
      figures.push(
        ...(await measured(place, count, seconds)).map(([name, ...rest]) => [`${engine}: ${name}`, ...rest]),
      );
    } finally {
      await place.remove();
    }
  }
  const requests = count.toLocaleString('en');
  return {
    title: `Usage: ${requests} requests in ${PROCESSES} processes, of which one is killed with kill -9`,
    figures,
  };
}

async function measured(place, count, seconds) {
  const keys = await seedKeys(place.url, KEYS);
  await revokeFirst(place.url, keys);
  const children = await Promise.all(Array.from({ length: PROCESSES }, () => startProcess(place.url)));
  const orders = Math.ceil(count / PROCESSES / BATCH);
  const every = (seconds * 1_000) / orders;
  const answered = await Promise.all(
    children.map((child, index) => sendOrders(child, keys, { orders, every, until: index === 0 ? KILLED_AT : 1 })),
  );
  const [killed, ...others] = children;
  const end = once(killed, 'exit');
  killed.send({ texts: textsOf(keys, 0) });
  killed.kill('SIGKILL');
  const killedAt = now();
  await end;
  await Promise.all(others.map(closeProcess));

  const total = sum(answered.flat());
  const mayBeLost = sum(answered[0].filter(({ at }) => killedAt - at <= AT_MOST_LOST_MS));
  const rows = await place.inspect((select) =>
    select('select sum(accepted) as accepted, sum(refused) as refused, count(distinct key_id) as keys from usage'),
  );
  const counted = { accepted: Number(rows[0].accepted), refused: Number(rows[0].refused) };
  const lost = { accepted: total.accepted - counted.accepted, refused: total.refused - counted.refused };
  const ofKilled = sum(answered[0]);
  return [
    ['answered 200 and 401', `${total.accepted} and ${total.refused}`, total.others === 0],
    ['counted as accepted and refused', `${counted.accepted} and ${counted.refused}`, Number(rows[0].keys) === KEYS],
    [
      `lost of the killed process, of its ${ofKilled.accepted + ofKilled.refused}`,
      `${lost.accepted + lost.refused}; at most ${mayBeLost.accepted + mayBeLost.refused} in its last minute`,
      ...[isBetween(lost.accepted, mayBeLost.accepted) && isBetween(lost.refused, mayBeLost.refused)],
    ],
  ];
}

/** The order that is sent with the kill may be counted and not answered. */
const isBetween = (lost, most) => lost >= -BATCH && lost <= most;

async function revokeFirst(url, [first]) {
  const store = await openReady(url);
  await store.repository.transact(async (tx) => {
    await tx.updateKey(first.id, 1, { revoked_at: Date.now() });
    tx.notify({ key: first.id });
  });
  await store.close();
}

async function startProcess(url) {
  const child = fork(PROCESS, [url]);
  await once(child, 'message');
  return child;
}

async function closeProcess(child) {
  const end = once(child, 'exit');
  child.send('close');
  await end;
}

/** Sends orders at an even pace; what was answered to each, and when. */
async function sendOrders(child, keys, { orders, every, until }) {
  const answered = [];
  const start = now();
  for (let order = 0; order < Math.floor(orders * until); order += 1) {
    await pause(Math.max(0, start + order * every - now()));
    const answer = once(child, 'message');
    child.send({ texts: textsOf(keys, order) });
    const [statuses] = await answer;
    const of = (status) => statuses.filter((one) => one === status).length;
    const [accepted, refused] = [of(200), of(401)];
    answered.push({ accepted, refused, others: statuses.length - accepted - refused, at: now() });
  }
  return answered;
}

/** Every key in turn; the first is revoked. */
function textsOf(keys, order) {
  return Array.from({ length: BATCH }, (_, index) => keys[(order + index) % keys.length].text);
}

function sum(answers) {
  const total = { accepted: 0, refused: 0, others: 0 };
  for (const answer of answers) for (const name of Object.keys(total)) total[name] += answer[name];
  return total;
}
