/** Parses a day that a date field sent, such as `2030-12-31`, as a day in UTC. */
import { MAX_TIME } from '../../management/fields.js';
import { invalid } from '../../management/management-error.js';

const DAY = 86_400_000;
const DAY_TEXT = /^\d{4}-\d\d-\d\d$/;

/** The first instant of a day. @throws ManagementError `invalid` */
export function startOfDay(field: string, day: string): Date {
  const begin = new Date(`${day}T00:00:00Z`);
  // `Date` parses 31 February as 3 March, so the result is compared with the text.
  const isDay = !Number.isNaN(begin.getTime()) && begin.toISOString().startsWith(day) && DAY_TEXT.test(day);
  if (!isDay) throw invalid(field, 'enter a date, such as 2030-12-31');
  return begin;
}

/** The first instant after a day, or the last one that management accepts. @throws ManagementError `invalid` */
export function endOfDay(field: string, day: string): Date {
  return new Date(Math.min(startOfDay(field, day).getTime() + DAY, MAX_TIME));
}
