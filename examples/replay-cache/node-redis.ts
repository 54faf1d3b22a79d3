import type { ReplayCache } from 'keyward';
import type { createClient } from 'redis';

/** Notes used proofs and assertions in Redis, with node-redis. `NX` makes one of two simultaneous uses the first. */
export function nodeRedisReplayCache(client: Pick<ReturnType<typeof createClient>, 'set'>): ReplayCache {
  return {
    async firstUse(id, seconds) {
      const expiration = { type: 'EX', value: Math.ceil(seconds) } as const;
      return (await client.set(`keyward:used:${id}`, '', { condition: 'NX', expiration })) === 'OK';
    },
  };
}
