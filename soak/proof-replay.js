/** DPoP proofs that are replayed at the same time, in a fleet. */
import { startProofFleet } from './proof-fleet.js';
import { placesOf } from './store-places.js';

/** On one store of each engine, and on one Redis where the environment names one. */
export async function proofReplay(count) {
  const fleet = startProofFleet();
  const figures = [];
  for (const [engine, makePlace] of Object.entries(placesOf)) {
    const place = makePlace();
    try {
      figures.push(...(await measured(fleet, engine, place.url, count)));
    } finally {
      await place.remove();
    }
  }
  const redis = process.env.KEYWARD_TEST_REDIS;
  if (redis !== undefined) figures.push(...(await measured(fleet, 'Redis', redis, count)));
  await fleet.close();
  const proofs = count.toLocaleString('en');
  return { title: `Replay: ${proofs} DPoP proofs, each sent twice at once, in 4 processes`, figures };
}

async function measured(fleet, place, url, count) {
  const start = performance.now();
  const { never, once, twice, others } = await fleet.sendTwice(url, count);
  const took = (performance.now() - start) / 1_000;
  return [
    [`${place}: proofs that passed once`, once, once === count],
    [`${place}: that passed never, twice`, `${never}, ${twice}`, never === 0 && twice === 0],
    [`${place}: answers other than 200 and 401`, others, others === 0],
    [`${place}: seconds`, took.toFixed(1)],
  ];
}
