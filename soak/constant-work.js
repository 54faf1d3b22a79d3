/** P12: an unknown, a wrong and a revoked key cost the same. */
import { Agent, get } from 'node:http';
import express from 'express';
import { apiKeys, bearerErrors, requireBearer } from 'keyward';
import { median } from './figures.js';
import { keyTable, strangers } from './keys.js';

const WARM_UP = 1_000;

/** Over HTTP. The kinds take turns request by request, so that other work of the machine affects each of them alike. */
export async function constantWork(count) {
  const table = keyTable();
  const keys = apiKeys({ resolver: table.resolve, kinds: ['secret'], environment: 'live' });
  const app = express().use(requireBearer({ accept: [keys] }), bearerErrors());
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const request = (key) =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${key}` };
      get({ port: server.address().port, agent, headers }, (res) => res.resume().once('end', resolve)).once(
        'error',
        reject,
      );
    });
  const stranger = strangers();
  const kinds = {
    unknown: () => stranger(),
    revoked: () => table.add({ revokedAt: new Date(0) }),
    expired: () => table.add({ expiresAt: new Date(0) }),
  };
  const times = { unknown: [], revoked: [], expired: [] };
  const turns = Object.entries(kinds).map(([kind, make]) => [kind, Array.from({ length: WARM_UP + count }, make)]);
  for (let i = -WARM_UP; i < count; i += 1) {
    for (let turn = 0; turn < turns.length; turn += 1) {
      const [kind, keys] = turns[(turn + Math.abs(i)) % turns.length];
      const key = keys[WARM_UP + i];
      const start = process.hrtime.bigint();
      await request(key);
      if (i >= 0) times[kind].push(Number(process.hrtime.bigint() - start));
    }
  }
  agent.destroy();
  server.close();
  const medians = Object.entries(times).map(([kind, taken]) => [kind, median(taken)]);
  const [fastest, slowest] = [Math.min, Math.max].map((pick) => pick(...medians.map(([, taken]) => taken)));
  const spread = slowest / fastest - 1;
  return {
    title: `Constant work: ${count.toLocaleString('en')} timed requests of each type of bad key`,
    figures: [
      ...medians.map(([kind, taken]) => [`median, ${kind}`, `${(taken / 1_000).toFixed(2)} µs`]),
      ['medians lie within', `${(spread * 100).toFixed(1)} %`, spread <= 0.03],
    ],
  };
}
