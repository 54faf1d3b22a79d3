import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { ReplayCache } from 'keyward';
import { createClient } from 'redis';
import { ioredisReplayCache } from '../../examples/replay-cache/ioredis.js';
import { nodeRedisReplayCache } from '../../examples/replay-cache/node-redis.js';

const url = process.env.KEYWARD_TEST_REDIS;

if (url === undefined) {
  it('is skipped: KEYWARD_TEST_REDIS is not set', () => expect(url).toBeUndefined());
} else {
  const redis = createClient({ url });
  const ioredis = new Redis(url, { lazyConnect: true });
  beforeAll(() => Promise.all([redis.connect(), ioredis.connect()]));
  afterAll(() => Promise.all([redis.close(), ioredis.quit()]));

  it.each<[string, () => ReplayCache]>([
    ['node-redis', () => nodeRedisReplayCache(redis)],
    ['ioredis', () => ioredisReplayCache(ioredis)],
  ])('%s: one of 50 concurrent uses of an id is the first, and the id expires', async (_what, create) => {
    const cache = create();
    const id = `client.${randomUUID()}`;
    const uses = await Promise.all(Array.from({ length: 50 }, () => cache.firstUse(id, 65)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await cache.firstUse(`client.${randomUUID()}`, 65)).toBe(true);
    expect(await redis.ttl(`keyward:used:${id}`)).toBeGreaterThan(60);
    await redis.del(`keyward:used:${id}`);
  });
}
