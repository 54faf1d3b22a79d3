/** Reads the query parameters of the management API, and creates the response for a page of a list. */
import { DEFAULT_ORDER, KEY_ORDERS } from '../key-list-filter.js';
import { invalid } from '../management-error.js';
import type { Page } from '../pagination.js';
import type { ApiAnswer, ApiCall, QueryName } from './operation.js';
import { invalidParameter } from './problem.js';
import type { JsonSchema } from './schemas.js';

/** The schema of each query parameter. */
export const QUERY_SCHEMAS: Readonly<Record<QueryName, JsonSchema>> = {
  kind: { type: 'string', enum: ['secret', 'public'] },
  api: { type: 'string', description: 'Lists only keys that may use this API.' },
  state: { type: 'string', enum: ['active', 'disabled', 'expired', 'revoked'] },
  q: {
    type: 'string',
    description: 'Lists only keys with this text in their name, ID or hint (the visible characters of the secret).',
  },
  sort: {
    ...{ type: 'string', enum: KEY_ORDERS, default: DEFAULT_ORDER },
    description: 'A leading minus sorts in descending order. Send the same value for every page of a list.',
  },
  limit: { type: 'integer', minimum: 1, maximum: 200, default: 50 },
  after: { type: 'string', description: 'The value of `next` from the previous page.' },
  subject: { type: 'string' },
  actor: { type: 'string' },
  action: { type: 'string' },
  from: { type: 'string', format: 'date' },
  to: { type: 'string', format: 'date' },
};

/** @throws ProblemError 400 for a parameter that is unknown or repeated. */
export function readQuery(url: string, names: readonly QueryName[]): ApiCall['query'] {
  const mark = url.indexOf('?');
  const pairs = mark === -1 ? [] : [...new URLSearchParams(url.slice(mark + 1))];
  for (const [index, [name]] of pairs.entries()) {
    if (!(names as readonly string[]).includes(name)) {
      throw invalidParameter(
        name,
        `unknown query parameter; ${names.length === 0 ? 'this operation accepts none' : `expected one of ${names.join(', ')}`}`,
      );
    }
    if (pairs.findIndex(([other]) => other === name) !== index)
      throw invalidParameter(name, 'the query parameter must occur only once');
  }
  return Object.fromEntries(pairs);
}

/** Converts query parameters to a filter for `list` and `audit` of `createManagement`. */
export function filterOf(query: ApiCall['query'], names: readonly QueryName[]): object {
  const fields = names.flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]] as const]));
  return Object.fromEntries(
    fields.map(([name, value]) => {
      if (name === 'limit') return [name, /^[1-9]\d{0,2}$/.test(value) ? Number(value) : value];
      return [name === 'q' ? 'text' : name, value];
    }),
  );
}

/** Creates the response for one page of a list. If there is a next page, the `Link` header names it (RFC 8288). */
export function pageAnswer<T>({ items, next }: Page<T>, query: ApiCall['query'], path: string): ApiAnswer {
  const body = { data: items, next };
  if (next === null) return { status: 200, body };
  const parameters = new URLSearchParams(query);
  parameters.set('after', next);
  return { status: 200, headers: { Link: `<${path}?${parameters}>; rel="next"` }, body };
}

const TIME = /^(\d{4}-\d\d-\d\d)[Tt](?!24)\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Parses a time in the format of RFC 3339. `null`, which means no time, is returned unchanged. */
export function parseTime(field: string, value: unknown): Date | null {
  if (value === null) return null;
  const day = typeof value === 'string' ? TIME.exec(value)?.[1] : undefined;
  if (day !== undefined && isOfCalendar(day)) {
    const time = new Date(value as string);
    if (!Number.isNaN(time.getTime())) return time;
  }
  throw invalid(field, 'expected an RFC 3339 date and time, such as 2030-01-31T12:00:00Z');
}

/** Parses a date without a time, such as `2030-01-31`. The result is the start of this day in UTC. */
export function parseDay(field: string, value: string | undefined): Date | undefined {
  if (value === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\d$/.test(value) || !isOfCalendar(value))
    throw invalid(field, 'expected a date, such as 2030-01-31');
  return new Date(value);
}

/** Checks that a day exists. Some days that do not exist are no error for `Date`: it parses 30 February as 2 March. */
function isOfCalendar(day: string): boolean {
  const time = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(day);
}
