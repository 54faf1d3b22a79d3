/** Revocations under load, each followed at every server until it is refused there. */
import { strangers } from '../../soak/keys.js';
import { now, pause } from '../../soak/store-clock.js';
import { load, present } from '../../soak/store-fleet.js';

/** Keys that are not revoked, and how often a second each server is asked for one of them, or for an unknown one. */
const GOOD = 200;
const LOAD = 50;
const STRANGER_EVERY = 5;
/** Revocations a second, and how many at most are followed at once. */
const RATE = 30;
const AT_ONCE = 16;
/** Milliseconds between two requests that present a revoked key to a server: at first, and when that has not helped. */
const ASK_EVERY = 10;
const ASK_LATER_EVERY = 25;
const AT_FIRST = 100;
/** Milliseconds, then a server will never refuse it. */
const GIVE_UP_AFTER = 15_000;

/** Keys that a trial of so many revocations needs. */
export const keysFor = (revocations) => GOOD + revocations;

/**
 * @param options - `writer` revokes; `servers` are asked; of `keys`, or tokens, all but those that stay good are revoked; a request
 *   that begins more than `bound` milliseconds after the commit must be refused.
 * @returns `delays` from commit to first refusal, one a revocation and server; and counts of answers.
 */
export async function trial({ writer, servers, keys, bound }) {
  const [good, doomed] = [keys.slice(0, GOOD), keys.slice(GOOD)];
  const counts = { acceptedPast: 0, acceptedByWriter: 0, acceptedAtEnd: 0, unavailable: 0, others: [] };
  const delays = [];

  async function ask(instance, text, right) {
    const answer = await present(instance, text);
    if (answer === 503) counts.unavailable += 1;
    else if (!right.includes(answer)) counts.others.push(answer);
    return answer;
  }

  /** From when the commit was handed over, a little before it was done: delays come out no shorter than they are. */
  async function follow(server, text, commit) {
    const begun = now();
    const wasAcceptedAt = [];
    for (let asked = begun; asked - begun < GIVE_UP_AFTER; asked = now()) {
      const answer = await ask(server, text, [200, 401]);
      if (answer === 200) wasAcceptedAt.push(asked);
      if (answer === 401) {
        const refused = now();
        const { handedOver } = await commit;
        counts.acceptedPast += wasAcceptedAt.filter((at) => at - handedOver > bound).length;
        delays.push(refused - handedOver);
        return;
      }
      await pause(asked - begun < AT_FIRST ? ASK_EVERY : ASK_LATER_EVERY);
    }
    counts.acceptedPast += 1;
    delays.push(Number.POSITIVE_INFINITY);
  }

  async function revoke({ id, text, token }) {
    const commit = writer.revoke(id, token);
    const followed = servers.map((server) => follow(server, text, commit));
    await commit;
    if ((await ask(writer, text, [401])) === 200) counts.acceptedByWriter += 1;
    await Promise.all(followed);
  }

  async function revokeAll() {
    const pending = new Set();
    for (const key of doomed) {
      while (pending.size >= AT_ONCE) await Promise.race(pending);
      const revocation = revoke(key).finally(() => pending.delete(revocation));
      pending.add(revocation);
      await pause(1_000 / RATE);
    }
    await Promise.all(pending);
  }

  for (const { text } of keys) await Promise.all([writer, ...servers].map((server) => ask(server, text, [200])));
  const stranger = strangers();
  const endLoad = load(LOAD * servers.length, (i) => {
    const server = servers[i % servers.length];
    return i % STRANGER_EVERY === 0 ? ask(server, stranger(), [401]) : ask(server, good[i % GOOD].text, [200]);
  });
  await revokeAll();
  await endLoad();
  for (const { text } of doomed) {
    const answers = await Promise.all(servers.map((server) => ask(server, text, [401])));
    counts.acceptedAtEnd += answers.filter((answer) => answer === 200).length;
  }
  return { delays, ...counts };
}
