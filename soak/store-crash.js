/** F13: a writer that is killed at any point leaves nothing half written, and what was acknowledged stays. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { pause } from './store-clock.js';
import { placesOf } from './store-places.js';
import { actualOf, expectedAfter, isWholeFeed } from './store-row-model.js';
import { openReady } from './store-rows.js';

const WRITER = fileURLToPath(new URL('store-writer.js', import.meta.url));
/** Milliseconds from the first operation to the end, at most. */
const KILL_WITHIN = 250;

/** Kills as many writers, one after the other, on each engine. */
export async function storeCrash(count) {
  const figures = [];
  for (const [engine, makePlace] of Object.entries(placesOf)) {
    const place = makePlace();
    try {
      figures.push(...(await crashes(place, count)).map(([name, ...rest]) => [`${engine}: ${name}`, ...rest]));
    } finally {
      await place.remove();
    }
  }
  return {
    title: `Crashes of a writer: kill -9 at ${count.toLocaleString('en')} random points of each engine`,
    figures,
  };
}

async function crashes(place, count) {
  const seen = { acknowledged: 0, cutOff: 0, committed: 0, lost: 0, halfWritten: 0, brokenFeeds: 0 };
  const revoked = [];
  // The tables are there before the first writer: what is killed is an operation.
  await (await openReady(place.url)).close();
  for (let run = 0; run < count; run += 1) {
    const accounts = await runAndKill(place.url, run);
    // It opens as after a crash: nobody else has the file open.
    await (await openReady(place.url)).close();
    await place.inspect(async (select) => {
      for (const [account, { done, begun }] of accounts) judge(seen, done, begun, await actualOf(select, account));
      if (!(await isWholeFeed(select))) seen.brokenFeeds += 1;
    });
    for (const { done } of accounts.values())
      revoked.push(...done.filter(({ what }) => what === 'revoke').map(({ key }) => key));
  }
  const undone = await place.inspect(async (select) => {
    const live = new Set((await select('select id from keys where revoked_at is null')).map(({ id }) => id));
    return revoked.filter((key) => live.has(key)).length;
  });
  return [
    ['operations acknowledged', seen.acknowledged, seen.acknowledged > 0],
    ['operations cut off', `${seen.cutOff}, of which ${seen.committed} had been committed`, seen.cutOff > 0],
    ['acknowledged and lost', seen.lost, seen.lost === 0],
    ['half written', seen.halfWritten, seen.halfWritten === 0],
    ['feeds with a gap', seen.brokenFeeds, seen.brokenFeeds === 0],
    [`revocations undone, of ${revoked.length}`, undone, undone === 0 && revoked.length > 0],
  ];
}

/** The acknowledged operations of each account, and the operation that was begun and not acknowledged. */
async function runAndKill(url, run) {
  const writer = spawn(process.execPath, [WRITER, url, String(run)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const accounts = new Map();
  const lines = createInterface({ input: writer.stdout });
  const closed = once(lines, 'close');
  const exited = once(writer, 'exit');
  lines.on('line', (line) => {
    const { account, done, ...operation } = read(line) ?? {};
    if (account === undefined) return;
    const lane = accounts.get(account) ?? { done: [], begun: undefined };
    accounts.set(account, lane);
    if (done === undefined) lane.begun = operation;
    else lane.done.push(lane.begun);
    if (done !== undefined) lane.begun = undefined;
  });
  await Promise.race([once(lines, 'line'), exited]);
  await pause(Math.random() * KILL_WITHIN);
  writer.kill('SIGKILL');
  const [code, signal] = await exited;
  await closed;
  if (signal !== 'SIGKILL') throw new Error(`a writer ended by itself, with code ${code}`);
  return accounts;
}

/** Of the last line, only a part may have been written. */
function read(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function judge(seen, done, begun, actual) {
  seen.acknowledged += done.length;
  if (begun !== undefined) seen.cutOff += 1;
  if (actual === expectedAfter(done)) return;
  if (begun !== undefined && actual === expectedAfter([...done, begun])) seen.committed += 1;
  else if (done.some(({ id }) => !actual.includes(id))) seen.lost += 1;
  else seen.halfWritten += 1;
}
