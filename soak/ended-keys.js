/** N08: the time of an answer is the same for an unknown key and for one that is revoked, expired or disabled. */
import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import express from 'express';
import { apiKeys, bearerErrors, requireBearer } from 'keyward';
import { mannWhitney, median } from './figures.js';
import { keyTable, strangers } from './keys.js';

const RESOLVER_MS = 3;
const NEGATIVE_TTL = 1_000;
const SIGNIFICANT = 0.001;

/** Over HTTP: one key of each kind, tried again and again, each time when `negativeTtl` is over. */
export async function endedKeys(count) {
  const table = keyTable();
  let now = Date.now();
  const keys = apiKeys({
    resolver: async (key) => {
      await wait(RESOLVER_MS);
      return table.resolve(key);
    },
    kinds: ['secret'],
    environment: 'live',
    cache: { negativeTtl: NEGATIVE_TTL },
    clock: { now: () => now, monotonic: () => now },
  });
  const app = express().use(requireBearer({ accept: [keys] }), bearerErrors());
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const request = (key) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      const answered = (res) => res.resume().once('end', resolve);
      get({ port: server.address().port, agent, headers }, answered).once('error', reject);
    });
  const presented = {
    unknown: strangers()(),
    revoked: table.add({ revokedAt: new Date(0) }),
    expired: table.add({ expiresAt: new Date(0) }),
    disabled: table.add({ disabled: true }),
  };
  const kinds = Object.keys(presented);
  const times = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (const key of Object.values(presented)) await request(key);
  for (let i = -50; i < count; i += 1) {
    now += NEGATIVE_TTL;
    for (let turn = 0; turn < kinds.length; turn += 1) {
      const kind = kinds[(turn + i + 50) % kinds.length];
      const start = process.hrtime.bigint();
      await request(presented[kind]);
      if (i >= 0) times[kind].push(Number(process.hrtime.bigint() - start));
    }
  }
  agent.destroy();
  server.close();
  return {
    title: `Ended keys: ${count.toLocaleString('en')} timed requests of each kind, resolver of ${RESOLVER_MS} ms`,
    figures: [
      ...kinds.map((kind) => [`median, ${kind}`, `${(median(times[kind]) / 1e6).toFixed(3)} ms`]),
      ...kinds.slice(1).map((kind) => {
        const p = mannWhitney(times.unknown, times[kind]);
        return [`${kind} and unknown, Mann-Whitney p`, p.toFixed(3), p >= SIGNIFICANT];
      }),
    ],
  };
}
