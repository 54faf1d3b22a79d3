import type { Redis } from 'ioredis';
import type { ReplayCache } from 'keyward';

/** Notes used proofs and assertions in Redis, with ioredis. `NX` makes one of two simultaneous uses the first. */
export function ioredisReplayCache(client: Pick<Redis, 'set'>): ReplayCache {
  return {
    async firstUse(id, seconds) {
      return (await client.set(`keyward:used:${id}`, '', 'EX', Math.ceil(seconds), 'NX')) === 'OK';
    },
  };
}
