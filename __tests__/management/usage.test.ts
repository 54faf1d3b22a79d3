import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { UsageFilter } from 'keyward/management';
import type { Engine } from '../../lib/store/engine.js';
import { openSqlite } from '../../lib/store/sqlite/engine.js';
import { addUsage } from '../../lib/store/usage/usage-queries.js';
import { dayOf } from '../../lib/store/usage/utc-days.js';
import { hostile, managed, refusalOf, refusing } from '../support/managed.js';
import { START } from '../support/manual-clock.js';
import { fileOf } from '../support/store-database.js';

const MS_PER_DAY = 86_400_000;
const TODAY = '2027-01-15';
const date = (text: string) => new Date(`${text}T00:00:00Z`);
const dayBefore = (days: number) => new Date(START - days * MS_PER_DAY).toISOString().slice(0, 10);
const NOT_FOUND = { status: 404, code: 'not_found', message: 'the key was not found', field: undefined };
const A_DATE = 'expected a Date from 1970 to 9999';

describe('the usage of keys', () => {
  const at = managed('SQLite');
  let engine: Engine;

  beforeAll(async () => {
    engine = await openSqlite(fileOf(at.url));
  });
  afterAll(() => engine.close());

  /** Stores counts of a key: for each day, the number of accepted and of refused requests. */
  async function count(id: string, days: Readonly<Record<string, readonly [number, number]>>): Promise<void> {
    const rows = Object.entries(days).map(([day, [accepted, refused]]) => ({
      ...{ key_id: id, day: dayOf(date(day).getTime()), accepted, refused },
    }));
    await engine.transact((tx) => addUsage(tx, rows));
  }

  describe('of one key', () => {
    it('has every day of the period, oldest first, and the totals', async () => {
      const holder = await at.account();
      const [{ key }, { key: other }] = [await holder.key(), await holder.key()];
      await count(key.id, {
        ...{ '2026-12-30': [100, 1_000], '2026-12-31': [3, 1], '2027-01-02': [5, 2], '2027-01-03': [200, 2_000] },
      });
      await count(other.id, { '2027-01-01': [7, 7] });
      // Only the day of a time counts.
      const filter = { from: new Date('2026-12-31T23:59:59.999Z'), to: date('2027-01-02') };
      const usage = await at.management.usage(holder.developer, key.id, filter);
      expect(usage.days.length).toBe(3);
      expect(usage).toEqual({
        ...{ id: key.id, from: '2026-12-31', to: '2027-01-02', accepted: 8, refused: 3 },
        days: [
          { day: '2026-12-31', accepted: 3, refused: 1 },
          { day: '2027-01-01', accepted: 0, refused: 0 },
          { day: '2027-01-02', accepted: 5, refused: 2 },
        ],
      });
    });

    it.each<[string, UsageFilter, string, string, number]>([
      ['today and the 29 days before', {}, dayBefore(29), TODAY, 30],
      ['the last day and the 29 days before', { to: date('2026-03-01') }, '2026-01-31', '2026-03-01', 30],
      ['all days since the first one', { from: date('2027-01-13') }, '2027-01-13', TODAY, 3],
      ['one day', { from: date(TODAY), to: date(TODAY) }, TODAY, TODAY, 1],
      ['400 days', { from: date(dayBefore(399)) }, dayBefore(399), TODAY, 400],
      ['the first day that there is', { from: new Date(0), to: new Date(0) }, '1970-01-01', '1970-01-01', 1],
      [
        'the last day that there is',
        { from: date('9999-12-31'), to: new Date(Date.UTC(10_000, 0) - 1) },
        ...(['9999-12-31', '9999-12-31', 1] as const),
      ],
    ])('covers %s', async (_what, filter, from, to, length) => {
      const holder = await at.account();
      const { key } = await holder.key();
      const { days, ...usage } = await at.management.usage(holder.developer, key.id, filter);
      expect(usage).toEqual({ id: key.id, from, to, accepted: 0, refused: 0 });
      // Not `toHaveLength`: if there are far too many days, it takes minutes to print them.
      expect([days.length, days[0]?.day, days.at(-1)?.day]).toEqual([length, from, to]);
    });

    it.each<[string, unknown, string, string]>([
      [
        'a first day after the last one',
        { from: date('2027-01-02'), to: date('2027-01-01') },
        ...(['from', 'expected a date on or before "to"'] as const),
      ],
      ['401 days', { from: date(dayBefore(400)) }, 'from', 'expected a period of at most 400 days'],
      ['a day before 1970', { from: new Date(-1), to: new Date(-1) }, 'to', A_DATE],
      ['a first day before 1970', { from: new Date(-1), to: new Date(0) }, 'from', A_DATE],
      ['a day after 9999', { from: date('9999-12-31'), to: new Date(Date.UTC(10_000, 0)) }, 'to', A_DATE],
      ['no valid date', { from: new Date(Number.NaN) }, 'from', A_DATE],
      ['a text', { to: TODAY }, 'to', A_DATE],
      ['a number', { to: START }, 'to', A_DATE],
      ['null', { from: null }, 'from', A_DATE],
      ['an unknown field', { day: date(TODAY) }, 'day', 'unknown field; expected one of from, to'],
    ])('is refused for %s', async (_what, filter, field, expected) => {
      const holder = await at.account();
      const { key } = await holder.key();
      const reading = at.management.usage(holder.developer, key.id, hostile<UsageFilter>(filter));
      expect(await refusalOf(reading)).toEqual({
        ...{ status: 400, code: 'invalid', field, message: `${field}: ${expected}` },
      });
    });

    it('is not found for another account, and for ids that no key has', async () => {
      const [holder, other] = [await at.account(), await at.account()];
      const { key } = await other.key();
      for (const id of [key.id, 'key_aaaaaaaaaaaaaaaaaaaaaaaaaa', '', undefined, null, 7, {}])
        expect(await refusalOf(at.management.usage(holder.owner, hostile<string>(id)))).toEqual(NOT_FOUND);
      const reading = at.management.usage(holder.owner, `${key.id}\0`);
      expect(await refusalOf(reading)).toEqual(refusing(400, 'invalid', 'id'));
    });
  });

  describe('of many keys', () => {
    it('has the totals of today and the 29 days before', async () => {
      const [holder, other] = [await at.account(), await at.account()];
      const { key: busy } = await holder.key();
      const { key: old } = await holder.key();
      const { key: foreign } = await other.key();
      await count(busy.id, { [dayBefore(30)]: [100, 1_000], [dayBefore(29)]: [3, 1], [TODAY]: [5, 2] });
      await count(old.id, { [dayBefore(30)]: [1, 1] });
      await count(foreign.id, { [TODAY]: [1, 1] });
      const totals = await at.management.recentUsage(holder.developer, [busy.id, old.id, foreign.id, 'key_a']);
      expect([...totals]).toEqual([[busy.id, { accepted: 8, refused: 3 }]]);
    });

    it.each([
      ['a text', 'key_a'],
      ['nothing', undefined],
      ['201 ids', new Array(201).fill('key_a')],
    ])('is refused for %s', async (_what, ids) => {
      const { owner } = await at.account();
      for (const read of [at.management.recentUsage, at.management.keyNames]) {
        expect(await refusalOf(read(owner, hostile<string[]>(ids)))).toEqual({
          ...{ status: 400, code: 'invalid', field: 'ids', message: 'ids: expected a list of at most 200 entries' },
        });
      }
    });

    it('ignores values that are no ids', async () => {
      const { owner } = await at.account();
      expect((await at.management.recentUsage(owner, hostile<string[]>([undefined, null, 7, {}]))).size).toBe(0);
    });
  });
});
