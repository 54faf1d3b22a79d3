/** A process that loads a subject, makes it and sends one good request through it, and reports how long that took. */
import { answer, given } from '../measure/answers.js';
import { keyTable } from '../platform/key-table.js';
import { lane, requestWith } from '../platform/request.js';
// Loaded before the clock starts, as the other files of the bench are: it is no part of a subject's package.
import '../platform/scopes.js';
import { subjectOf } from '../subjects.js';

async function begin() {
  const resolveKey = given.kind === 'key' ? keyTable([given.credential]).resolve : undefined;
  const begun = performance.now();
  const { make } = await subjectOf(given.subject);
  const middlewares = await make({
    ...given.facts,
    capacity: 1_000,
    resolveKey,
    credentials: () => [given.credential],
  });
  const loaded = performance.now();
  await lane(middlewares).send(requestWith(given.credential));
  return { loading: loaded - begun, first: performance.now() - begun };
}

await answer(begin, {});
