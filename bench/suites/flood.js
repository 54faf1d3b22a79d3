/** A flood of bad credentials against good traffic: what is pushed out, what grows, and how long the good ones wait. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { atLeast, atMost, once } from '../measure/bounds.js';
import { getWith, openConnection } from '../measure/connection.js';
import { GROWN_NEW_SPACE, start, withProcesses } from '../measure/processes.js';
import { inParts, inRounds } from '../measure/rounds.js';
import { quantile, ratioOf, summaryOf } from '../measure/statistics.js';
import { strangers } from '../platform/api-keys.js';
import { forged } from '../platform/issuer.js';
import { digits, spread, table } from '../report/text.js';
import { CAPACITY } from './calls.js';

const CALLED = new URL('../processes/flood.js', import.meta.url);
const SERVED = new URL('../processes/serve.js', import.meta.url);
const ALGORITHM = 'RS256';
const MILLION = 1_000_000;
const MEGABYTE = 1_048_576;
const KINDS = [
  { kind: 'key', subject: 'keyward-key', bad: 'unknown keys', status: 401 },
  { kind: 'token', subject: 'keyward-token', bad: 'tokens with a bad signature', status: 401 },
];
/** Express without a check, under the same load: it answers good and bad requests alike. */
const BARE = { kind: 'key', subject: 'nothing', bad: 'bare Express, no authentication', status: 200 };
const MIN_HITS = 99;
const HEAP_GROWTH = 16;
/** How many times the p99 of bare Express good requests may wait under the same load. */
const TIMES_BARE = 2;
/** Connections that send nothing but bad ones, each as soon as it has its answer: the server has no rest. */
const FLOODERS = 2;
/** Processes of each server. */
const PROCESSES = 2;
/**
 * Bad requests that are at hand before a figure begins, more than are answered in that time: making one takes the client as long as
 * some answers do.
 */
const AT_HAND = 30_000;
/** Good requests of one figure, and milliseconds between them. */
const GOOD = 200;
const APART = 2;

export async function flood({ issuer, folder, rounds, scale }) {
  const files = { token: folder.tokens(issuer, ALGORITHM, { warm: 1_000 }), key: folder.keys({ warm: 1_000 }) };
  const given = ({ kind, subject }) => ({
    ...{ kind, subject, file: files[kind], facts: issuer.facts(ALGORITHM), capacity: CAPACITY },
  });
  const count = MILLION * scale;
  const kept = [];
  for (const one of KINDS) {
    const running = await start(CALLED, given(one), { name: one.subject, execArgv: ['--expose-gc'] });
    kept.push({ ...one, ...(await running.ask('flood', { count })) });
    await running.stop();
  }
  const waits = [];
  for (const server of ['prepared', 'express']) {
    waits.push(...(await waitsOf([...KINDS, BARE], server, given, rounds)));
  }
  return reportOf(kept, waits, count);
}

/** p99 of good requests with nothing beside them, and during a flood: all servers take turns in each round. */
async function waitsOf(subjects, server, given, rounds) {
  const starts = subjects.map((one) => async () => {
    const running = await start(SERVED, { ...given(one), server }, { name: one.subject, execArgv: GROWN_NEW_SPACE });
    const { warm } = JSON.parse(readFileSync(given(one).file, 'utf8'));
    const bad = one.kind === 'key' ? strangers() : () => forged(warm[0]);
    const good = warm.map((credential) => getWith(running.first, credential));
    return { ...running, good, bad, answered: one.status };
  });
  const figures = await inParts({ ...rounds, processes: PROCESSES }, (part) =>
    withProcesses(starts, (running) => {
      const turns = running.flatMap((one) => [
        { name: `${one.name} idle`, one, isFlooded: false },
        { name: `${one.name} flooded`, one, isFlooded: true },
      ]);
      return inRounds(turns, part, ({ one, isFlooded }) => good99(one, isFlooded));
    }),
  );
  return subjects.map((one) => ({
    ...one,
    server,
    idle: figures[`${one.subject} idle`],
    flooded: figures[`${one.subject} flooded`],
    bare: figures[`${BARE.subject} flooded`],
  }));
}

async function good99({ first: url, good, bad, answered }, isFlooded) {
  const atHand = Array.from({ length: isFlooded ? AT_HAND : 0 }, () => getWith(url, bad()));
  let isOver = false;
  const flooding = Array.from({ length: isFlooded ? FLOODERS : 0 }, async () => {
    const { ask, close } = await openConnection(url);
    while (!isOver) {
      const { status } = await ask(atHand.pop() ?? getWith(url, bad()));
      if (status !== answered) throw new Error(`a bad credential was answered ${status}`);
    }
    close();
  });
  const { ask, close } = await openConnection(url);
  const waits = [];
  for (let i = 0; i < GOOD; i += 1) {
    const begun = performance.now();
    const { status } = await ask(good[i % good.length]);
    if (status !== 200) throw new Error(`a good credential was answered ${status}`);
    waits.push(performance.now() - begun);
    await pause(APART);
  }
  isOver = true;
  await Promise.all(flooding);
  close();
  return quantile(waits, 0.99);
}

function reportOf(kept, waits, count) {
  const many = count.toLocaleString('en');
  const rows = kept.map(({ bad, hits, accepted, grown }) => [
    ...[`${many} ${bad}`, `${digits(hits * 100)} %`, accepted, digits(grown / MEGABYTE)],
  ]);
  const made = { prepared: 'with the prototypes of the app', express: 'of plain Express' };
  const waited = waits.map(({ bad, server, idle, flooded, bare }) => [
    ...[bad, made[server]],
    ...[spread(summaryOf(idle)), spread(summaryOf(flooded)), spread(ratioOf(flooded, bare))],
  ]);
  return {
    title: 'A flood',
    text:
      `Different bad credentials beside 1,000 good ones (tokens: ${ALGORITHM}): first without HTTP, one good call for every ten ` +
      `bad ones; then over HTTP, one good request every ${APART} ms, while ${FLOODERS} connections send bad requests without a ` +
      'pause.',
    sections: [
      {
        title: 'what stays cached',
        table: table(['', 'good ones from the cache', 'bad ones accepted', 'MB more'], rows),
      },
      {
        title: 'how long the good ones wait',
        text:
          'p99, in milliseconds. On Node 20 and 22 much of the garbage of each Express request survives the quick collections, ' +
          'which then take milliseconds, with or without keyward: compare bare Express. With requests created with the prototypes ' +
          'of the app ([how](guide.md#a-faster-express)) nothing hides what keyward adds.',
        table: table(['', 'requests', 'idle', 'flooded', 'times bare Express'], waited),
      },
    ],
    bounds: [
      ...kept.flatMap(({ bad, hits, accepted, grown }) => [
        atLeast(`${many} ${bad}: good ones from the cache`, once(hits * 100), MIN_HITS, ' %'),
        atMost(`${many} ${bad}: bad ones accepted`, once(accepted), 0),
        atMost(`${many} ${bad}: heap grown`, once(grown / MEGABYTE), HEAP_GROWTH, ' MB'),
      ]),
      ...waits
        .filter(({ subject }) => subject !== BARE.subject)
        .map(({ bad, server, flooded, bare }) =>
          atMost(
            `${bad}, requests ${made[server]}: p99 of the good ones, times bare Express under the same load`,
            ratioOf(flooded, bare),
            TIMES_BARE,
          ),
        ),
    ],
  };
}
