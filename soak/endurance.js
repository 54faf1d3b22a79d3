/** F19, as far as the core goes: memory over many requests of every kind, and what is left open after them. */
import { apiKeys, requireApi, requireBearer } from 'keyward';
import { createTestKit } from 'keyward/testing';
import { heapAfterGc, megabytes, slope } from './figures.js';
import { keyTable, strangers } from './keys.js';
import { present } from './synthetic-request.js';

const SAMPLES = 50;
/** Requests a second for which the slope is reported. */
const RATE = 1_000;

export async function endurance(count) {
  const kit = createTestKit();
  const table = keyTable();
  const keys = apiKeys({ resolver: table.resolve, kinds: ['secret'], environment: 'live' });
  const route = [requireBearer({ accept: [kit.tokens, keys] }), requireApi('payments')];
  const good = Array.from({ length: 1_000 }, () => table.add());
  const tokens = await Promise.all(Array.from({ length: 1_000 }, () => kit.accessToken({ scopes: ['payments'] })));
  const [stranger, forged] = [strangers(), await kit.accessToken({ foreign: true, scopes: ['payments'] })];
  const wrong = { accepted: 0, refused: 0, faults: 0 };

  async function one(i) {
    const kind = i % 20;
    const expected = kind < 18 ? 200 : 401;
    const credential = kind < 9 ? good[i % 1_000] : kind < 18 ? tokens[i % 1_000] : kind === 18 ? stranger() : forged;
    const status = await present(route, credential);
    if (status >= 500) wrong.faults += 1;
    else if (status !== expected) wrong[expected === 200 ? 'refused' : 'accepted'] += 1;
  }

  for (let i = 0; i < Math.min(count, 200_000); i += 1) await one(i);
  const points = [];
  const step = Math.ceil(count / SAMPLES);
  for (let i = 0; i < count; i += 1) {
    await one(i);
    if (i % step === step - 1) points.push([i / RATE / 3_600, heapAfterGc()]);
  }
  const perHour = slope(points);
  const open = process.getActiveResourcesInfo().filter((name) => name !== 'TTYWrap' && name !== 'PipeWrap');
  return {
    title: `Endurance: ${count.toLocaleString('en')} requests: keys, tokens, strangers, forgeries`,
    figures: [
      ['accepted by mistake', wrong.accepted, wrong.accepted === 0],
      ['refused by mistake', wrong.refused, wrong.refused === 0],
      ['answers of 500 and more', wrong.faults, wrong.faults === 0],
      [
        `heap slope at ${RATE.toLocaleString('en')} requests a second`,
        `${megabytes(perHour)} MB an hour`,
        perHour < 1_048_576,
      ],
      ['handles left open', open.join(', ') || 'none', open.length === 0],
    ],
  };
}
