/** Records at random: each field most often right, and which of them are. */
import fc from 'fast-check';
import { isScopeToken } from '../../lib/protocol/scope.js';

/** The values of a record's fields, and whether each keeps the rules of its field. */
export type RecordDraw = Readonly<Record<string, { readonly value: unknown; readonly good: boolean }>>;

/** What a resolver may return. */
export type DrawnRecord = Readonly<Record<string, unknown>>;

type Field = readonly [right: fc.Arbitrary<unknown>, ...wrong: readonly unknown[]];

const orAbsent = (right: fc.Arbitrary<unknown>) => fc.oneof(right, fc.constantFrom(undefined, null));
const text = fc.string({ minLength: 1, maxLength: 5 });
const names = fc.array(text, { maxLength: 3 });
const scopes = fc.array(text.filter(isScopeToken), { maxLength: 3 });
const noNames = ['', 'names', 0, {}, [''], [1], [null], [['a']]];
const noDate = [0, '', '2030-01-01', true, {}, new Date(Number.NaN)];

const shared = (date: fc.Arbitrary<Date>): Readonly<Record<string, Field>> => ({
  id: [text, undefined, null, '', 1],
  account: [text, undefined, null, '', {}],
  environment: [fc.constantFrom('live', 'sandbox'), undefined, null, 'any', ''],
  channels: [orAbsent(fc.oneof(fc.constant('all'), names)), ...noNames],
  platform: [orAbsent(text), '', 0, false],
  expiresAt: [orAbsent(date), ...noDate],
  revokedAt: [orAbsent(date), ...noDate],
  disabled: [orAbsent(fc.boolean()), 0, 1, 'false'],
});

const keyFields = (date: fc.Arbitrary<Date>): Readonly<Record<string, Field>> => ({
  ...shared(date),
  kind: [fc.constantFrom('secret', 'public'), undefined, null, 'access', ''],
  apis: [fc.oneof(fc.constant('all'), names), undefined, null, ...noNames],
  scopes: [orAbsent(scopes), 'all', 'a', [''], ['a b'], [1]],
  acceptedUntil: [orAbsent(date), ...noDate],
});

const accessKeyFields = (date: fc.Arbitrary<Date>): Readonly<Record<string, Field>> => ({
  ...shared(date),
  scopes: [scopes, undefined, null, 'all', [''], ['a b']],
  tokensNotBefore: [orAbsent(date), ...noDate],
});

const anyDate = fc.date({ noInvalidDate: true });

/** Records of API keys, of which each field is wrong once in a while. */
export const keyDraws = (date = anyDate): fc.Arbitrary<RecordDraw> => drawsOf(keyFields(date), 1);

/** Records of API keys whose fields are right, each by itself. */
export const rightKeyDraws: fc.Arbitrary<RecordDraw> = drawsOf(keyFields(anyDate), 0);

/** Records of access keys, of which each field is wrong once in a while. */
export const accessKeyDraws: fc.Arbitrary<RecordDraw> = drawsOf(accessKeyFields(anyDate), 1);

function drawsOf(fields: Readonly<Record<string, Field>>, faults: 0 | 1): fc.Arbitrary<RecordDraw> {
  const draws = Object.entries(fields).map(([field, [right, ...wrong]]) => {
    const good = right.map((value) => ({ value, good: true }));
    const bad = fc.constantFrom(...wrong).map((value) => ({ value, good: false }));
    return [field, fc.oneof({ weight: 20, arbitrary: good }, { weight: faults, arbitrary: bad })] as const;
  });
  return fc.record(Object.fromEntries(draws));
}

/** The record that was drawn. */
export function recordOf(draw: RecordDraw): DrawnRecord {
  return Object.fromEntries(Object.entries(draw).map(([field, { value }]) => [field, value]));
}

/** Whether a record keeps every rule: those of its fields, and those of docs/spec.md §2.1. */
export function keepsRules(draw: RecordDraw): boolean {
  const { platform, channels, kind, apis } = recordOf(draw);
  const hasItsOneChannel = (platform ?? undefined) === undefined || (Array.isArray(channels) && channels.length === 1);
  return Object.values(draw).every(({ good }) => good) && hasItsOneChannel && !(kind === 'public' && apis === 'all');
}
