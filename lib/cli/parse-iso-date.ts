/**
 * Matches a date, or a date and a time with a time zone. The form is that of ISO 8601 or of PostgreSQL:
 * `2027-01-31 12:00:00+00`.
 */
const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:(Z)|([+-]\d\d)(?::?(\d\d))?))?$/i;

/**
 * Parses a date. Without a time, it means midnight in UTC. It returns `undefined` for any other text, such as a time
 * without a time zone, and for a day that does not exist.
 */
export function parseIsoDate(text: string): Date | undefined {
  const [, year, month, day, time = '00:00', zulu, hours, minutes = '00'] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const zone = zulu === undefined && hours !== undefined ? `${hours}:${minutes}` : 'Z';
  const date = new Date(`${year}-${month}-${day}T${time}${zone}`);
  // `Date` accepts February 31 and returns March 3, so the day is checked here.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(date.getTime()) || Number(day) > lastDay ? undefined : date;
}
