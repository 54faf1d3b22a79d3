import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RecordFault, readAccessKeyRecord, readKeyRecord } from '../../lib/credentials/record.js';
import { isScopeToken } from '../../lib/protocol/scope.js';

/** A value for a field, most often a good one, and whether it is. */
interface Draw {
  readonly value: unknown;
  readonly good: boolean;
}

const good = (value: fc.Arbitrary<unknown>) => value.map((drawn): Draw => ({ value: drawn, good: true }));
const bad = (value: fc.Arbitrary<unknown>) => value.map((drawn): Draw => ({ value: drawn, good: false }));
const mostly = (right: fc.Arbitrary<unknown>, ...wrong: readonly unknown[]) =>
  fc.oneof({ weight: 9, arbitrary: good(right) }, { weight: 1, arbitrary: bad(fc.constantFrom(...wrong)) });
const orAbsent = (right: fc.Arbitrary<unknown>) => fc.oneof(right, fc.constantFrom(undefined, null));

const text = fc.string({ minLength: 1, maxLength: 5 });
const names = fc.array(text, { maxLength: 3 });
const scopes = fc.array(text.filter(isScopeToken), { maxLength: 3 });
const date = fc.date({ noInvalidDate: true });
const noNames = ['', 'names', 0, {}, [''], [1], [null], [['a']]] as const;
const noDate = [0, '', '2030-01-01', true, {}, new Date(Number.NaN)] as const;

const shared = {
  id: mostly(text, undefined, null, '', 1),
  account: mostly(text, undefined, null, '', {}),
  environment: mostly(fc.constantFrom('live', 'sandbox'), undefined, null, 'any', ''),
  channels: mostly(orAbsent(fc.oneof(fc.constant('all'), names)), ...noNames),
  platform: mostly(orAbsent(text), '', 0, false),
  expiresAt: mostly(orAbsent(date), ...noDate),
  revokedAt: mostly(orAbsent(date), ...noDate),
  disabled: mostly(orAbsent(fc.boolean()), 0, 1, 'false'),
};
const keyDraws = fc.record({
  ...shared,
  kind: mostly(fc.constantFrom('secret', 'public'), undefined, null, 'access', ''),
  apis: mostly(fc.oneof(fc.constant('all'), names), undefined, null, ...noNames),
  scopes: mostly(orAbsent(scopes), 'all', 'a', [''], ['a b'], [1]),
});
const accessKeyDraws = fc.record({
  ...shared,
  scopes: mostly(scopes, undefined, null, 'all', [''], ['a b']),
  tokensNotBefore: mostly(orAbsent(date), ...noDate),
});

describe('readKeyRecord', () => {
  it('takes exactly the records that keep every rule, and refuses the others with a RecordFault', () => {
    fc.assert(
      fc.property(keyDraws, (draws) => {
        const record = recordOf(draws);
        const publicReachesAll = record.kind === 'public' && record.apis === 'all';
        const keepsRules = allGood(draws) && keepsChannelRule(record) && !publicReachesAll;
        expect(outcomeOf(() => readKeyRecord(record))).toBe(keepsRules ? 'taken' : 'refused');
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads into its facts what a record says', () => {
    fc.assert(
      fc.property(keyDraws, (draws) => {
        const record = recordOf(draws);
        fc.pre(outcomeOf(() => readKeyRecord(record)) === 'taken');
        const { life, channels, scopes: listed, platform, ...rest } = readKeyRecord(record);
        expect(rest).toEqual({
          id: record.id,
          kind: record.kind,
          account: record.account,
          environment: record.environment,
          apis: record.apis,
        });
        expect([channels, listed, platform]).toEqual([
          record.channels ?? 'all',
          record.scopes ?? undefined,
          record.platform ?? undefined,
        ]);
        expect(life).toEqual({
          expiresAt: Number(record.expiresAt ?? Number.POSITIVE_INFINITY),
          revokedAt: Number(record.revokedAt ?? Number.POSITIVE_INFINITY),
          disabled: record.disabled ?? false,
        });
      }),
      { numRuns: 1_000 },
    );
  });

  it('throws nothing but a RecordFault for whatever plain data it is given', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withMap: true, withSet: true, withNullPrototype: true }), (value) => {
        expect(outcomeOf(() => readKeyRecord(value))).toBe('refused');
        expect(outcomeOf(() => readAccessKeyRecord(value))).toBe('refused');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('readAccessKeyRecord', () => {
  it('takes exactly the records that keep every rule, and refuses the others with a RecordFault', () => {
    fc.assert(
      fc.property(accessKeyDraws, (draws) => {
        const record = recordOf(draws);
        const keepsRules = allGood(draws) && keepsChannelRule(record);
        expect(outcomeOf(() => readAccessKeyRecord(record))).toBe(keepsRules ? 'taken' : 'refused');
      }),
      { numRuns: 2_000 },
    );
  });
});

function recordOf(draws: Readonly<Record<string, Draw>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(draws).map(([field, { value }]) => [field, value]));
}

function allGood(draws: Readonly<Record<string, Draw>>): boolean {
  return Object.values(draws).every((draw) => draw.good);
}

/** Spec section 2.1, rule 3. */
function keepsChannelRule({ platform, channels }: Readonly<Record<string, unknown>>): boolean {
  return platform === undefined || platform === null || (Array.isArray(channels) && channels.length === 1);
}

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return 'taken';
  } catch (error) {
    return error instanceof RecordFault ? 'refused' : `threw ${error}`;
  }
}
