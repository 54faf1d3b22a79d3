import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { apiKeys, authOf, BearerError, requireBearer } from 'keyward';
import { mintKey } from '../../lib/credentials/keyward-format.js';
import { law } from '../support/law.js';
import { createManualClock, START } from '../support/manual-clock.js';
import { bearing, pass } from '../support/passage.js';
import { type DrawnRecord, keepsRules, keyDraws, type RecordDraw, recordOf } from '../support/record-draws.js';

const nearNow = fc.integer({ min: -2, max: 9 }).map((milliseconds) => new Date(START + milliseconds));
const keyKinds = fc.constantFrom('secret' as const, 'public' as const);
const environments = fc.constantFrom('live' as const, 'sandbox' as const);

/** What a resolver does with what it was drawn to say. */
const ways = fc.constantFrom('returns', 'returns', 'resolves', 'resolves', 'throws', 'rejects');

let answer: () => unknown;
const keys = apiKeys({
  resolver: () => answer() as never,
  kinds: ['secret', 'public'],
  environment: 'any',
  clock: createManualClock(),
  cache: { max: 100 },
});
const gate = requireBearer({ accept: [keys] });

/** Presents a key that nobody presented before; the principal, or the status of the refusal. */
async function outcomeOf(key: string): Promise<unknown> {
  const { req, passed, error } = await pass(bearing(key), gate);
  if (passed) return authOf(req);
  return error instanceof BearerError ? error.status : error;
}

function saying(way: string, value: unknown): () => unknown {
  return () => {
    if (way === 'returns') return value;
    if (way === 'throws') throw value;
    return way === 'resolves' ? Promise.resolve(value) : Promise.reject(value);
  };
}

describe('records at random', () => {
  law('a key comes in with what its record says, where that keeps every rule and has not ended', () =>
    fc.asyncProperty(keyKinds, environments, keyDraws(nearNow), fc.nat(9), ways, async (kind, place, drawn, n, way) => {
      const own = { kind: { value: kind, good: true }, environment: { value: place, good: true } };
      const draw: RecordDraw = n === 0 ? drawn : { ...drawn, ...own };
      answer = saying(way, recordOf(draw));
      const knows = way === 'returns' || way === 'resolves';
      const expected = knows && keepsRules(draw) ? outcomeFor(recordOf(draw), kind, place) : 503;
      const key = mintKey(kind, place);
      expect(await outcomeOf(key)).toEqual(expected);
      expect(await outcomeOf(key)).toEqual(expected);
    }),
  );

  law('whatever else a resolver says or throws, nobody comes in: 401 where it says that there is none, else 503', () =>
    fc.asyncProperty(fc.anything({ withDate: true, withMap: true }), keyKinds, ways, async (value, kind, way) => {
      answer = saying(way, value);
      const isNone = (value === undefined || value === null) && (way === 'returns' || way === 'resolves');
      expect(await outcomeOf(mintKey(kind, 'live'))).toBe(isNone ? 401 : 503);
    }),
  );
});

/** What a record that keeps the rules is good for, at `START`. */
function outcomeFor(record: DrawnRecord, kind: string, environment: string): unknown {
  if (record.kind !== kind || record.environment !== environment) return 503;
  const ends = [record.expiresAt, record.acceptedUntil, record.revokedAt]
    .filter((date) => date instanceof Date)
    .map(Number);
  if (record.disabled === true || ends.some((end) => end <= START)) return 401;
  return {
    ...{ kind, environment, keyId: record.id, account: record.account, apis: record.apis },
    scopes: scopesFor(record),
    channels: record.channels ?? 'all',
    platform: record.platform ?? undefined,
    expiresAt: ends.length === 0 ? undefined : Math.min(...ends) / 1_000,
    keyAcceptedUntil: record.acceptedUntil instanceof Date ? Math.min(...ends) / 1_000 : undefined,
  };
}

function scopesFor({ kind, apis, scopes }: DrawnRecord): unknown {
  if (!Array.isArray(scopes)) return kind === 'secret' ? 'all' : [];
  return Array.isArray(apis) ? scopes.filter((scope: string) => apis.includes(scope.split(':')[0])) : scopes;
}
