/**
 * Reads how often keys are used: the number of accepted and refused requests for each day. Also reads the names of
 * keys, for pages that list keys only by id.
 */
import { types } from 'node:util';
import type { CredentialStore } from '../../store/credential-store.js';
import { dayOf, MS_PER_DAY, USAGE_DAYS } from '../../store/usage/utc-days.js';
import type { Operations } from '../audit-log/audited-operation.js';
import { readGiven } from '../fields.js';
import { invalid, ManagementError } from '../management-error.js';
import type { Member } from '../member.js';
import { isWithin } from './member-rules.js';
import { auditNounOf, readKeyId, subjectOf } from './read-key-id.js';

/** The period for which usage is returned. It includes the first and the last day. Days are in UTC. */
export interface UsageFilter {
  /** The first day. Default: 29 days before `to`. */
  readonly from?: Date | undefined;
  /** The last day. Default: today. */
  readonly to?: Date | undefined;
}

export interface UsageDay {
  /** The day in UTC, such as `2026-11-22`. */
  readonly day: string;
  readonly accepted: number;
  /**
   * The number of requests with a known key that were refused. The key was revoked, expired or disabled, its access key
   * is of another environment, or the IP address was not allowed. Or a token of the key was revoked or superseded, or
   * did not have the binding or proof that the verifier requires.
   */
  readonly refused: number;
}

/**
 * The number of requests of one key. Requests of the last minute may be missing, because each process writes its counts
 * to the store with a delay. The requests of a process that cannot write to the store are missing too.
 */
export interface KeyUsage extends UsageCounts {
  readonly id: string;
  /** The first day of the period. */
  readonly from: string;
  /** The last day of the period. */
  readonly to: string;
  /** Every day of the period, oldest first. */
  readonly days: readonly UsageDay[];
}

export interface UsageCounts {
  readonly accepted: number;
  readonly refused: number;
}

/** The number of days that usage covers by default: today and the 29 days before. */
const RECENT_DAYS = 30;
const MAX_KEYS = 200;

export function usageReaders(operations: Operations, { repository }: CredentialStore) {
  async function usage(member: Member, id: string, given: UsageFilter = {}): Promise<KeyUsage> {
    const operation = { action: 'view', name: `${auditNounOf(id)}.usage`, subject: subjectOf(id) } as const;
    return await operations.read(member, operation, async (actor) => {
      const { from, to } = readDays(given, actor.now);
      const keyId = readKeyId('id', id);
      const found = keyId === undefined ? undefined : await repository.key(keyId);
      const { member } = actor;
      if (found?.key.account !== member.account || !isWithin(member, found.key.environment))
        throw new ManagementError('not_found', 'the key was not found');
      const rows = await repository.usage(found.key.id, from, to);
      const days = Array.from({ length: to - from + 1 }, (_, index) => {
        const row = rows.find(({ day }) => day === from + index);
        return { day: toDate(from + index), accepted: row?.accepted ?? 0, refused: row?.refused ?? 0 };
      });
      return { id: found.key.id, from: toDate(from), to: toDate(to), ...totalOf(days), days };
    });
  }

  async function recentUsage(member: Member, ids: readonly string[]): Promise<ReadonlyMap<string, UsageCounts>> {
    const operation = { action: 'list', name: 'key.usage', subject: undefined } as const;
    return await operations.read(member, operation, async (actor) => {
      const from = dayOf(actor.now) - RECENT_DAYS + 1;
      const { account, environment } = actor.member;
      const keys = { account, environment, ids: readKeyIds(ids) };
      const totals = await repository.usageTotals(keys, from);
      return new Map(totals.map(({ key_id, accepted, refused }) => [key_id, { accepted, refused }]));
    });
  }

  async function keyNames(member: Member, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const operation = { action: 'list', name: 'key.names', subject: undefined } as const;
    return await operations.read(member, operation, async (actor) => {
      const rows = await repository.keyNames(actor.member.account, readKeyIds(ids));
      return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
    });
  }

  return { usage, recentUsage, keyNames };
}

function readKeyIds(ids: unknown): readonly string[] {
  if (!Array.isArray(ids) || ids.length > MAX_KEYS)
    throw invalid('ids', `expected a list of at most ${MAX_KEYS} entries`);
  return ids.flatMap((id) => readKeyId('ids', id) ?? []);
}

/**
 * Validates a period, and converts its first and last day to days since 1970.
 *
 * @throws ManagementError `invalid`
 */
function readDays(value: unknown, now: number): { readonly from: number; readonly to: number } {
  const given = readGiven(value, ['from', 'to']);
  const to = given.to === undefined ? dayOf(now) : readDay('to', given.to);
  const from = given.from === undefined ? to - RECENT_DAYS + 1 : readDay('from', given.from);
  if (from > to) throw invalid('from', 'expected a date on or before "to"');
  if (to - from >= USAGE_DAYS) throw invalid('from', `expected a period of at most ${USAGE_DAYS} days`);
  return { from, to };
}

/** The last day of the year 9999, in days since 1970. */
const MAX_DAY = 2_932_896;

function readDay(field: string, value: unknown): number {
  const day = types.isDate(value) ? dayOf(value.getTime()) : Number.NaN;
  if (!(day >= 0 && day <= MAX_DAY)) throw invalid(field, 'expected a Date from 1970 to 9999');
  return day;
}

function toDate(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10);
}

function totalOf(days: readonly UsageDay[]): UsageCounts {
  const sum = (name: keyof UsageCounts) => days.reduce((total, day) => total + day[name], 0);
  return { accepted: sum('accepted'), refused: sum('refused') };
}
