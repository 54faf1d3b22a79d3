/** A guard with a shared counter in a process of its own: the other end of `startLimited`. */

import { mock } from 'node:test';
import { type RateCounterOptions, requireBearer, requireRateLimit } from 'keyward';
import pg from 'pg';
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible';
import { createClient } from 'redis';
import { bearing, pass } from './passage.js';
import { keyPrincipal } from './principals.js';
import type { LimitedOrder } from './rate-limited.js';
import { acceptingVerifier } from './stub-verifier.js';

const AT_ONCE = 5;

// The timers of this process stand still, so that the guard waits for its counter however slow the machine is.
mock.timers.enable({ apis: ['setTimeout'] });

let guards: Parameters<typeof pass>[1][] = [];
let close = async (): Promise<void> => {};

process.on('message', async (order: LimitedOrder) => {
  if (order === 'close') {
    await close();
    process.disconnect();
    return;
  }
  if (typeof order === 'number') {
    let passed = 0;
    for (let left = order; left > 0; left -= AT_ONCE) {
      const batch = Array.from({ length: Math.min(left, AT_ONCE) }, () => pass(bearing('abc'), ...guards));
      passed += (await Promise.all(batch)).filter((passage) => passage.passed).length;
    }
    process.send?.(passed);
    return;
  }
  const counter = order.url.startsWith('redis:') ? await onRedis(order) : onPostgres(order);
  const limit = requireRateLimit({ counter, default: order.limits, onOutage: 'refuse' });
  guards = [requireBearer({ accept: [acceptingVerifier(keyPrincipal())] }), limit];
  process.send?.(0);
});

async function onRedis({ url, run }: Exclude<LimitedOrder, number | string>) {
  const storeClient = createClient({ url });
  await storeClient.connect();
  close = async () => {
    await storeClient.close();
  };
  return ({ keyPrefix, ...options }: RateCounterOptions) =>
    new RateLimiterRedis({ storeClient, keyPrefix: `${run}:${keyPrefix}`, useRedisPackage: true, ...options });
}

function onPostgres({ url, run }: Exclude<LimitedOrder, number | string>) {
  const storeClient = new pg.Pool({ connectionString: url, max: 5 });
  close = () => storeClient.end();
  return (options: RateCounterOptions) =>
    new RateLimiterPostgres({
      storeClient,
      tableName: run,
      tableCreated: true,
      clearExpiredByTimeout: false,
      ...options,
    });
}
